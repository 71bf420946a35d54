"""TimeML in and out: the text is what an XML parser gives, and nothing outside the new tags changes."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError
from epochal.reading.expression import TimeExpr
from epochal.reading.timeml import Timex, read_timeml, scan, unescape, write_timeml
from paths import DATA, needs_data

FILES = DATA / "timex"
FOLDERS = {"tbaq": 256, "wikiwars-train": 16, "tweets-train": 742}


def date(text: str, words: str, value: str = "1998", mod: str = "") -> TimeExpr:
    start = text.index(words)
    return TimeExpr(words, start, start + len(words), "DATE", value, mod=mod)


def written(source: str, words: str, value: str = "1998") -> str:
    document = read_timeml(source)
    return write_timeml(document, [date(document.text, words, value)])


def facts(gold: tuple[Timex, ...]) -> list[tuple[object, ...]]:
    return [(item.start_char, item.end_char, item.text, item.kind, item.value, item.mod) for item in gold]


# ---------------------------------------------------------------- reading


def test_header_text_and_gold():
    document = read_timeml(
        b'<?xml version="1.0" ?>\n<TimeML>\n<DOCID>R&amp;D 7 </DOCID>\n'
        b'<DCT><TIMEX3 tid="t0" type="TIME" value="1998-02-13T14:26:00" functionInDocument="CREATION_TIME">x</TIMEX3>'
        b"</DCT>\n<TITLE>In <TIMEX3 tid='t9' type='DATE' value='1997'>1997</TIMEX3></TITLE>\n<TEXT>\nOn "
        b"<TIMEX3 tid='t1' type='DATE' value='1998-02' mod='END'>late <EVENT eid='e1'>February</EVENT></TIMEX3>.\n"
        b"</TEXT></TimeML>"
    )
    assert document.docid == "R&D 7"
    assert document.dct_value == "1998-02-13T14:26:00"
    assert document.dct is not None
    assert document.dct.edtf() == "1998-02-13T14:26:00Z"
    assert document.text == "\nOn late February.\n"
    assert document.gold == (Timex("t1", "DATE", "1998-02", "END", "late February", 4, 17),)


@pytest.mark.parametrize(
    ("header", "value", "edtf"),
    [
        ("", "", None),
        ("<DCT></DCT>", "", None),
        ('<DCT><TIMEX3 tid="t0">19980108</TIMEX3></DCT>', "", None),
        ('<DCT><TIMEX3 tid="t0" value="soon">x</TIMEX3></DCT>', "soon", None),
        ('<DCT><TIMEX3 value="1998-01-08TEV">x</TIMEX3></DCT>', "1998-01-08TEV", "1998-01-08"),
        ('<TIMEX3 value="1998" functionInDocument="CREATION_TIME">x</TIMEX3>', "1998", "1998"),
        ("<DCT><TIMEX3 value='1998'/></DCT>", "1998", "1998"),
    ],
)
def test_the_date_of_the_document(header, value, edtf):
    document = read_timeml(f"<TimeML>{header}<TEXT>a</TEXT></TimeML>")
    assert document.dct_value == value
    assert (document.dct.edtf() if document.dct else None) == edtf


def test_a_creation_time_inside_the_text_counts_too():
    source = '<TEXT><TIMEX3 tid="t0" value="1998" functionInDocument="CREATION_TIME">1998</TIMEX3></TEXT>'
    assert read_timeml(source).dct_value == "1998"


@pytest.mark.parametrize(
    ("inner", "text"),
    [
        ("AT&amp;T &lt;3 &#8217; &#x2019; &quot;&apos;", "AT&T <3 ’ ’ \"'"),
        ("a &nbsp;b &unheard; &#0; &#xD800; & c &; &#99999999;", "a \xa0b � � � & c &; �"),
        ("<![CDATA[<b> &amp; ]]>x", "<b> &amp; x"),
        ("a<!-- <TEXT> </TEXT> &amp; -->b<?p </TEXT> ?>c", "abc"),
        ("a\r\nb\rc\n\r\n<![CDATA[d\r\n]]>", "a\nb\nc\n\nd\n"),
        ("I <3 it, 2 < 3", "I <3 it, 2 < 3"),
        ("<s a='>'>x</s>", "x"),
        ("", ""),
    ],
)
def test_text_is_what_xml_says(inner, text):
    assert read_timeml(f"<TEXT>{inner}</TEXT>").text == text


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("<TimeML></TimeML>", "has no TEXT element"),
        ("<TEXT>abc", "never closed"),
        ("<TEXT>abc\n<!-- x</TEXT>", "line 2 of the TimeML document: '<!-- x</TEXT>' starts markup without an end"),
        ("<TEXT>abc <EVENT eid='e1</TEXT>", "line 1"),
        (b"<TEXT>\xff</TEXT>", "not valid utf-8"),
        (b"<?xml version='1.0' encoding='klingon'?><TEXT></TEXT>", "unknown encoding, 'klingon'"),
    ],
)
def test_what_cannot_be_read_is_named(source, words):
    with pytest.raises(EpochalError, match=re.escape(words)):
        read_timeml(source)


def test_a_comment_or_a_doctype_hides_no_text():
    source = "<!DOCTYPE TimeML [<!ENTITY x '>'>]><!-- <TEXT>no</TEXT> --><TimeML><TEXT>yes</TEXT></TimeML>"
    assert read_timeml(source).text == "yes"


def test_gold_without_words_or_partner_is_no_gold():
    source = "<TEXT><TIMEX3 tid='t1' type='DURATION' value='P1D'/>a<TIMEX3></TIMEX3></TIMEX3><TIMEX3>b</TEXT>"
    document = read_timeml(source)
    assert document.gold == ()
    assert write_timeml(document, []) == "<TEXT>ab</TEXT>"


def test_gold_of_a_kind_unheard_of_is_no_expression():
    with pytest.raises(EpochalError, match="'t1' has type 'EON'"):
        Timex("t1", "EON", "1998", "", "1998", 0, 4).expression()


# ---------------------------------------------------------------- writing


def test_new_tags_replace_gold_and_leave_everything_else():
    source = (
        "<TimeML>\r\n<DCT><TIMEX3 tid=\"t2\" value='1998'>x</TIMEX3></DCT><TEXT>\r\n"
        "A&amp;B  <!-- c --> in <TIMEX3 tid='t7'>late</TIMEX3> March, May &#8217;98\r\n</TEXT>"
        "<TLINK timeID='t7'/></TimeML>"
    )
    document = read_timeml(source)
    expressions = [
        date(document.text, "May ’98", '1998-"05" & <', "END"),
        date(document.text, "late March", "1998-03"),
        date(document.text, "A", "x"),
    ]
    assert write_timeml(document, expressions) == (
        "<TimeML>\r\n<DCT><TIMEX3 tid=\"t2\" value='1998'>x</TIMEX3></DCT><TEXT>\r\n"
        '<TIMEX3 tid="t1" type="DATE" value="x">A</TIMEX3>&amp;B  <!-- c --> in '
        '<TIMEX3 tid="t3" type="DATE" value="1998-03">late March</TIMEX3>, '
        '<TIMEX3 tid="t4" type="DATE" value=\'1998-"05" &amp; &lt;\' mod="END">May &#8217;98</TIMEX3>\r\n</TEXT>'
        "<TLINK timeID='t7'/></TimeML>"
    )


TAG = '<TIMEX3 tid="t1" type="DATE" value="1998">'
END = "</TIMEX3>"


@pytest.mark.parametrize(
    ("inner", "words", "expected"),
    [
        # inside where it may be, outside where it must be
        ("<EVENT>Friday</EVENT>", "Friday", f"<EVENT>{TAG}Friday{END}</EVENT>"),
        ("<EVENT>Friday</EVENT> night", "Friday night", f"{TAG}<EVENT>Friday</EVENT> night{END}"),
        ("late <EVENT>May</EVENT>", "late May", f"{TAG}late <EVENT>May</EVENT>{END}"),
        ("<s><EVENT>Fri</EVENT>day</s>", "Friday", f"<s>{TAG}<EVENT>Fri</EVENT>day{END}</s>"),
        ("<s><b>Fri</b>day</s> on", "Fri", f"<s><b>{TAG}Fri{END}</b>day</s> on"),
        ("<a><b>x</b></a> y", "x y", f"{TAG}<a><b>x</b></a> y{END}"),
        ("x <b/>y", "x y", f"{TAG}x <b/>y{END}"),
        ("<b/>x y<b/>", "x y", f"<b/>{TAG}x y{END}<b/>"),
        ("<b></b>x y<b></b>", "x y", f"<b></b>{TAG}x y{END}<b></b>"),
        # a crossing EVENT or SIGNAL goes; an expression that crosses another element is not written
        ("the <EVENT>bad last</EVENT> year", "last year", f"the bad {TAG}last year{END}"),
        ("last <SIGNAL>year before</SIGNAL> it", "last year", f"{TAG}last year{END} before it"),
        ("the <s>bad last</s> year", "last year", "the <s>bad last</s> year"),
        # CDATA is closed and opened again
        ("<![CDATA[in <1998>]]>", "1998", f"<![CDATA[in <]]>{TAG}<![CDATA[1998]]>{END}<![CDATA[>]]>"),
        ("19<![CDATA[98]]>", "1998", f"{TAG}19<![CDATA[98]]>{END}<![CDATA[]]>"),
        ("<b><![CDATA[19]]></b>98", "1998", f"{TAG}<b><![CDATA[19]]></b>98{END}"),
    ],
)
def test_tags_nest(inner, words, expected):
    out = written(f"<TEXT>{inner}</TEXT>", words)
    assert out == f"<TEXT>{expected}</TEXT>"
    assert "".join(ET.fromstring(out).itertext()) == read_timeml(f"<TEXT>{inner}</TEXT>").text


def test_neighbours_share_a_boundary():
    document = read_timeml("<TEXT><a>Mon</a>day<b>Tues</b>day</TEXT>")
    out = write_timeml(document, [date(document.text, "Monday", "1"), date(document.text, "Tuesday", "2")])
    assert out == (
        '<TEXT><TIMEX3 tid="t1" type="DATE" value="1"><a>Mon</a>day</TIMEX3>'
        '<TIMEX3 tid="t2" type="DATE" value="2"><b>Tues</b>day</TIMEX3></TEXT>'
    )


@pytest.mark.parametrize(
    ("expressions", "words"),
    [
        ([TimeExpr("late 1998", 0, 9, "DATE", "1998"), TimeExpr("1998", 5, 9, "DATE", "1998")], "overlaps"),
        ([TimeExpr("1998!", 5, 10, "DATE", "1998")], "outside the text of 9 characters"),
        ([TimeExpr("1999", 5, 9, "DATE", "1999")], "the text has '1998' at characters 5 to 9, not '1999'"),
    ],
)
def test_what_cannot_be_written_is_named(expressions, words):
    with pytest.raises(EpochalError, match=words):
        write_timeml(read_timeml("<TEXT>late 1998</TEXT>"), expressions)


@pytest.mark.parametrize(
    ("declared", "codec"),
    [("utf-8", "utf-8"), ("utf-8", "utf-8-sig"), ("utf-16", "utf-16"), ("latin-1", "latin-1"), ("cp1252", "cp1252")],
)
def test_bytes_keep_their_encoding(declared, codec):
    source = f"<?xml version='1.0' encoding='{declared}'?><TEXT>né en 1998</TEXT>".encode(codec)
    document = read_timeml(source)
    assert document.text == "né en 1998"
    assert write_timeml(document, []) == source
    out = write_timeml(document, [date(document.text, "1998", "九八")])
    assert ET.fromstring(out)[0].attrib["value"] == "九八"


def test_a_reference_is_one_place():
    found = scan("<TEXT>a&amp;b</TEXT>")
    assert [(found.get_start(place), found.get_end(place)) for place in range(3)] == [(6, 7), (7, 12), (12, 13)]
    assert unescape("no reference") == "no reference"


PIECES = st.sampled_from(
    [
        "1998",
        " ",
        "late ",
        "\r\n",
        "&amp;",
        "&#8217;",
        "<!-- c -->",
        "<![CDATA[x & <y>]]>",
        "<b/>",
        "é",
        "𝟗",
        "?>",
        "]]",
    ]
)
TREES = st.recursive(
    PIECES,
    lambda inner: st.builds(
        lambda name, parts: f"<{name}>{''.join(parts)}</{name}>",
        st.sampled_from(["EVENT", "SIGNAL", "TIMEX3", "s"]),
        st.lists(inner, max_size=4),
    ),
    max_leaves=20,
)


@given(st.lists(TREES, max_size=8).map("".join), st.data())
def test_any_document_stays_well_formed_and_keeps_its_text(inner, data):
    source = f"<TimeML>\n<TEXT>{inner}</TEXT></TimeML>"
    text = "".join(ET.fromstring(source).itertext()).removeprefix("\n")
    document = read_timeml(source)
    assert document.text == text
    assert write_timeml(document, []) == re.sub(r"</?TIMEX3/?>", "", source)
    edges = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=8)))
    expressions = [
        TimeExpr(text[start:end], start, end, "DATE", f"{start}")
        for start, end in zip(edges[::2], edges[1::2], strict=False)
    ]
    out = write_timeml(document, expressions)
    again = read_timeml(out)
    assert again.text == text
    assert "".join(ET.fromstring(out).itertext()).removeprefix("\n") == text
    assert set(facts(again.gold)) <= {(e.start_char, e.end_char, e.text, e.kind, e.value, e.mod) for e in expressions}
    if "<s>" not in source:
        assert len(again.gold) == len(expressions)


@needs_data("timex")
@pytest.mark.parametrize("folder", FOLDERS)
def test_the_corpora_come_back_as_they_were(folder):
    files = sorted((FILES / folder).glob("*.tml"))
    assert len(files) == FOLDERS[folder]
    for file in files:
        source = file.read_bytes()
        document = read_timeml(source)
        assert document.text == "".join(ET.fromstring(source).find("TEXT").itertext()), file.name
        assert document.dct is not None, file.name
        out = write_timeml(document, document.gold)
        assert facts(read_timeml(out).gold) == facts(document.gold), file.name
        ET.fromstring(out)
        before, inner, behind = re.match(rb"(.*<TEXT>)(.*)(</TEXT>.*)", source, re.DOTALL).groups()
        bare = before + re.sub(rb"</?TIMEX3[^>]*>", b"", inner) + behind
        assert write_timeml(document, []) == bare, file.name
        assert write_timeml(read_timeml(out), []) == bare, file.name
