"""Questions about ordinary things that no document of a corpus has: bicycles, cheese, burials.

A name that is unknown looks like one; of these words only the documents tell. The two splits share neither words nor
wordings.
"""

from __future__ import annotations

import random
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from epochal.storage.records import Document
from epochal_lab.datasets.timed.questions import SPLITS, Split, TimedCorpus, TimedQuestion, number_questions
from epochal_lab.datasets.timed.wording import name_month
from epochal_lab.datasets.timed.words import find_known_names

_NOUNS: Final[dict[Split, tuple[str, ...]]] = {
    "train": tuple(
        "acrobats almonds antelopes apricots aquariums armchairs avalanches badgers bakeries bagpipes barbers beavers "
        "bicycles blankets blueberries bonfires bracelets broccoli buffaloes butterflies cabbages candles canoes "
        "carpenters carpets caterpillars cathedrals cauliflower cellos chimneys cinnamon clarinets cobblers coconuts "
        "cranberries crocodiles cucumbers cupboards curtains daffodils dandelions dentists dolphins donkeys dungeons "
        "earrings eggplants elevators embroidery falcons fireplaces flamingos fountains funerals furnaces gardeners "
        "garlic geysers giraffes glaciers goldfish grapefruit grasshoppers greenhouses hammocks harvests hedgehogs "
        "helmets hikers honey horseshoes icebergs igloos jellyfish jewellery kayaks kettles kittens ladders lanterns "
        "laundry lemonade librarians lighthouses lobsters locomotives lullabies "
        "actors apples bears boats bread breakfast cheese coffee cows dancers doctors ducks farmers flowers forests "
        "grandmothers guitars hats horses hotels ice kings kitchens knives lawyers lions milk mountains nurses "
        "painters pigs poets priests rain restaurants rivers sailors salt sheep shoes snow".split()
    ),
    "report": tuple(
        "magicians mandolins marathons marmalade mattresses meadows meteorites monasteries mosquitoes motorcycles "
        "mushrooms mustard necklaces noodles nurseries oboes octopuses olives orchards orchids ostriches oysters "
        "pancakes parachutes parrots pastries peacocks pelicans penguins perfume pianos pickles pigeons pillows "
        "pineapples plumbers pottery pumpkins puppets pyramids rabbits raccoons radishes rainbows raspberries "
        "reindeer rhubarb ribbons rollerskates roosters saffron sailboats sandals sandwiches saxophones scarecrows "
        "scarves sculptors seagulls sheepdogs shepherds skateboards snowmen sofas spinach squirrels stables "
        "starfish strawberries submarines sunflowers surfboards swans swimsuits tailors tambourines teapots thimbles "
        "toothpaste tortoises trampolines trombones tulips turnips umbrellas unicycles vanilla vineyards violins "
        "walnuts wardrobes waterfalls weddings whales windmills wrestlers xylophones yoghurt zebras "
        "artists bananas beaches birds bridges cakes castles chickens chocolate cinemas clothes dogs dinner dresses "
        "eggs elephants fathers fish gardens gas gold hills hospitals islands judges lakes meat monkeys music oceans "
        "oranges pilots poems potatoes queens rice roses schools ships singers soldiers soup sugar".split()
    ),
}
_WORDINGS: Final[dict[Split, tuple[str, ...]]] = {
    "train": (
        "What happened to {n} in {y}?",
        "news about {n} in {m}",
        "{n} in {y}",
        "What is known about {n} since {y}?",
        "the latest on {n}",
        "Which {n} were mentioned in {m}?",
        "Was there anything about {n} before {y}?",
        "the newest text about {n}",
        "How did {n} change between {y} and {z}?",
        "What did it say about {n} in {m}?",
        "Is anything said about {n}?",
        "{n}",
    ),
    "report": (
        "Is there anything on {n} from {y}?",
        "{n} {y}",
        "what was written about {n} in {m}",
        "Were {n} discussed in {y}?",
        "most recent information regarding {n}",
        "What was decided about {n} in {m}?",
        "Tell me about {n} in the year {y}.",
        "the first mention of {n}",
        "reports of {n} after {y}",
        "Everything about {n} from {y} to {z}",
    ),
}
#: Questions of each split.
_COUNT: Final = 50
#: The years that are asked for where the documents have no dates.
_YEARS: Final = (1960, 2015)


def ask_about_absent_things(corpus: TimedCorpus, seed: int = 0) -> TimedCorpus:
    """The corpus with questions about things that none of its documents has."""
    known = sorted(find_known_names(f"{document.title}\n{document.text}" for document in corpus.documents))
    now = max((question.now for question in corpus.questions), key=lambda span: span.end)
    first, last = _find_years(corpus.documents)
    questions = []
    for split in SPLITS:
        rng = random.Random(f"absent-{corpus.name}-{split}-{seed}")
        nouns = [noun for noun in _NOUNS[split] if not _is_known(noun, known)]
        for number, noun in enumerate(rng.sample(nouns, min(_COUNT, len(nouns)))):
            year = rng.randint(first, last)
            wording = _WORDINGS[split][number % len(_WORDINGS[split])]
            month = name_month(f"{year:04}-{rng.randrange(1, 13):02}", rng)
            text = wording.format(n=noun, y=year, z=min(year + 2, last), m=month)
            questions.append(
                TimedQuestion(
                    "",
                    text,
                    "absent_noun",
                    corpus.name,
                    now,
                    outcome="topic_unknown",
                    on_topic=frozenset(),
                    absent=noun,
                    group=noun,
                    split=split,
                )
            )
    return replace(corpus, questions=(*corpus.questions, *number_questions(questions)))


def _is_known(noun: str, known: Sequence[str]) -> bool:
    """Whether any of the sorted words begins like a noun: bicycle and bicycling like bicycles."""
    stem = noun[: max(4, len(noun) - 3)]
    place = bisect_left(known, stem)
    return place < len(known) and known[place].startswith(stem)


def _find_years(documents: Sequence[Document]) -> tuple[int, int]:
    spans = [span for document in documents if (span := document.published or document.valid) is not None]
    years = [int(edtf[:4]) for span in spans if (edtf := span.edtf())[:4].isdigit()]
    return (min(years), max(years)) if years else _YEARS
