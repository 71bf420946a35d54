"""Questions in Japanese and Korean: what joins their words is no topic, and what no document is about is unknown."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from epochal import Index
from epochal.ranking.script_words import iterate_words

JAPANESE = [
    ("toyota21", "2021-05-12", "トヨタは電気自動車の新しい工場を愛知県に建設すると明らかにした。"),
    ("toyota23", "2023-11-01", "トヨタ自動車は通期の利益見通しを引き上げた。"),
    ("nintendo", "2022-07-13", "任天堂は新型ゲーム機の値上げを否定した。"),
    ("library", "2020-09-01", "市立図書館が改修工事を終えて再開した。"),
    ("library2", "2024-02-15", "市立図書館は土曜日の開館時間を延長する。"),
    ("hospital", "2022-03-03", "県立病院で停電があり、手術が延期された。"),
    ("osaka", "2023-04-09", "大阪府知事選挙で現職が当選した。"),
    ("sakura", "2024-03-29", "東京で桜の開花が発表された。"),
    ("space", "2021-04-23", "宇宙飛行士の星出彰彦さんが国際宇宙ステーションに到着した。"),
    ("rice", "2023-08-20", "猛暑の影響で新潟県の米の品質が低下した。"),
]
KOREAN = [
    ("samsung21", "2021-05-13", "삼성전자는 평택에 반도체 공장을 새로 짓는다고 밝혔다."),
    ("samsung23", "2023-10-31", "삼성전자가 3분기 영업이익을 공시했다."),
    ("library", "2020-09-01", "시립 도서관이 보수 공사를 마치고 다시 문을 열었다."),
    ("library2", "2024-02-15", "시립 도서관은 토요일 운영 시간을 늘린다."),
    ("hospital", "2022-03-03", "도립 병원에서 정전이 일어나 수술이 미뤄졌다."),
    ("busan", "2023-04-05", "부산 시장 선거에서 현직 시장이 당선됐다."),
    ("rocket", "2022-06-21", "한국형 발사체 누리호가 발사에 성공했다."),
    ("rocket2", "2023-05-25", "누리호가 세 번째로 발사되어 위성을 궤도에 올렸다."),
    ("rice", "2023-08-20", "폭염으로 쌀 품질이 떨어졌다."),
    ("ferry", "2019-11-11", "제주행 여객선이 짙은 안개로 결항했다."),
]


def check(index: Index, question: str, first: str | None, outcome: str | None) -> None:
    response = index.search(question, now="2024-06-01")
    assert outcome is None or response.outcome == outcome
    assert first is None or response[0].id == first


@pytest.mark.parametrize(
    ("question", "first", "outcome"),
    [
        ("トヨタの最新情報", "toyota23", "recorded"),
        ("図書館についての一番新しい記事は何ですか", "library2", "recorded"),
        ("最初の図書館の記事", "library", "recorded"),
        ("2022年3月に県立病院で何が起きましたか", "hospital", "recorded"),
        ("2023年の大阪の選挙の結果", "osaka", "recorded"),
        ("星出彰彦さんはいつ宇宙ステーションに到着しましたか", "space", None),
        ("2022年の任天堂に関する報道", "nintendo", "recorded"),
        ("2021年の任天堂のニュース", None, "none_recorded"),
        ("2023年6月の図書館のお知らせ", None, "none_recorded"),
        ("チェロに関する最新の記事", None, "topic_unknown"),
        ("2022年のバイオリン教室", None, "topic_unknown"),
        ("2022年までのトヨタの最新ニュース", "toyota21", "recorded"),
        ("2023年8月、新潟の米はどうなった？", "rice", "recorded"),
        ("東京の桜の開花", "sakura", None),
        ("シロクマの最新ニュース", None, "topic_unknown"),
    ],
)
def test_japanese_questions(
    shared: Callable[..., Index], question: str, first: str | None, outcome: str | None
) -> None:
    check(shared("ja", JAPANESE), question, first, outcome)


@pytest.mark.parametrize(
    ("question", "first", "outcome"),
    [
        ("삼성전자 최신 소식", "samsung23", "recorded"),
        ("도서관에 대한 가장 최근 기사는 무엇인가요?", "library2", "recorded"),
        ("도서관에 관한 첫 번째 기사", "library", "recorded"),
        ("2022년 3월 도립 병원에서 무슨 일이 있었나요?", "hospital", "recorded"),
        ("2023년 부산 선거 결과", "busan", "recorded"),
        ("누리호는 언제 발사에 성공했나요?", "rocket", None),
        ("2022년 누리호에 관한 보도", "rocket", "recorded"),
        ("2021년 누리호 뉴스", None, "none_recorded"),
        ("2023년 6월 도서관 공지", None, "none_recorded"),
        ("첼로에 관한 최신 기사", None, "topic_unknown"),
        ("2022년 바이올린 교실", None, "topic_unknown"),
        ("2022년까지 삼성전자의 최신 뉴스", "samsung21", "recorded"),
        ("2023년 8월 쌀 품질은 어떻게 됐나요?", "rice", "recorded"),
        ("제주 여객선 결항", "ferry", None),
        ("북극곰 최신 뉴스", None, "topic_unknown"),
    ],
)
def test_korean_questions(shared: Callable[..., Index], question: str, first: str | None, outcome: str | None) -> None:
    check(shared("ko", KOREAN), question, first, outcome)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("タイに関する最も古い記事", ["タイ", "記事"]),
        ("ポーランドのニュースは", ["ポーランド", "ニュース"]),
        ("お茶の新しい店", ["茶", "店"]),
        ("태국에서의 총선", ["태국", "총선"]),
        ("철도는 어떻게 되었나요", ["철도"]),
        ("회의가 열린 제주도", ["회의", "열린", "제주"]),  # 제주도 begins with 제주
        ("미국과 중국", ["미국", "중국"]),
        ("OpenAI의 GPT-4 발표", ["OpenAI", "GPT-4", "발표"]),
    ],
)
def test_words_are_what_is_left_without_what_joins_them(text: str, words: list[str]) -> None:
    frequencies = dict.fromkeys(("記事", "記", "事", "회의", "총선", "발표"), 3)
    assert [word for word, _ in iterate_words(text, frequencies, 100)] == words
