"""Rows of the later layers, which read times that the first layer made: what is counted, joined, or a range."""

from __future__ import annotations

from epochal.reading.romance.row import row

__all__ = ["CLOCK_RANGES", "COUNTED", "DAYS", "DURATIONS", "JOINED", "RANGES"]

#: Before anything counts by them, so that "two years and three months ago" is one.
DURATIONS = (
    row(
        "durations",
        'DURATION ("," | AND)? DURATION',
        "P2Y3M",
        fr="Cela a duré [deux ans et trois mois].",
        es="Duró [dos años y tres meses].",
        it="È durato [due anni e tre mesi].",
        pt="Durou [dois anos e três meses].",
    ),
)

COUNTED = (
    row(
        "since_ago",
        "<FROM AGO_BEFORE (ABOUT | MORE)? DURATION",
        "P2Y",
        es="Vive aquí desde [hace dos años].",
        pt="Vive aqui desde [há dois anos].",
    ),
    row(
        "ago",
        "AGO_BEFORE (ABOUT | MORE)? DURATION AGO_AFTER?",
        "1998-03-02",
        fr="Elle est venue [il y a trois jours].",
        es="Vino [hace tres días].",
        pt="Veio [há três dias].",
    ),
    row(
        "ago",
        "DURATION (LAST)? AGO_AFTER",
        "1998-03-02",
        es="Vino [tres días atrás].",
        it="È venuta [tre giorni fa].",
        pt="Veio [três dias atrás].",
    ),
    row(
        "ahead",
        "SOON (ABOUT | MORE)? DURATION",
        "1998-W12",
        fr="Elle viendra [dans deux semaines].",
        es="Vendrá [dentro de dos semanas].",
        it="Verrà [tra due settimane].",
        pt="Virá [daqui a duas semanas].",
    ),
    row(
        "within",
        "IN (ABOUT | MORE)? DURATION",
        "1998-03-07",
        es="Volverá [en dos días].",
        it="Tornerà [in due giorni].",
        pt="Voltará [em dois dias].",
    ),
    row(
        "later",
        "DURATION (LATER | AFTER !(DE | DEL | ARTICLE | ARTICLES | AL | DAY | PERIOD | TIME | MOMENT))",
        "1944-06-08",
        fr="Il vint le 6 juin 1944. [Deux jours plus tard], il partit.",
        es="Vino el 6 de junio de 1944. [Dos días después] se fue.",
        it="Venne il 6 giugno 1944. [Due giorni dopo] partì.",
        pt="Veio em 6 de junho de 1944. [Dois dias depois] partiu.",
    ),
    row(
        "later",
        "AFTER DURATION",
        "1944-06-08",
        fr="Il vint le 6 juin 1944. [Après deux jours], il partit.",
        es="Vino el 6 de junio de 1944. [Tras dos días] se fue.",
        it="Venne il 6 giugno 1944. [Dopo due giorni] partì.",
        pt="Veio em 6 de junho de 1944. [Após dois dias] partiu.",
    ),
    row(
        "earlier",
        "DURATION (EARLIER | EARLY !(DE | DEL | ARTICLE | ARTICLES | AL | DAY | PERIOD | TIME | MOMENT))",
        "1942",
        fr="Il mourut en 1944. [Deux ans plus tôt], il vint.",
        es="Murió en 1944. [Dos años antes] vino.",
        it="Morì nel 1944. [Due anni prima] venne.",
        pt="Morreu em 1944. [Dois anos antes] veio.",
    ),
    row(
        "part_of",
        'PART (OF | "-")? (PERIOD | DAY)',
        "1998-W09",
        fr="Elle est venue à la [fin de la semaine dernière].",
        es="Vino a [finales de la semana pasada].",
        it="È venuta alla [fine della settimana scorsa].",
        pt="Veio no [fim da semana passada].",
    ),
    row(
        "first_units",
        "(ORD | LAST) UNIT OF PERIOD",
        "1986",
        fr="Dans les [premiers mois de 1986], il plut.",
        es="En los [primeros meses de 1986] llovió.",
        it="Nei [primi mesi del 1986] piovve.",
        pt="Nos [primeiros meses de 1986] choveu.",
    ),
    row(
        "this_part",
        "PART OF? UNIT",
        "1998-03",
        fr="Elle part à la [fin du mois].",
        es="Se va a [fin de mes].",
        it="Parte a [fine mese].",
        pt="Parte no [fim do mês].",
    ),
    row(
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

CLOCK_RANGES = (
    row(
        "range_of",
        "(START | BY)? TIME TO TIME | BETWEEN THE? TIME AND THE? TIME",
        "1998-03-05T09:30/1998-03-05T11:00",
        fr="Il est là [de 9h30 à 11h00].",
        es="Está [de 9:30 a 11:00].",
        it="C'è [dalle 9:30 alle 11:00].",
        pt="Ele fica [das 9h30 às 11h00].",
    ),
    row(
        "range_of_numbers",
        '(START) (SMALL_NUMBER | NUMBER_WORD) TO TIME | SMALL_NUMBER "-" TIME',
        "1998-03-05T09/1998-03-05T17",
        fr="Il est là [de 9 à 17h].",
        es="Está [de 9 a 17h].",
        it="Aperto [9-17h].",
        pt="Aberto [9-17h].",
    ),
    row(
        "range_of_numbers",
        "BETWEEN THE? (SMALL_NUMBER | NUMBER_WORD) AND THE? TIME",
        "1998-03-05T09/1998-03-05T17",
        fr="Il est là [entre 9 et 17h].",
        es="Está [entre 9 y 17h].",
        it="C'è [tra 9 e 17h].",
        pt="Fica [entre 9 e 17h].",
    ),
)

JOINED = (
    row(
        "share_of",
        "(ORD | LAST) SHARE OF (UNIT DE)? PERIOD",
        "1700/1749",
        fr="Dans la [première moitié du XVIIIe siècle].",
        es="En la [primera mitad del siglo XVIII].",
        it="Nella [prima metà del XVIII secolo].",
        pt="Na [primeira metade do século XVIII].",
    ),
    row(
        "after_time",
        "DURATION (AFTER | LATER) (DE THE? | DEL | THE | AL)? (DAY | PERIOD)",
        "2020-05-07",
        fr="[Deux jours après le 5 mai 2020], il vint.",
        es="[Dos días después del 5 de mayo de 2020] vino.",
        it="[Due giorni dopo il 5 maggio 2020] venne.",
        pt="[Dois dias depois de 5 de maio de 2020] veio.",
    ),
    row(
        "before_time",
        "DURATION (EARLY | EARLIER) (DE THE? | DEL | THE | AL)? (DAY | PERIOD)",
        "2020-05-03",
        fr="[Deux jours avant le 5 mai 2020], il vint.",
        es="[Dos días antes del 5 de mayo de 2020] vino.",
        it="[Due giorni prima del 5 maggio 2020] venne.",
        pt="[Dois dias antes de 5 de maio de 2020] veio.",
    ),
    row(
        "day_and_time",
        "<(ARTICLE | NEL | UNIT) SMALL_NUMBER GLUE{0,2} TIME",
        "1998-03-16T18:00",
        fr="Elle viendra le [16 à 18h].",
        es="Vendrá el [16 a las 18h].",
        it="Verrà il [16 alle 18h].",
        pt="Virá no [16 às 18h].",
    ),
    row(
        "join",
        "NODE GLUE{0,2} NODE",
        "2014-07-18",
        fr="Le [vendredi 18 juillet 2014].",
        es="El [viernes, 18 de julio de 2014].",
        it="[Venerdì 18 luglio 2014].",
        pt="Na [sexta-feira, 18 de julho de 2014].",
    ),
)

RANGES = (
    row(
        "range_in_sentence",
        "START? NODE TO NODE",
        "1998-05-04/1998-05-06",
        fr="Il part [du 4 mai au 6 mai].",
        es="Estará fuera [del 4 de mayo al 6 de mayo].",
        it="È via [dal 4 maggio al 6 maggio].",
        pt="Vai estar fora [de 4 de maio a 6 de maio].",
    ),
    row(
        "range_of",
        "BETWEEN THE? NODE AND (THE | DEL)? NODE",
        "1997-03/1997-05",
        fr="C'était la guerre [entre mars et mai 1997].",
        es="Hubo guerra [entre marzo y mayo de 1997].",
        it="Ci fu la guerra [tra marzo e maggio 1997].",
        pt="Houve guerra [entre março e maio de 1997].",
    ),
    row(
        "range_of_numbers",
        "(START) UNIT? (SMALL_NUMBER | ORDINAL | NUMBER_WORD) TO (DAY | TIME | MOMENT)"
        ' | (SMALL_NUMBER | ORDINAL) ("-" | AL | AT | UNTIL (AL | THE)?) (DAY | MOMENT)',
        "1998-05-04/1998-05-06",
        fr="Il part [du 4 au 6 mai].",
        es="Estará fuera [del 4 al 6 de mayo].",
        it="È via [dal 4 al 6 maggio].",
        pt="Vai estar fora [de 4 a 6 de maio].",
    ),
    row(
        "range_of_numbers",
        "BETWEEN THE? (SMALL_NUMBER | ORDINAL | NUMBER_WORD) AND THE? (DAY | TIME | MOMENT)",
        "1998-05-04/1998-05-06",
        fr="Il part [entre le 4 et le 6 mai].",
        es="Estará fuera [entre el 4 y el 6 de mayo].",
        it="È via [tra il 4 e il 6 maggio].",
        pt="Vai estar fora [entre 4 e 6 de maio].",
    ),
    row(
        "since",
        "(SINCE | AFTER) (DE THE? | DEL | THE | AL)? TIME",
        "1998-03-05T14:00/..",
        fr="Nous ouvrons [dès 14h00].",
        es="Abrimos [desde las 14:00].",
        it="Apriamo [dalle 14:00].",
        pt="Abrimos [desde as 14h00].",
    ),
    row(
        "until",
        "(UNTIL | EARLY) (DE THE? | AT THE? | DEL | AL | THE | HOUR_CUE)? TIME",
        "../1998-03-05T11:00",
        fr="Nous ouvrons [jusqu'à 11h00].",
        es="Abrimos [hasta las 11:00].",
        it="Apriamo [fino alle 11:00].",
        pt="Abrimos [até as 11h00].",
    ),
)

DAYS = (
    row(
        "join",
        "(DAY | PERIOD) GLUE{0,2} RANGE",
        "1998-03-06T09:30/1998-03-06T11:00",
        fr="Il sera là [vendredi de 9h30 à 11h00].",
        es="Estará el [viernes de 9:30 a 11:00].",
        it="Ci sarà [venerdì dalle 9:30 alle 11:00].",
        pt="Estará na [sexta-feira das 9h30 às 11h00].",
    ),
    row(
        "join",
        "RANGE GLUE{0,2} (DAY | PERIOD)",
        "1998-03-06T09:30/1998-03-06T11:00",
        fr="Il sera là [de 9h30 à 11h00 vendredi].",
        es="Estará [de 9:30 a 11:00 el viernes].",
        it="Ci sarà [dalle 9:30 alle 11:00 di venerdì].",
        pt="Estará [das 9h30 às 11h00 de sexta-feira].",
    ),
)
