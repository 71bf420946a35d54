"""Rows of shards as rows of one view, and back; columns of shards as one column. By any rows there may be."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from epochal.backends.sharded.placing import (
    Owners,
    find_owners,
    get_shard,
    global_rows,
    group_by_shard,
    merge_ranks,
    merge_tables,
    split_rows,
)
from epochal.storage.protocol import Ranked, SpanTable
from epochal.times import SpanSet
from spans_strategy import spans

counts = st.integers(1, 7)


@given(rows=st.lists(st.integers(0, 10**12), max_size=50), count=counts)
def test_rows_go_to_their_shards_and_come_back(rows, count):
    given_ = np.array(rows, dtype=np.int64)
    back = np.full(len(rows), -1, dtype=np.int64)
    for shard, positions, own in split_rows(given_, count):
        assert 0 <= shard < count
        back[positions] = global_rows(own, shard, count)
    assert back.tolist() == rows


@given(rows=st.sets(st.integers(0, 10**6), max_size=50), count=counts)
def test_what_ascends_still_ascends_on_each_shard(rows, count):
    for _, _, own in split_rows(np.array(sorted(rows), dtype=np.int64), count):
        assert (np.diff(own) > 0).all()


@given(ids=st.lists(st.text(min_size=1), unique=True, max_size=40), count=counts)
def test_each_id_has_one_shard(ids, count):
    parts = group_by_shard(ids, count, str)
    assert Counter(id for part in parts.values() for id in part) == Counter(ids)
    assert all(get_shard(id, count) == shard for shard, part in parts.items() for id in part)


def test_ids_are_spread_evenly():
    shares = Counter(get_shard(f"document {number}", 3) for number in range(30_000))
    assert all(abs(share - 10_000) < 400 for share in shares.values())
    # What was stored must be found for ever: these are not to change.
    assert [get_shard(id, 5) for id in ("a", "b", "永樂", "d0")] == PLACES


PLACES = [3, 3, 0, 3]

scores = st.lists(st.sampled_from([0.5, 1.0, 2.0]), max_size=20)


@given(parts=st.lists(scores, min_size=1, max_size=4), k=st.integers(1, 30))
def test_the_best_of_all_are_the_best_of_each(parts, k):
    rankings, every = [], []
    for shard, values in enumerate(parts):
        rows = global_rows(np.arange(len(values)), shard, len(parts))
        order = np.lexsort((rows, -np.array(values))) if values else np.empty(0, np.int64)
        rankings.append(Ranked(rows[order][:k], np.array(values, dtype=np.float64)[order][:k]))
        every += zip(rows.tolist(), values, strict=True)
    result = merge_ranks(rankings, k)
    expected = sorted(every, key=lambda item: (-item[1], item[0]))[:k]
    assert list(zip(result.rows.tolist(), result.scores.tolist(), strict=True)) == expected


@given(data=st.data(), count=counts)
def test_owners_of_all_shards(data, count):
    parts, documents, expected = {}, {}, {}
    for shard in data.draw(st.sets(st.integers(0, count - 1))):
        sizes = data.draw(st.lists(st.integers(0, 3), max_size=6))
        owner = np.repeat(np.arange(len(sizes)), sizes).astype(np.int64)
        series = np.array([data.draw(st.integers(-1, 2)) for _ in sizes], dtype=np.int64)
        parts[shard] = Owners(np.arange(len(owner)), np.arange(len(sizes)), owner, series)
        for row, document in enumerate(owner.tolist()):
            expected[row * count + shard] = document * count + shard
        documents |= {number * count + shard: code for number, code in enumerate(series.tolist())}
    owners = find_owners(parts, count)
    rows = np.array(sorted(expected), dtype=np.int64)
    assert owners.alive.tolist() == rows.tolist()
    assert owners.documents.tolist() == sorted(documents)
    assert owners.get_document_rows(rows[::-1]).tolist() == [expected[row] for row in rows[::-1].tolist()]
    query = np.array(sorted(documents), dtype=np.int64)[::-1]
    assert owners.get_series_codes(query).tolist() == [documents[row] for row in query.tolist()]
    own = [[row for row in rows.tolist() if expected[row] == document] for document in query.tolist()]
    assert owners.get_passage_rows(query).tolist() == [row for part in own for row in part]


@given(data=st.data(), count=counts)
def test_tables_of_all_shards(data, count):
    parts, expected = {}, []
    for shard in data.draw(st.sets(st.integers(0, count - 1))):
        rows = sorted(data.draw(st.lists(st.integers(0, 9), max_size=6)))
        own = [data.draw(spans()) for _ in rows]
        chars = np.arange(len(rows), dtype=np.int32)
        parts[shard] = SpanTable(SpanSet.of(own), np.array(rows, dtype=np.int64), chars, chars + 1)
        expected += [
            (row * count + shard, position, span) for position, (row, span) in enumerate(zip(rows, own, strict=True))
        ]
    expected.sort(key=lambda item: item[:2])
    table, positions = merge_tables(parts, count)
    assert list(zip(table.rows.tolist(), positions.tolist(), table.spans, strict=True)) == expected
    assert table.start_chars.tolist() == positions.tolist()
    assert table.end_chars.tolist() == (positions + 1).tolist()
