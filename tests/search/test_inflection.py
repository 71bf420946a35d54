"""Questions in languages that inflect words: what documents have in another form is found, and the response says so."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from epochal import Document, Index
from epochal.search.rewriting import replace_words
from epochal.times import Span

Filler = Callable[[list[Document]], Index]

TEXTS = {
    "ar": [
        ("bridge20", "2020-03-01", "أغلقت البلدية الجسر القديم أمام الشاحنات."),
        ("bridge24", "2024-01-05", "افتتح الوزير جسرا جديدا فوق النهر."),
        ("school", "2021-09-01", "استقبلت المدرسة الجديدة أول التلاميذ."),
        ("library", "2022-10-10", "أعيد افتتاح مكتبة المدينة بعد الترميم."),
        ("election", "2023-06-10", "جرت الانتخابات في تايلاند وشارك فيها كثيرون."),
        ("rain", "2021-07-20", "غمرت الأمطار شوارع الحي."),
    ],
    "ru": [
        ("rail20", "2020-03-01", "Железная дорога закрыла участок у Твери."),
        ("rail24", "2024-01-05", "Железная дорога опубликовала расписание поездов на праздники."),
        ("thai", "2023-06-10", "В Таиланде прошли выборы, избиратели голосовали."),
        ("library", "2022-09-01", "Библиотека на Садовой улице открылась после ремонта."),
        ("bridge", "2021-07-20", "Мост через Волгу закрыли для грузовиков."),
        ("market", "2022-02-11", "Фондовый рынок упал, инвесторы обеспокоены."),
    ],
    "de": [
        ("pool20", "2020-06-01", "Das Freibad bleibt geschlossen."),
        ("pool24", "2024-05-20", "Das Freibad öffnet mit neuer Rutsche."),
        ("kindergarten", "2021-09-01", "Der Kindergarten bekam eine neue Küche."),
        ("bridge", "2022-10-10", "Die Brücke am Markt wurde gesperrt."),
        ("tree", "2023-07-07", "Ein Baum stürzte auf die Straße."),
        ("book", "2019-03-03", "Das Buch über die Stadtgeschichte erschien."),
    ],
    "es": [
        ("luz20", "2020-06-01", "La luz de la plaza se apagó."),
        ("luz24", "2024-05-20", "La luz de la plaza vuelve a funcionar."),
        ("hospital", "2021-09-01", "El hospital comarcal abrió una sala."),
        ("lapiz", "2022-10-10", "La fábrica de lápiz cerró."),
        ("arbol", "2023-07-07", "Un árbol cayó sobre la calle."),
        ("juez", "2019-03-03", "El juez dimitió."),
    ],
    "it": [
        ("parco20", "2020-06-01", "Il parco resta chiuso."),
        ("parco24", "2024-05-20", "Il parco riapre con nuove panchine."),
        ("ospedale", "2021-09-01", "L'ospedale ha una nuova sala."),
        ("strada", "2022-10-10", "La strada del mercato è chiusa."),
        ("albero", "2023-07-07", "Un albero è caduto."),
        ("libro", "2019-03-03", "Il libro sulla città è uscito."),
    ],
    "nl": [
        ("tarief22", "2022-05-01", "Het tarief voor bewoners is 40 euro."),
        ("tarief24", "2024-01-01", "Het tarief voor bewoners stijgt naar 60 euro."),
        ("school", "2021-07-20", "Een school op het platteland kreeg een prijs."),
        ("krant", "2023-09-01", "De plaatselijke krant stopte."),
        ("bos", "2022-08-11", "Het bos brandde drie dagen."),
        ("brug", "2020-03-01", "De oude brug werd gesloten."),
    ],
    "pt": [
        ("taxa22", "2022-05-01", "A taxa municipal é de 40 euros."),
        ("taxa24", "2024-01-01", "A taxa municipal sobe para 60 euros."),
        ("escola", "2021-07-20", "Uma escola rural recebeu um prêmio."),
        ("jornal", "2023-09-01", "O jornal local fechou."),
        ("eleicao", "2022-08-11", "A eleição foi adiada."),
        ("ponte", "2020-03-01", "A ponte velha foi fechada."),
    ],
    "fr": [
        ("taxe22", "2022-05-01", "La taxe communale est de 40 euros."),
        ("taxe24", "2024-01-01", "La taxe communale passe à 60 euros."),
        ("ecole", "2021-07-20", "Une école rurale a reçu un prix."),
        ("journal", "2023-09-01", "Le journal local a cessé de paraître."),
        ("bois", "2022-08-11", "Le château a brûlé pendant trois jours."),
        ("pont", "2020-03-01", "Le vieux pont a été fermé."),
    ],
}


@pytest.mark.parametrize(
    ("language", "question", "first", "outcomes"),
    [
        ("ar", "المكتبة في عام 2022", "library", ("recorded",)),
        ("ar", "مدرسة جديدة في 2021", "school", ("recorded",)),
        ("ar", "انتخابات تايلاند في يونيو 2023", "election", ("recorded",)),
        ("ar", "أمطار يوليو 2021", "rain", ("recorded",)),
        ("ar", "آخر أخبار الشطرنج", None, ("topic_unknown",)),
        ("ar", "مكتبات في 2022", "library", ("recorded",)),
        ("ru", "последние новости о железной дороге", "rail24", ("recorded",)),
        ("ru", "самая старая статья о железной дороге", "rail20", ("recorded",)),
        ("ru", "ремонт библиотеки в 2022 году", "library", ("recorded",)),
        ("ru", "новости о железной дороге в июне 2023 года", None, ("none_recorded", "not_covered")),
        ("ru", "последние новости об аккордеоне", None, ("topic_unknown",)),
        ("de", "die neuesten Meldungen zu Freibädern", "pool24", ("recorded",)),
        ("de", "Kindergärten im Jahr 2021", "kindergarten", ("recorded",)),
        ("de", "gestürzte Bäume im Juli 2023", "tree", ("recorded",)),
        ("de", "Brücken im Jahr 2018", None, ("none_recorded", "not_covered")),
        ("de", "die neuesten Meldungen zu Kamelen", None, ("topic_unknown",)),
        ("es", "las últimas noticias sobre las luces de la plaza", "luz24", ("recorded",)),
        ("es", "árboles caídos en julio de 2023", "arbol", ("recorded",)),
        ("es", "jueces en 2019", "juez", ("recorded",)),
        ("es", "hospitales en 2018", None, ("none_recorded", "not_covered")),
        ("es", "las últimas noticias sobre camellos", None, ("topic_unknown",)),
        ("it", "le ultime notizie sui parchi", "parco24", ("recorded",)),
        ("it", "alberi caduti a luglio 2023", "albero", ("recorded",)),
        ("it", "libri del 2019", "libro", ("recorded",)),
        ("it", "ospedali nel 2018", None, ("none_recorded", "not_covered")),
        ("it", "le ultime notizie sui cammelli", None, ("topic_unknown",)),
        ("nl", "de laatste tarieven voor bewoners", "tarief24", ("recorded",)),
        ("nl", "scholen in 2021", "school", ("recorded",)),
        ("nl", "kranten in 2023", "krant", ("recorded",)),
        ("nl", "tarieven in maart 2019", None, ("none_recorded", "not_covered")),
        ("nl", "het laatste nieuws over accordeons", None, ("topic_unknown",)),
        ("pt", "as últimas taxas municipais", "taxa24", ("recorded",)),
        ("pt", "jornais locais em 2023", "jornal", ("recorded",)),
        ("pt", "eleições em 2022", "eleicao", ("recorded",)),
        ("pt", "taxas municipais em março de 2019", None, ("none_recorded", "not_covered")),
        ("pt", "as últimas notícias sobre acordeões", None, ("topic_unknown",)),
        ("fr", "les dernières taxes communales", "taxe24", ("recorded",)),
        ("fr", "les journaux locaux en 2023", "journal", ("recorded",)),
        ("fr", "châteaux brûlés en 2022", "bois", ("recorded",)),
        ("fr", "taxes communales en mars 2019", None, ("none_recorded", "not_covered")),
        ("fr", "les dernières nouvelles sur les accordéons", None, ("topic_unknown",)),
    ],
)
def test_questions_find_other_forms_and_deny_what_is_not_there(
    shared: Callable[..., Index], language: str, question: str, first: str | None, outcomes: tuple[str, ...]
) -> None:
    response = shared(language, TEXTS[language]).search(question, now="2024-06-01")
    assert response.outcome in outcomes
    assert first is None or response[0].id == first


def test_the_response_says_in_which_form_a_word_was_found(filled: Filler) -> None:
    response = filled([Document("a", "Il parco resta chiuso."), Document("b", "La strada è lunga.")]).search("parchi")
    assert response[0].id == "a"
    assert response.question == "parchi"
    assert [step.sentence for step in response.applied if step.name == "form"] == [
        "reads “parchi” as “parco”, as the documents write it"
    ]


@pytest.mark.parametrize(
    "question", ["Photoshop releases in 2022", "What did Novak do?", "the parcs of Rome", "news of June", "ponti"]
)
def test_english_documents_and_what_is_found_leave_words_as_they_are(filled: Filler, question: str) -> None:
    documents = [Document("a", "The park of Rome was closed in June."), Document("b", "Two ponti were opened.")]
    response = filled(documents).search(question, now="2024-06-01")
    assert not [step for step in response.applied if step.name == "form"]


def test_times_are_reported_where_the_question_has_them(filled: Filler) -> None:
    question = "parchi comunali nel 2022 e dopo il 3 maggio 2021"
    document = Document("a", "Il parco comunale resta chiuso.", published=Span.parse("2022-05-01"))
    response = filled([document]).search(question, now="2024-06-01")
    assert [step.name for step in response.applied if step.name == "form"]
    for item in response.understanding.expressions:
        assert question[item.start_char : item.end_char] == item.text


def test_words_are_replaced_whole() -> None:
    assert replace_words("boschi e boschetti", {"boschi": "bosco"}).question == "bosco e boschetti"
