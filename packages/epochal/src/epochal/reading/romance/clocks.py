"""Rows that read words of the clock, and what looks like a time and is none."""

from __future__ import annotations

from epochal.reading.grammar import row

__all__ = ["CLOCKS", "NO_TIMES"]

#: Ages, which look like durations.
NO_TIMES = (
    row(
        "no_time",
        "OLD DE NUMBER UNIT",
        None,
        fr="Une femme [âgée de 57 ans] est venue.",
        es="Murió a la [edad de 57 años].",
        it="Morì all'[età di 57 anni].",
        pt="Morreu com a [idade de 57 anos].",
    ),
    row(
        "no_time",
        "NUMBER UNIT DE OLD",
        None,
        fr="Elle a [57 ans d'âge].",
        es="Tiene [57 años de edad].",
        it="Ha [57 anni di età].",
        pt="Tem [57 anos de idade].",
    ),
    row(
        "age",
        '<"," NUMBER UNIT !(AND DURATION)',
        None,
        fr="Selon Ana Ruiz, [57 ans], c'est vrai.",
        es="Según Ana Ruiz, [57 años], es verdad.",
        it="Secondo Ana Ruiz, [57 anni], è vero.",
        pt="Segundo Ana Ruiz, [57 anos], é verdade.",
    ),
    row(
        "age_of_verb",
        "NUMBER UNIT !(DE | DEL | AGO_AFTER | LATER | AFTER | BEFORE | EARLIER | AND (HALF | CARDINAL UNIT))",
        None,
        fr="Elle a [34 ans] et deux enfants.",
        es="Ella tiene [34 años], y él dos hijos.",
        it="Lei ha [34 anni], e lui due figli.",
    ),
    row(
        "age_of_person",
        'DE NUMBER ((AT | AND | "-") NUMBER)? UNIT',
        None,
        fr="Un homme [de 57 ans] est venu.",
        es="Un hombre [de 57 años] vino.",
        it="Un uomo [di 57 anni] è venuto.",
        pt="Um homem [de 57 anos] veio.",
    ),
)

