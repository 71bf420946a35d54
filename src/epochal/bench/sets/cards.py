"""The cards of the sets: what one should know before trusting a figure measured on them."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from epochal.bench.records import Card

__all__ = ["CARDS", "TEMPO_SIZES", "tempo_card"]

#: By domain, the documents and questions that TEMPO's paper states.
TEMPO_SIZES: Final = MappingProxyType(
    {
        "bitcoin": (153_291, 100),
        "cardano": (87_201, 51),
        "economics": (93_756, 83),
        "genealogy": (156_228, 115),
        "history": (356_493, 801),
        "hsm": (213_818, 150),
        "iota": (10_372, 10),
        "law": (43_288, 35),
        "monero": (85_093, 65),
        "politics": (183_394, 150),
        "quant": (28_785, 34),
        "travel": (177_677, 100),
        "workplace": (64_659, 36),
    }
)

_TEMPO_NOTES: Final = (
    "The published code takes each question's mined hard negatives out of its own ranking (mode excl), so that they "
    "are hard for nobody; BM25 without that reaches about .09 instead of .108. Report both modes.",
    "About 29 in 100 documents of all domains repeat another byte for byte. A copy of a gold document that is not gold "
    "itself costs nDCG.",
    "Published averages differ in kind: nDCG is a mean over the 13 domains, the judged measures are means over all "
    "questions, and the code for steps pools steps where the paper averages them within questions first.",
    "Questions and annotations are partly by language models: about 5 in 100 questions are marked as not temporal, and "
    "about 3 in 100 have no proper class (they count as other).",
    "Only gold passages are annotated. The annotations reach the documents only with passages=true, since a system "
    "that sees them is told what is gold; which gold passage covers which period is judged from them in any case.",
)


def tempo_card(domain: str, *, steps: bool = False) -> Card:
    """The card of a domain of TEMPO, or of its steps.

    >>> tempo_card("law").title, tempo_card("law", steps=True).title
    ('TEMPO, law', 'TEMPO, law, steps')
    """
    own = (
        (
            "Steps without a gold document are left out, and so are questions all of whose steps are: 3,976 steps of "
            "1,605 questions stay in all domains, of about 5,669 and 1,730.",
        )
        if steps
        else ()
    )
    return Card(
        f"TEMPO, {domain}{', steps' if steps else ''}",
        "One question a step of a retrieval plan, against the domain's corpus."
        if steps
        else "Questions of Stack Exchange that need evidence from one or several periods, against the domain's corpus.",
        "huggingface.co/datasets/tempo26/Tempo; arXiv:2601.09523",
        "CC BY 4.0; texts from Stack Exchange (CC BY-SA) and the web",
        "en",
        own + _TEMPO_NOTES,
    )


CARDS: Final = MappingProxyType(
    {
        "chunqiutr": Card(
            "ChunQiuTR, rebuilt",
            "Months of the Spring and Autumn Annals by reign, year and month: records, placeholders for months without "
            "any, and later commentaries as near misses.",
            "the annals and their commentaries, with the month splits of ChunQiuTR",
            "public-domain works; the licences of the transcriptions differ",
            "lzh",
            (
                "Rebuilt: the record and query files of the paper are not published, and the wording of the questions "
                "is our own.",
                "Placeholders for months without events carry the month in their text, and nearly all of the published "
                "headline figure is earned on them. Read the event-only rows.",
                "R@K of the paper is a hit rate over about seven gold records a question; recall proper is reported "
                "beside it.",
            ),
        ),
        "zztj": Card(
            "Zizhi Tongjian, Annals of Qi",
            "One question a month; records with a date tag, without, or dated only where the book says so.",
            "Zizhi Tongjian, Qi Ji, as the probe of ChunQiuTR uses it",
            "public-domain work; the licences of the transcriptions differ",
            "lzh",
            (
                "With tags every record repeats its month in the words of the question: BM25 then reaches MRR .9. "
                "Without tags, or in sequence, is the harder task.",
            ),
        ),
        "tnp": Card(
            "Temporal Nobel Prize",
            "Who won which Nobel prize in, before, after, or between years; pages of the laureates.",
            "the test set of TS-Retriever and TMRL",
            "none stated",
            "en",
            (
                "Solvable by rule: the prize and the years of a question name its gold documents exactly. It tests "
                "whether numbers are compared, not whether time is understood.",
                "The pinned copy has 1,671 of the 3,244 questions, and the whole corpus.",
            ),
        ),
        "timeqa": Card(
            "TimeQA, human-written questions",
            "Questions about facts of a page in a stretch of years, against the paragraphs of all pages.",
            "github.com/wenhuchen/Time-Sensitive-QA",
            "BSD-3-Clause",
            "en",
            (
                "Which paragraph is gold follows from where the answer's words stand, so that other paragraphs that "
                "state the same fact do not count.",
            ),
        ),
        "re2bench/rel": Card(
            "Re2Bench Rel, rebuilt",
            "Facts with a stretch of validity asked for at one point in time, beside confusers near in time.",
            "built from TimeQA's human-written questions as Re3 describes",
            "BSD-3-Clause",
            "en",
            ("Rebuilt: the files of the paper are not published, and its count of questions cannot be reached.",),
        ),
        "re2bench/rec": Card(
            "Re2Bench Rec, rebuilt",
            "Versions of one document, of which the freshest at the time of asking is gold.",
            "built from Open Terms Archive, or from HoH's layout, as Re3 describes",
            "ODC-By 1.0",
            "en",
            ("Rebuilt from other documents than the paper's. Chains that return to an older text are left out.",),
        ),
        "re2bench/hyb": Card(
            "Re2Bench Hyb, rebuilt",
            "Forecasts for a day and a city, of which the last issued before the time of asking is gold.",
            "built from forecasts of the US National Weather Service as Re3 describes",
            "US public domain",
            "en",
            ("Rebuilt from other forecasts than the paper's; the time of fetching stands for that of issue.",),
        ),
        "chronoqa": Card(
            "ChronoQA",
            "Chinese questions about time with the day on which they are asked; the chunks that answer them.",
            "ChronoQA, Chinese news of 2019 to 2024",
            "CC BY 4.0",
            "zh",
            (
                "The corpus is the gold chunks of all questions alone, without distractors: figures are higher than "
                "against all news.",
                "Most chunks begin with their date in words. Periods, and which chunk is of which, are read by rule "
                "and are no annotation of the set.",
            ),
        ),
        "scifact": Card(
            "SciFact",
            "Scientific claims against abstracts: no time in it. Guards general retrieval.",
            "BEIR; Wadden et al. 2020",
            "CC BY 4.0 (claims), ODC-By 1.0 (abstracts)",
            "en",
            ("Time plays no part: a temporal system should lose nothing here.",),
        ),
    }
)
