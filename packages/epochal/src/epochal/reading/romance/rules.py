"""The rows of the grammar that Romance languages share, with an example in each language that has the row.

A language has a row where the row has an example in it. What only one language says is in the `rules.py` of its own
folder, and is tried first. The classes that stand for words of grammar:

    DE, DEL      of, and of with the article: "de", "du"      AT, AL     at, to: "à", "au"
    IN, NEL      in: "en", "nella"; NELS is the plural        AHEAD      from now: "dans", "dentro de"
    FROM, UNTIL  since, until: "depuis", "hasta"              BY         for, during: "por", "pendant"
    HOUR_CUE, HOUR_FROM  at, from, before hours: "a las", "alle", "das"
    AGO_BEFORE   "il y a", "hace"                             AGO_AFTER  "fa", "atrás"
    ARTICLE, ARTICLES  the, in the singular and the plural    THESE      "ces", "estos"
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from epochal.reading.grammar import Rule
from epochal.reading.romance import functions  # noqa: F401 - importing it registers its rule functions

__all__ = ["MACROS", "build_layers"]

#: Patterns with a name, for use in the rules; a language may replace some.
MACROS = {
    "THE": "ARTICLE | ARTICLES",
    # dix-huit, novecientos diez
    "NUM": 'NUMBER_WORD ("-"? NUMBER_WORD){0,4}',
    "CARDINAL": "SMALL_NUMBER | NUM | A",
    "NUMBER": "SMALL_NUMBER | THREE_DIGITS | LARGE_NUMBER | DECIMAL | FRACTION | YEAR | NUM | A NUM | A",
    # trois, une dizaine de, un demi
    "AMOUNT": "(A? FEW DE? | NUMBER) HALF? | A? HALF",
    "DAY_NUMBER": "SMALL_NUMBER | ORDINAL | NUM",
    "MONTH": 'MONTH_NAME "."?',
    "ANY_YEAR": "YEAR | SHORT_YEAR",
    "OF": "DE THE? | DEL",
    # de 2007, del año 2007, 2007
    "OF_YEAR": '("," | OF)? UNIT? ANY_YEAR',
    "TURN": "LAST | NEXT | THIS",
    "PREP": "HOUR_CUE | NELS | DE | DEL | AT | AL | IN | NEL | BY | ARTICLE | ARTICLES",
    # par la nuit, de la tarde, du matin
    "OF_DAY_PART": "PREP{1,2} (DAYPART | MORROW) | DAYPART",
    # et demie, y diez, moins le quart
    "MINUTES": (
        "AND? (A? QUARTER_HOUR | HALF) | LESS (ARTICLE | A)? (CARDINAL UNIT? | QUARTER_HOUR) | AND CARDINAL UNIT?"
        ' | (SMALL_NUMBER | NUM) !(UNIT | MONTH_NAME | DE | "-" | "/" | HOUR_MARK) '
    ),
    "NODE": "DAY | PERIOD | TIME | MOMENT",
    # what may come between a date and its clock time, or a weekday and its date
    "GLUE": '"," | PREP | HOUR_FROM | ABOUT | TOWARD | FROM',
    "START": "HOUR_FROM | DE THE? | DEL | FROM (DE THE? | DEL | THE)?",
    "TO": '"-" THE? | UNTIL (AT THE? | AL | IN THE? | NEL | THE | HOUR_CUE)? | AT THE? | AL | HOUR_CUE',
    # "prima" is "first" and "before" in Italian, "tra" is "between" and "in"
    "ORD": "ORDINAL",
    "EARLY": "BEFORE",
    "SOON": "AHEAD",
    "SINCE": "FROM | HOUR_FROM",
}


class _Row(NamedTuple):
    function: str
    pattern: str
    value: str | None
    examples: Mapping[str, str]


def _row(function: str, pattern: str, value: str | None, **examples: str) -> _Row:
    return _Row(function, pattern, value, examples)


_WORDS = (
    # ------------------------------------------------ what looks like time and is not
    _row(
        "no_time",
        "OLD DE NUMBER UNIT",
        None,
        fr="Une femme [âgée de 57 ans] est venue.",
        es="Murió a la [edad de 57 años].",
        it="Morì all'[età di 57 anni].",
        pt="Morreu com a [idade de 57 anos].",
    ),
    _row(
        "no_time",
        "NUMBER UNIT DE OLD",
        None,
        fr="Elle a [57 ans d'âge].",
        es="Tiene [57 años de edad].",
        it="Ha [57 anni di età].",
        pt="Tem [57 anos de idade].",
    ),
    _row(
        "age",
        '<"," NUMBER UNIT !(AND DURATION)',
        None,
        fr="Selon Ana Ruiz, [57 ans], c'est vrai.",
        es="Según Ana Ruiz, [57 años], es verdad.",
        it="Secondo Ana Ruiz, [57 anni], è vero.",
        pt="Segundo Ana Ruiz, [57 anos], é verdade.",
    ),
    _row(
        "age_of_person",
        "DE NUMBER UNIT",
        None,
        fr="Un homme [de 57 ans] est venu.",
        es="Un hombre [de 57 años] vino.",
        it="Un uomo [di 57 anni] è venuto.",
        pt="Um homem [de 57 anos] veio.",
    ),
    # ------------------------------------------------ clock times
    _row(
        "clock",
        "CLOCK (HOUR_MARK | UNIT)? (AM_PM | ZONE | OF_DAY_PART)?",
        "T17:15",
        fr="Rendez-vous à [17h15].",
        es="Nos vemos a las [17:15 horas].",
        it="Ci vediamo alle [17:15].",
        pt="Encontramo-nos às [17h15].",
    ),
    _row(
        "clock_words",
        "CARDINAL (UNIT | HOUR_MARK)? MINUTES? EXACTLY? (AM_PM | (OF | BY THE?) (DAYPART | MORROW))"
        " | (SMALL_NUMBER | NUM) (UNIT | HOUR_MARK) MINUTES? &(THIS DAYPART)",
        "T15",
        fr="Elle est venue à [trois heures de l'après-midi].",
        es="Llegó a las [tres de la tarde].",
        it="È arrivata alle [tre del pomeriggio].",
        pt="Chegou às [três da tarde].",
    ),
    _row(
        "clock_words",
        "CARDINAL (UNIT | HOUR_MARK)? (LESS (ARTICLE | A)? QUARTER_HOUR | AND QUARTER_HOUR)"
        " | CARDINAL (UNIT | HOUR_MARK) LESS CARDINAL",
        "T02:45",
        fr="Il est [trois heures moins le quart].",
        es="Son las [tres menos cuarto].",
        it="Sono le [tre meno un quarto].",
        pt="São [três menos um quarto].",
    ),
    _row(
        "clock_words",
        'AT_HOUR CARDINAL (UNIT | HOUR_MARK) MINUTES? EXACTLY? !("-" | AMOUNT)',
        "T15",
        fr="La réunion est à [quinze heures].",
        es="La reunión es a las [quince horas].",
        pt="A reunião é às [quinze horas].",
    ),
    _row(
        "clock_words",
        'SMALL_NUMBER (UNIT | HOUR_MARK) SMALL_NUMBER !(UNIT | MONTH_NAME | DE | "-" | "/" | HOUR_MARK)',
        "T08:30",
        fr="Ouverture : [8 h 30].",
        es="Apertura: [8 h 30].",
        it="Apertura: [8 h 30].",
        pt="Abertura: [8 h 30].",
    ),
    _row(
        "clock_words",
        "SMALL_NUMBER HOUR_MARK",
        "T18",
        fr="Début : [18 h].",
        es="Inicio: [18 h].",
        it="Inizio: [18 h].",
        pt="Começo: [18 h].",
    ),
    _row(
        "clock_words",
        'AT_HOUR CARDINAL MINUTES? EXACTLY? !(UNIT | MONTH_NAME | DE MONTH_NAME | "/" | "." SMALL_NUMBER | CARDINAL |'
        " LAST | NEXT | DAY_MONTH) | <ARTICLES CARDINAL AND HALF",
        "T03:30",
        es="Nos vemos a las [tres y media].",
        it="Ci vediamo alle [tre e mezza].",
        pt="Encontramo-nos às [três e meia].",
    ),
    _row(
        "clock",
        "AT_HOUR (DAY_MONTH | DECIMAL) (HOUR_MARK | UNIT)? (AM_PM | (OF | BY THE?) (DAYPART | MORROW))?",
        "T17:30",
        es="Nos vemos a las [17.30].",
        it="Ci vediamo alle [17.30].",
        pt="Encontramo-nos às [17.30].",
    ),
    _row(
        "noon_minutes",
        "DAYPART (AND (CARDINAL | QUARTER_HOUR | HALF) | LESS ARTICLE? (CARDINAL | QUARTER_HOUR))",
        "T12:30",
        fr="Le train part à [midi et demie].",
        es="El tren sale al [mediodía y media].",
        it="Il treno parte a [mezzogiorno e mezza].",
        pt="O comboio sai ao [meio-dia e meia].",
    ),
    # ------------------------------------------------ dates
    _row(
        "date",
        "DAY_NUMBER DE? MONTH OF_YEAR ERA?",
        "2024-05-14",
        fr="Le [14 mai 2024], il faisait chaud.",
        es="El [14 de mayo de 2024] hacía calor.",
        it="Il [14 maggio 2024] faceva caldo.",
        pt="Em [14 de maio de 2024] fazia calor.",
    ),
    _row(
        "date",
        "DAY_NUMBER DE? MONTH DE? (SMALL_NUMBER | THREE_DIGITS) ERA",
        "BC0044-03-15",
        fr="Il mourut le [15 mars 44 av. J.-C.].",
        es="Murió el [15 de marzo de 44 a. C.].",
        it="Morì il [15 marzo 44 a.C.].",
        pt="Morreu em [15 de março de 44 a.C.].",
    ),
    _row(
        "date_short_year",
        'DAY_NUMBER DE? MONTH DE? SMALL_NUMBER !(HOUR_MARK | UNIT | "-" | ANY_YEAR | ":" | DE | DEL | AM_PM)',
        "2014-07-18",
        fr="Lyon, le [18 juillet 14]",
        es="Madrid, [18 de julio de 14]",
        it="Roma, [18 luglio 14]",
        pt="Lisboa, [18 de julho de 14]",
    ),
    _row(
        "date",
        "(LAST | NEXT) (DAY_NUMBER DE?)? MONTH | (DAY_NUMBER DE?)? MONTH (LAST | NEXT)",
        "1997-11",
        fr="Il a commencé en [novembre dernier].",
        es="Empezó en [noviembre pasado].",
        it="Ha iniziato lo [scorso novembre].",
        pt="Começou em [novembro passado].",
    ),
    _row(
        "date",
        "THIS (DAY_NUMBER DE?)? MONTH",
        "1998-05",
        fr="Il viendra [ce mai].",
        es="Vendrá [este mayo].",
        it="Verrà [questo maggio].",
        pt="Virá [este maio].",
    ),
    _row(
        "date",
        "DAY_NUMBER DE? MONTH",
        "1997-12-07",
        fr="Le [7 décembre], il a neigé.",
        es="El [7 de diciembre] nevó.",
        it="Il [7 dicembre] ha nevicato.",
        pt="No dia [7 de dezembro] nevou.",
    ),
    _row(
        "date",
        'SMALL_NUMBER "-" MONTH "-" ANY_YEAR',
        "2014-04-12",
        fr="Valable dès le [12-avril-2014].",
        es="Válido desde el [12-abr-2014].",
        it="Valido dal [12-apr-2014].",
        pt="Válido desde [12-abr-2014].",
    ),
    _row(
        "date",
        'MONTH (SMALL_NUMBER | ORDINAL) ("," | DE | DEL)? YEAR',
        "2015-04-14",
        fr="Paris, [avril 14, 2015]",
        es="Madrid, [abril 14, 2015]",
        it="Roma, [aprile 14, 2015]",
        pt="Lisboa, [abril 14, 2015]",
    ),
    _row(
        "date",
        'MONTH SMALL_NUMBER !(HOUR_MARK | "." SMALL_NUMBER | "," SMALL_NUMBER | UNIT | "-" SMALL_NUMBER |'
        " MONTH_NAME | DE | DEL | AM_PM)",
        "1998-04-14",
        fr="Rendez-vous mardi, [avril 14]",
        es="Nos vemos el martes, [abril 14]",
        it="Ci vediamo martedì, [aprile 14]",
        pt="Encontro na terça, [abril 14]",
    ),
    _row(
        "date",
        '(PART ("-" | OF)?)? MONTH OF_YEAR ERA?',
        "1997-05",
        fr="Tout a commencé [début mai 1997].",
        es="Todo empezó a [principios de mayo de 1997].",
        it="Tutto iniziò a [fine maggio 1997].",
        pt="Tudo começou no [início de maio de 1997].",
    ),
    _row(
        "date",
        '(PART ("-" | OF)?) MONTH',
        "1998-05",
        fr="Il viendra à la [mi-mai].",
        es="Vendrá a [mediados de mayo].",
        it="Verrà a [fine maggio].",
        pt="Virá em [meados de maio].",
    ),
    _row(
        "month_number_date",
        "SMALL_NUMBER (DE | DEL)? SMALL_NUMBER (DE | DEL)? YEAR",
        "2009-04-02",
        fr="Il est venu le [02 04 2009] ici.",
        es="Vino el [02 04 2009] aquí.",
        it="È venuto il [02 04 2009] qui.",
        pt="Veio em [02 04 2009] aqui.",
    ),
    _row(
        "numeric_date",
        "NUMERIC_DATE",
        "2024-07-01",
        fr="Le contrat court dès le [1/7/2024].",
        es="El contrato va del [1/7/2024] en adelante.",
        it="Il contratto parte dal [1/7/2024].",
        pt="O contrato vale desde [1/7/2024].",
    ),
    _row(
        "numeric_date",
        "<(ARTICLE | AL | DEL | FROM | WEEKDAY | DE | UNTIL | NEL | IN | NEXT | LAST) DAY_MONTH !(UNIT | HOUR_MARK)"
        ' | <!ANY DAY_MONTH !(UNIT | NUM | HOUR_MARK) | <(",") DAY_MONTH !(UNIT | NUM | HOUR_MARK)',
        "1997-11-24",
        fr="C'était le [24/11] à Paris.",
        es="Fue el [24/11] en Madrid.",
        it="Era il [24/11] a Roma.",
        pt="Foi no [24/11] em Lisboa.",
    ),
    # ------------------------------------------------ years and longer
    _row(
        "decade_of_years",
        "(PART OF)? UNIT DE? (YEAR | SHORT_YEAR | SMALL_NUMBER | NUM)",
        "192",
        fr="Dans les [années 1920], l'art fleurissait.",
        es="En los [años 20] florecía el arte.",
        it="Negli [anni '20] fioriva l'arte.",
        pt="Nos [anos 20] a arte florescia.",
    ),
    _row(
        "century",
        "(PART OF)? UNIT (ROMAN | SMALL_NUMBER) ERA?",
        "17",
        es="Vivió en el [siglo XVIII] en Sevilla.",
        it="Visse nel [secolo XVIII] a Roma.",
        pt="Viveu no [século XVIII] em Lisboa.",
    ),
    _row(
        "century",
        "(PART OF)? (ROMAN | ORD) UNIT ERA?",
        "17",
        fr="Il vécut au [XVIIIe siècle] à Paris.",
        es="Vivió en el [decimoctavo siglo] en Sevilla.",
        it="Visse nel [XVIII secolo] a Roma.",
        pt="Viveu no [XVIII século] em Lisboa.",
    ),
    _row(
        "ordinal_of_year",
        "ORD UNIT OF_YEAR",
        "2018-Q3",
        fr="Au [troisième trimestre 2018], ça monte.",
        es="En el [tercer trimestre de 2018] subió.",
        it="Nel [terzo trimestre del 2018] è salito.",
        pt="No [terceiro trimestre de 2018] subiu.",
    ),
    _row(
        "ordinal_of_year",
        "ORD UNIT",
        "1998-Q3",
        fr="Au [troisième trimestre], ça montera.",
        es="En el [tercer trimestre] subirá.",
        it="Nel [terzo trimestre] salirà.",
        pt="No [terceiro trimestre] subirá.",
    ),
    _row(
        "quarter",
        "QUARTER OF_YEAR?",
        "2018-Q3",
        fr="Les ventes du [Q3 2018] montent.",
        es="Las ventas del [Q3 2018] suben.",
        it="Le vendite del [Q3 2018] salgono.",
        pt="As vendas do [Q3 2018] sobem.",
    ),
    _row(
        "week_number",
        'UNIT SMALL_NUMBER (("/" | OF)? ANY_YEAR)?',
        "1998-W32",
        fr="Livraison en [semaine 32].",
        es="Entrega en la [semana 32].",
        it="Consegna nella [settimana 32].",
        pt="Entrega na [semana 32].",
    ),
    _row(
        "year_of_era",
        "(UNIT | ABOUT | PART OF?)? (SMALL_NUMBER | THREE_DIGITS | LARGE_NUMBER | YEAR) ERA",
        "BC0466",
        fr="Cela commença en [466 av. J.-C.].",
        es="Comenzó en [466 a. C.].",
        it="Cominciò nel [466 a.C.].",
        pt="Começou em [466 a.C.].",
    ),
    _row(
        "year",
        "(PART OF? UNIT? | UNIT DE?) ANY_YEAR !UNIT",
        "1997",
        fr="Cela a commencé [fin 1997].",
        es="Comenzó a [finales de 1997].",
        it="Cominciò a [fine 1997].",
        pt="Começou no [fim de 1997].",
    ),
    _row(
        "year",
        "((ABOUT | TOWARD) (DEL | ARTICLE)?)? ANY_YEAR !UNIT",
        "1848",
        fr="La révolution de [1848] éclata.",
        es="La revolución de [1848] estalló.",
        it="La rivoluzione del [1848] scoppiò.",
        pt="A revolução de [1848] estourou.",
    ),
    _row(
        "year_of_unit",
        "UNIT (THREE_DIGITS | SMALL_NUMBER) !(UNIT | MONTH_NAME | HOUR_MARK)",
        "0731",
        fr="En l'[an 731], il écrivit.",
        es="En el [año 731] escribió.",
        it="Nell'[anno 731] scrisse.",
        pt="No [ano 731] escreveu.",
    ),
    # ------------------------------------------------ sets
    _row(
        "every_weekday",
        "(EVERY | ARTICLES)? WEEKDAY_SET",
        "XXXX-WXX-1",
        fr="C'est fermé [les lundis].",
    ),
    _row(
        "every",
        "EVERY (AMOUNT | ORDINAL)? (UNIT | WEEKDAY | MONTH_NAME | SEASON | DAYPART | MORROW)",
        "P2W",
        fr="Elle vient [toutes les deux semaines].",
        es="Viene [cada dos semanas].",
        it="Viene [ogni due settimane].",
        pt="Vem [a cada duas semanas].",
    ),
    _row(
        "frequency",
        "FREQUENCY",
        "P1W",
        fr="Une réunion [hebdomadaire].",
        es="Una reunión [semanal].",
        it="Una riunione [settimanale].",
        pt="Uma reunião [semanal].",
    ),
    _row(
        "ordinal_weekday",
        "(ORD | LAST) WEEKDAY &(DE | DEL | IN)",
        "1998-03-17",
        fr="Le [troisième mardi] de mars.",
        es="El [tercer martes] de marzo.",
        it="Il [terzo martedì] di marzo.",
        pt="A [terceira terça-feira] de março.",
    ),
    _row(
        "ordinal_unit",
        "(ORD | LAST) UNIT &(DE | DEL | IN) | UNIT LAST &(DE | DEL)",
        "1998-W41",
        fr="La [première semaine] d'octobre.",
        es="La [primera semana] de octubre.",
        it="La [prima settimana] di ottobre.",
        pt="A [primeira semana] de outubro.",
    ),
    # ------------------------------------------------ last, this, next
    _row(
        "rolling",
        "(LAST | NEXT) (NUMBER | A? FEW DE?) UNIT | (NUMBER | A? FEW) (LAST | NEXT) UNIT"
        " | (NUMBER | FEW) UNIT (LAST | NEXT)",
        "P2D",
        fr="Les [deux derniers jours], il a neigé.",
        es="En los [últimos dos días] nevó.",
        it="Negli [ultimi due giorni] ha nevicato.",
        pt="Nos [últimos dois dias] nevou.",
    ),
    _row(
        "rolling",
        "<(ARTICLES | THESE | NELS) LASTS UNIT | <(THESE | ARTICLES) UNIT LASTS",
        "PXD",
        fr="Ces [derniers jours], il a neigé.",
        es="En los [últimos días] nevó.",
        it="Negli [ultimi giorni] ha nevicato.",
        pt="Nos [últimos dias] nevou.",
    ),
    _row(
        "pointed_unit",
        "POINTING UNIT | UNIT POINTING",
        "1944-06-07",
        fr="Il vint le 6 juin 1944. Le [jour suivant], il partit.",
        es="Vino el 6 de junio de 1944. Al [día siguiente] se fue.",
        it="Venne il 6 giugno 1944. Il [giorno seguente] partì.",
        pt="Veio em 6 de junho de 1944. No [dia seguinte] partiu.",
    ),
    _row(
        "pointed_weekday",
        "WEEKDAY POINTING | POINTING WEEKDAY",
        "1944-06-12",
        fr="Il vint le 6 juin 1944. Le [lundi suivant], il partit.",
        es="Vino el 6 de junio de 1944. El [lunes siguiente] se fue.",
        it="Venne il 6 giugno 1944. Il [lunedì seguente] partì.",
        pt="Veio em 6 de junho de 1944. Na [segunda-feira seguinte] partiu.",
    ),
    _row(
        "unit",
        "TURN WHOLE? UNIT | UNIT (LAST | NEXT)",
        "1998-W09",
        fr="Elle est venue la [semaine dernière].",
        es="Vino la [semana pasada].",
        it="È venuta la [settimana scorsa].",
        pt="Veio na [semana passada].",
    ),
    _row(
        "this_unit",
        "CURRENT UNIT | UNIT CURRENT",
        "1998",
        fr="Les ventes de l'[année en cours].",
        es="Las ventas del [año en curso].",
        it="Le vendite dell'[anno in corso].",
        pt="As vendas do [ano em curso].",
    ),
    _row(
        "weekday",
        "TURN WEEKDAY | WEEKDAY (LAST | NEXT)",
        "1998-02-27",
        fr="Elle est venue [vendredi dernier].",
        es="Vino el [viernes pasado].",
        it="È venuta [venerdì scorso].",
        pt="Veio na [sexta-feira passada].",
    ),
    _row(
        "season",
        "TURN SEASON | SEASON (LAST | NEXT)",
        "1997-SU",
        fr="Elle est venue l'[été dernier].",
        es="Vino el [verano pasado].",
        it="È venuta l'[estate scorsa].",
        pt="Veio no [verão passado].",
    ),
    _row(
        "holiday",
        "TURN HOLIDAY | HOLIDAY (LAST | NEXT)",
        "1997-12-25",
        fr="Elle est venue à [Noël dernier].",
        es="Vino la [Navidad pasada].",
        it="È venuta lo [scorso Natale].",
        pt="Veio no [Natal passado].",
    ),
    _row(
        "holiday",
        "HOLIDAY OF_YEAR?",
        "1999-04-04",
        fr="Elle viendra à [Pâques 1999].",
        es="Vendrá en [Pascua de 1999].",
        it="Verrà a [Pasqua 1999].",
        pt="Virá na [Páscoa de 1999].",
    ),
    _row(
        "daypart",
        "(LAST | THIS) (DAYPART | MORROW) | DAYPART LAST",
        "1998-03-04TNI",
        fr="C'est arrivé la [nuit dernière].",
        es="Pasó la [noche pasada].",
        it="È successo la [notte scorsa].",
        pt="Aconteceu na [noite passada].",
    ),
    _row(
        "unit_word",
        "UNIT_WORD",
        "1998-03-06",
        fr="Il partit le [lendemain].",
        it="Partì l'[indomani].",
    ),
    _row(
        "part_unit",
        "PART_UNIT OF_YEAR?",
        "1998",
        it="Partirà a [fine anno].",
    ),
    # ------------------------------------------------ today
    _row(
        "today",
        "TODAY (PREP{0,2} DAYPART)?",
        "1998-03-04TEV",
        fr="Elle est venue [hier soir].",
        it="È venuta [ieri sera].",
    ),
    _row(
        "today",
        "TODAY (PREP{0,2} DAYPART)?",
        "1998-03-04TAF",
        es="Vino [ayer por la tarde].",
        pt="Veio [ontem à tarde].",
    ),
    _row(
        "weekday_part",
        "WEEKDAY PREP{0,2} DAYPART | WEEKDAY PREP{1,2} MORROW",
        "1998-02-27TAF",
        fr="Elle est venue [vendredi après-midi].",
        es="Vino el [viernes por la tarde].",
        it="È venuta [venerdì pomeriggio].",
        pt="Veio na [sexta-feira à tarde].",
    ),
    _row(
        "date",
        'WEEKDAY ","? (ARTICLE | UNIT)? (SMALL_NUMBER | ORDINAL) !(MONTH_NAME | DE | DEL | UNIT | HOUR_MARK | "-" |'
        " AM_PM)",
        "1998-03-20",
        fr="Elle viendra le [vendredi 20].",
        es="Vendrá el [viernes 20].",
        it="Verrà [venerdì 20].",
        pt="Virá na [sexta-feira, 20].",
    ),
    _row(
        "weekday",
        "WEEKDAY",
        "1998-03-10",
        fr="La réunion sera [mardi].",
        es="La reunión será el [martes].",
        it="La riunione sarà [martedì].",
        pt="A reunião será na [terça-feira].",
    ),
    _row(
        "season",
        '(PART ("-" | OF)?)? SEASON (OF_YEAR)?',
        "1990-SU",
        fr="Elle est venue à l'[été 1990].",
        es="Vino en el [verano de 1990].",
        it="È venuta nell'[estate del 1990].",
        pt="Veio no [verão de 1990].",
    ),
    # ------------------------------------------------ amounts
    _row(
        "duration",
        "(ABOUT | MORE)? AMOUNT DE? WHOLE? UNIT (AND HALF)?",
        "P2Y",
        fr="Cela a duré [deux ans].",
        es="Duró [dos años].",
        it="È durato [due anni].",
        pt="Durou [dois anos].",
    ),
    _row(
        "whole_duration",
        "(ABOUT | MORE)? A? WHOLE_DURATION",
        "PT30M",
        fr="Cela a duré [une demi-heure].",
        es="Duró [media hora].",
        it="È durato [mezz'ora].",
        pt="Durou [meia hora].",
    ),
    _row(
        "duration",
        "WHOLE ARTICLE UNIT",
        "P1Y",
        fr="C'est ouvert [toute l'année].",
        es="Está abierto [todo el año].",
        it="È aperto [tutto l'anno].",
    ),
    _row(
        "duration",
        "A? QUARTER_HOUR DE UNIT",
        "PT45M",
        fr="Cela a duré [trois quarts d'heure].",
        es="Duró [tres cuartos de hora].",
        it="È durato [tre quarti d'ora].",
        pt="Durou [três quartos de hora].",
    ),
    _row(
        "weekend",
        "<(ARTICLE | AL | NEL | DEL) UNIT",
        "1998-W10-WE",
        fr="Je pars le [week-end].",
        es="Me voy el [fin de semana].",
        it="Parto nel [weekend].",
        pt="Parto no [fim de semana].",
    ),
    _row(
        "day_of_month",
        'UNIT SMALL_NUMBER !(UNIT | MONTH_NAME | "-" | DE MONTH_NAME)',
        "1998-03-15",
        es="Vendrá el [día 15] a casa.",
        it="Verrà il [giorno 15] a casa.",
        pt="Virá no [dia 15] para casa.",
    ),
    _row(
        "daypart",
        "(PART OF?)? DAYPART",
        "TNI",
        fr="Elle est venue dans la [nuit].",
        es="Vino por la [noche].",
        it="È venuta nella [notte].",
        pt="Veio durante a [noite].",
    ),
    _row(
        "date",
        "MONTH",
        "1997-11",
        fr="Cela a commencé en [novembre].",
        es="Empezó en [noviembre].",
        it="È cominciato a [novembre].",
        pt="Começou em [novembro].",
    ),
    _row(
        "reference",
        "NOW",
        "PRESENT_REF",
        fr="[Maintenant], c'est trop tard.",
        es="[Ahora] es demasiado tarde.",
        it="[Adesso] è troppo tardi.",
        pt="[Agora] é tarde demais.",
    ),
)

# Before anything counts by them, so that "two years and three months ago" is one.
_DURATIONS = (
    _row(
        "durations",
        'DURATION ("," | AND)? DURATION',
        "P2Y3M",
        fr="Cela a duré [deux ans et trois mois].",
        es="Duró [dos años y tres meses].",
        it="È durato [due anni e tre mesi].",
        pt="Durou [dois anos e três meses].",
    ),
)

_COUNTED = (
    _row(
        "ago",
        "AGO_BEFORE (ABOUT | MORE)? DURATION AGO_AFTER?",
        "1998-03-02",
        fr="Elle est venue [il y a trois jours].",
        es="Vino [hace tres días].",
        pt="Veio [há três dias].",
    ),
    _row(
        "ago",
        "DURATION (LAST)? AGO_AFTER",
        "1998-03-02",
        es="Vino [tres días atrás].",
        it="È venuta [tre giorni fa].",
        pt="Veio [três dias atrás].",
    ),
    _row(
        "ahead",
        "SOON (ABOUT | MORE)? DURATION",
        "1998-W12",
        fr="Elle viendra [dans deux semaines].",
        es="Vendrá [dentro de dos semanas].",
        it="Verrà [tra due settimane].",
        pt="Virá [daqui a duas semanas].",
    ),
    _row(
        "within",
        "IN (ABOUT | MORE)? DURATION",
        "1998-03-07",
        es="Volverá [en dos días].",
        it="Tornerà [in due giorni].",
        pt="Voltará [em dois dias].",
    ),
    _row(
        "later",
        "DURATION (LATER | AFTER !(DE | DEL | ARTICLE | ARTICLES | AL | DAY | PERIOD | TIME | MOMENT))",
        "1944-06-08",
        fr="Il vint le 6 juin 1944. [Deux jours plus tard], il partit.",
        es="Vino el 6 de junio de 1944. [Dos días después] se fue.",
        it="Venne il 6 giugno 1944. [Due giorni dopo] partì.",
        pt="Veio em 6 de junho de 1944. [Dois dias depois] partiu.",
    ),
    _row(
        "later",
        "AFTER DURATION",
        "1944-06-08",
        fr="Il vint le 6 juin 1944. [Après deux jours], il partit.",
        es="Vino el 6 de junio de 1944. [Tras dos días] se fue.",
        it="Venne il 6 giugno 1944. [Dopo due giorni] partì.",
        pt="Veio em 6 de junho de 1944. [Após dois dias] partiu.",
    ),
    _row(
        "earlier",
        "DURATION (EARLIER | EARLY !(DE | DEL | ARTICLE | ARTICLES | AL | DAY | PERIOD | TIME | MOMENT))",
        "1942",
        fr="Il mourut en 1944. [Deux ans plus tôt], il vint.",
        es="Murió en 1944. [Dos años antes] vino.",
        it="Morì nel 1944. [Due anni prima] venne.",
        pt="Morreu em 1944. [Dois anos antes] veio.",
    ),
    _row(
        "part_of",
        'PART (OF | "-")? (PERIOD | DAY)',
        "1998-W09",
        fr="Elle est venue à la [fin de la semaine dernière].",
        es="Vino a [finales de la semana pasada].",
        it="È venuta alla [fine della settimana scorsa].",
        pt="Veio no [fim da semana passada].",
    ),
    _row(
        "this_part",
        "PART OF? UNIT",
        "1998-03",
        fr="Elle part à la [fin du mois].",
        es="Se va a [fin de mes].",
        it="Parte a [fine mese].",
        pt="Parte no [fim do mês].",
    ),
    _row(
        "about",
        "(ABOUT | TOWARD | EXACTLY) (AT THE? | DE? THE | DEL | AL | HOUR_CUE | HOUR_FROM)?"
        " (TIME | MOMENT | PERIOD | DAY)",
        "T18",
        fr="Elle viendra [vers 18 heures].",
        es="Vendrá [hacia las 18h].",
        it="Verrà [verso le 18h].",
        pt="Virá [por volta das 18h].",
    ),
)

_CLOCKS = (
    _row(
        "range_of",
        "(START | BY)? TIME TO TIME | BETWEEN THE? TIME AND THE? TIME",
        "1998-03-05T09:30/1998-03-05T11:00",
        fr="Il est là [de 9h30 à 11h00].",
        es="Está [de 9:30 a 11:00].",
        it="C'è [dalle 9:30 alle 11:00].",
        pt="Ele fica [das 9h30 às 11h00].",
    ),
    _row(
        "range_of_numbers",
        '(START) (SMALL_NUMBER | NUMBER_WORD) TO TIME | SMALL_NUMBER "-" TIME',
        "1998-03-05T09/1998-03-05T17",
        fr="Il est là [de 9 à 17h].",
        es="Está [de 9 a 17h].",
        it="Aperto [9-17h].",
        pt="Aberto [9-17h].",
    ),
    _row(
        "range_of_numbers",
        "BETWEEN THE? (SMALL_NUMBER | NUMBER_WORD) AND THE? TIME",
        "1998-03-05T09/1998-03-05T17",
        fr="Il est là [entre 9 et 17h].",
        es="Está [entre 9 y 17h].",
        it="C'è [tra 9 e 17h].",
        pt="Fica [entre 9 e 17h].",
    ),
)

_JOINED = (
    _row(
        "share_of",
        "(ORD | LAST) SHARE OF (UNIT DE)? PERIOD",
        "1700/1749",
        fr="Dans la [première moitié du XVIIIe siècle].",
        es="En la [primera mitad del siglo XVIII].",
        it="Nella [prima metà del XVIII secolo].",
        pt="Na [primeira metade do século XVIII].",
    ),
    _row(
        "after_time",
        "DURATION (AFTER | LATER) (DE THE? | DEL | THE | AL)? (DAY | PERIOD)",
        "2020-05-07",
        fr="[Deux jours après le 5 mai 2020], il vint.",
        es="[Dos días después del 5 de mayo de 2020] vino.",
        it="[Due giorni dopo il 5 maggio 2020] venne.",
        pt="[Dois dias depois de 5 de maio de 2020] veio.",
    ),
    _row(
        "before_time",
        "DURATION (EARLY | EARLIER) (DE THE? | DEL | THE | AL)? (DAY | PERIOD)",
        "2020-05-03",
        fr="[Deux jours avant le 5 mai 2020], il vint.",
        es="[Dos días antes del 5 de mayo de 2020] vino.",
        it="[Due giorni prima del 5 maggio 2020] venne.",
        pt="[Dois dias antes de 5 de maio de 2020] veio.",
    ),
    _row(
        "day_and_time",
        "<(ARTICLE | NEL | UNIT) SMALL_NUMBER GLUE{0,2} TIME",
        "1998-03-16T18:00",
        fr="Elle viendra le [16 à 18h].",
        es="Vendrá el [16 a las 18h].",
        it="Verrà il [16 alle 18h].",
        pt="Virá no [16 às 18h].",
    ),
    _row(
        "join",
        "NODE GLUE{0,2} NODE",
        "2014-07-18",
        fr="Le [vendredi 18 juillet 2014].",
        es="El [viernes, 18 de julio de 2014].",
        it="[Venerdì 18 luglio 2014].",
        pt="Na [sexta-feira, 18 de julho de 2014].",
    ),
)

_RANGES = (
    _row(
        "range_of",
        "START? NODE TO NODE",
        "1998-05-04/1998-05-06",
        fr="Il part [du 4 mai au 6 mai].",
        es="Estará fuera [del 4 de mayo al 6 de mayo].",
        it="È via [dal 4 maggio al 6 maggio].",
        pt="Vai estar fora [de 4 de maio a 6 de maio].",
    ),
    _row(
        "range_of",
        "BETWEEN THE? NODE AND (THE | DEL)? NODE",
        "1997-03/1997-05",
        fr="C'était la guerre [entre mars et mai 1997].",
        es="Hubo guerra [entre marzo y mayo de 1997].",
        it="Ci fu la guerra [tra marzo e maggio 1997].",
        pt="Houve guerra [entre março e maio de 1997].",
    ),
    _row(
        "range_of_numbers",
        "(START) UNIT? (SMALL_NUMBER | ORDINAL | NUMBER_WORD) TO (DAY | TIME | MOMENT)"
        ' | (SMALL_NUMBER | ORDINAL) ("-" | AL | AT | UNTIL (AL | THE)?) (DAY | MOMENT)',
        "1998-05-04/1998-05-06",
        fr="Il part [du 4 au 6 mai].",
        es="Estará fuera [del 4 al 6 de mayo].",
        it="È via [dal 4 al 6 maggio].",
        pt="Vai estar fora [de 4 a 6 de maio].",
    ),
    _row(
        "range_of_numbers",
        "BETWEEN THE? (SMALL_NUMBER | ORDINAL | NUMBER_WORD) AND THE? (DAY | TIME | MOMENT)",
        "1998-05-04/1998-05-06",
        fr="Il part [entre le 4 et le 6 mai].",
        es="Estará fuera [entre el 4 y el 6 de mayo].",
        it="È via [tra il 4 e il 6 maggio].",
        pt="Vai estar fora [entre 4 e 6 de maio].",
    ),
    _row(
        "since",
        "(SINCE | AFTER) (DE THE? | DEL | THE | AL)? TIME",
        "1998-03-05T14:00/..",
        fr="Nous ouvrons [dès 14h00].",
        es="Abrimos [desde las 14:00].",
        it="Apriamo [dalle 14:00].",
        pt="Abrimos [desde as 14h00].",
    ),
    _row(
        "until",
        "(UNTIL | EARLY) (DE THE? | AT THE? | DEL | AL | THE | HOUR_CUE)? TIME",
        "../1998-03-05T11:00",
        fr="Nous ouvrons [jusqu'à 11h00].",
        es="Abrimos [hasta las 11:00].",
        it="Apriamo [fino alle 11:00].",
        pt="Abrimos [até as 11h00].",
    ),
)

_DAYS = (
    _row(
        "join",
        "(DAY | PERIOD) GLUE{0,2} RANGE",
        "1998-03-06T09:30/1998-03-06T11:00",
        fr="Il sera là [vendredi de 9h30 à 11h00].",
        es="Estará el [viernes de 9:30 a 11:00].",
        it="Ci sarà [venerdì dalle 9:30 alle 11:00].",
        pt="Estará na [sexta-feira das 9h30 às 11h00].",
    ),
    _row(
        "join",
        "RANGE GLUE{0,2} (DAY | PERIOD)",
        "1998-03-06T09:30/1998-03-06T11:00",
        fr="Il sera là [de 9h30 à 11h00 vendredi].",
        es="Estará [de 9:30 a 11:00 el viernes].",
        it="Ci sarà [dalle 9:30 alle 11:00 di venerdì].",
        pt="Estará [das 9h30 às 11h00 de sexta-feira].",
    ),
)


def build_layers(code: str, *own: Sequence[Rule]) -> tuple[tuple[Rule, ...], ...]:
    """The layers of a language: in each, its own rows, and behind them the shared rows that have an example in it."""
    shared = (_WORDS, _DURATIONS, _COUNTED, _CLOCKS, _JOINED, _RANGES, _DAYS)
    mine = (*own, *(() for _ in range(len(shared) - len(own))))
    return tuple(
        (
            *rows,
            *(Rule(row.function, row.pattern, row.examples[code], row.value) for row in layer if code in row.examples),
        )
        for rows, layer in zip(mine, shared, strict=True)
    )