#: Clock times, in digits and in words.
CLOCKS = (
    row(
        "length_of_hours",
        "MORE (CLOCK | SMALL_NUMBER HOUR_MARK) | <(BY | WITHIN | LESS | AHEAD) (CLOCK | SMALL_NUMBER HOUR_MARK)",
        "PT24H",
        fr="Cela a duré [moins de 24h] en tout.",
        es="Duró [menos de 24 h] todo.",
        it="È durato [meno di 24h] tutto.",
        pt="Durou [menos de 24h] tudo.",
    ),
    row(
        "clock",
        "CLOCK (HOUR_MARK | UNIT)? (AM_PM | ZONE | OF_DAY_PART)?",
        "T17:15",
        fr="Rendez-vous à [17h15].",
        es="Nos vemos a las [17:15 horas].",
        it="Ci vediamo alle [17:15].",
        pt="Encontramo-nos às [17h15].",
    ),
    row(
        "clock",
        "(DAY_MONTH | DECIMAL) AM_PM",
        "T20:30",
        fr="Rendez-vous : [8.30 pm]",
        es="Nos vemos: [8.30 pm]",
        it="Ci vediamo: [8.30 pm]",
        pt="Encontro: [8.30 pm]",
    ),
    row(
        "clock_words",
        "CARDINAL (UNIT | HOUR_MARK)? MINUTES? EXACTLY? (AM_PM | (OF | BY THE?) (DAYPART | MORROW))"
        " | (SMALL_NUMBER | NUM) (UNIT | HOUR_MARK) MINUTES? &(THIS DAYPART)",
        "T15",
        fr="Elle est venue à [trois heures de l'après-midi].",
        es="Llegó a las [tres de la tarde].",
        it="È arrivata alle [tre del pomeriggio].",
        pt="Chegou às [três da tarde].",
    ),
    row(
        "hours_and_quarter",
        "<!(ARTICLES | HOUR_CUE | HOUR_FROM | ARTICLE) CARDINAL UNIT AND A? QUARTER_HOUR",
        "PT1H15M",
        es="Duró [una hora y cuarto] todo.",
        it="È durato [un'ora e un quarto] tutto.",
        pt="Durou [uma hora e um quarto] tudo.",
    ),
    row(
        "clock_digits",
        "(YEAR | THREE_DIGITS) AM_PM",
        "T11:40",
        fr="Le train part à [1140 a.m.]",
        es="El tren sale a [1140 a.m.]",
        it="Il treno parte a [1140 a.m.]",
        pt="O comboio sai a [1140 a.m.]",
    ),
    row(
        "clock_words",
        "CARDINAL (UNIT | HOUR_MARK)? (LESS (ARTICLE | A)? QUARTER_HOUR | AND QUARTER_HOUR)"
        " | CARDINAL (UNIT | HOUR_MARK) LESS CARDINAL",
        "T02:45",
        fr="Il est [trois heures moins le quart].",
        es="Son las [tres menos cuarto].",
        it="Sono le [tre meno un quarto].",
        pt="São [três menos um quarto].",
    ),
    row(
        "clock_words",
        'AT_HOUR CARDINAL (UNIT | HOUR_MARK) MINUTES? EXACTLY? !("-" | AMOUNT)',
        "T15",
        fr="La réunion est à [quinze heures].",
        es="La reunión es a las [quince horas].",
        pt="A reunião é às [quinze horas].",
    ),
    row(
        "clock_words",
        'SMALL_NUMBER (UNIT | HOUR_MARK) SMALL_NUMBER !(UNIT | MONTH_NAME | DE | "-" | "/" | HOUR_MARK)',
        "T08:30",
        fr="Ouverture : [8 h 30].",
        es="Apertura: [8 h 30].",
        it="Apertura: [8 h 30].",
        pt="Abertura: [8 h 30].",
    ),
    row(
        "clock_words",
        "SMALL_NUMBER HOUR_MARK",
        "T18",
        fr="Début : [18 h].",
        es="Inicio: [18 h].",
        it="Inizio: [18 h].",
        pt="Começo: [18 h].",
    ),
    row(
        "clock_words",
        'AT_HOUR CARDINAL MINUTES? EXACTLY? !(UNIT | MONTH_NAME | DE MONTH_NAME | "/" | "." SMALL_NUMBER | CARDINAL |'
        " LAST | NEXT | DAY_MONTH) | <ARTICLES CARDINAL (AND HALF | (AND | LESS) CARDINAL UNIT)",
        "T03:30",
        es="Nos vemos a las [tres y media].",
        it="Ci vediamo alle [tre e mezza].",
        pt="Encontramo-nos às [três e meia].",
    ),
    row(
        "clock_words",
        "<!ANY CARDINAL AND (CARDINAL | HALF | QUARTER_HOUR) !ANY",
        "T03:20",
        es="[3 y veinte]",
        it="[3 e venti]",
        pt="[3 e vinte]",
    ),
    row(
        "clock_feminine",
        "<(CLOCK_VERB ARTICLES) CARDINAL (MINUTES | EXACTLY | !(OTHER | UNIT | MONTH_NAME | CARDINAL))",
        "T02:50",
        es="Son las [tres menos diez] ya.",
        it="Sono le [tre meno dieci].",
    ),
    row(
        "clock",
        "AT_HOUR (DAY_MONTH | DECIMAL) (HOUR_MARK | UNIT)? (AM_PM | (OF | BY THE?) (DAYPART | MORROW))?",
        "T17:30",
        es="Nos vemos a las [17.30].",
        it="Ci vediamo alle [17.30].",
        pt="Encontramo-nos às [17.30].",
    ),
    row(
        "noon_minutes",
        "<!BETWEEN DAYPART (NUM !(UNIT | DE) | AND (A? QUARTER_HOUR | HALF | CARDINAL)"
        " | LESS (ARTICLE | A)? (CARDINAL | QUARTER_HOUR))",
        "T12:30",
        fr="Le train part à [midi et demie].",
        es="El tren sale al [mediodía y media].",
        it="Il treno parte a [mezzogiorno e mezza].",
        pt="O comboio sai ao [meio-dia e meia].",
    ),
    row(
        "pointed_daypart",
        "(DAYPART | MORROW) POINTING | POINTING (DAYPART | MORROW)",
        "1944-06-07TNI",
        fr="Il vint le 6 juin 1944. La [nuit suivante], il partit.",
        es="Vino el 6 de junio de 1944. La [noche siguiente] se fue.",
        it="Venne il 6 giugno 1944. La [notte seguente] partì.",
        pt="Veio em 6 de junho de 1944. Na [noite seguinte] partiu.",
    ),
    row(
        "early_daypart",
        "EARLY_LATE PREP{0,2} (DAYPART | MORROW) | (DAYPART | MORROW) EARLY_LATE",
        "TMO",
        fr="Il part [tôt le matin].",
        es="Sale [temprano por la mañana].",
        it="Parte la [mattina presto].",
        pt="Parte de [manhã cedo].",
    ),
)
