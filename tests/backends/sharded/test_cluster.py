"""The cluster file: what it may say, and that whatever is wrong with it is told in one sentence."""

from __future__ import annotations

import pytest

from epochal.api import Index
from epochal.backends.sharded.provider import read_cluster
from epochal.backends.sharded.view import Limits
from epochal.errors import StorageError
from epochal.storage.addresses import get_provider, shown

NODE = '[[node]]\nurl = "postgresql://ann:secret@db/news"\n'


@pytest.fixture
def file(tmp_path):
    def written(text: str):
        path = tmp_path / "cluster.toml"
        path.write_text(text)
        return path

    return written


def test_what_it_says(file):
    cluster = read_cluster(
        file('policy = "degrade"\ntimeout = 1\nwrite_timeout = 5.5\n' + NODE + 'replicas = ["postgresql://db2/news"]\n')
    )
    assert (cluster.policy, cluster.limits) == ("degrade", Limits(1.0, 60.0, 5.5))
    (node,) = cluster.nodes
    assert node.url == "postgresql://ann:secret@db/news"
    assert node.replicas == ("postgresql://db2/news",)
    assert node.name == "postgresql://ann:***@db/news", "a name is shown, a password is not"
    assert read_cluster(file(NODE)).policy == "fail"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "lists no nodes; accepted: one or more tables [[node]], each with a url"),
        ("node = []", "lists no nodes"),
        ("node = 5", "lists no nodes"),
        ("[[node]", "line 1: not valid TOML"),
        ('policy = "hope"\n' + NODE, "has the policy 'hope'; accepted: fail, degrade"),
        ("policy = 5\n" + NODE, "has the policy 5"),
        ("timeout = 0\n" + NODE, "has 0 for timeout; accepted: a number of seconds above 0"),
        ("timeout = true\n" + NODE, "has True for timeout"),
        ("load_timeout = inf\n" + NODE, "has inf for load_timeout"),
        ('write_timeout = "5"\n' + NODE, "has '5' for write_timeout"),
        ("time_out = 5\n" + NODE, "has 'time_out'; accepted there: policy, timeout"),
        (NODE + "replica = []\n", "has 'replica' in node 1; accepted there: name, url, replicas"),
        (NODE + "replicas = 5\n", "has 5 for the replicas of node 1; accepted: a list of addresses"),
        (NODE + "replicas = [5]\n", "has something else for an address of node 1"),
        ('[[node]]\nname = "north"\n', "has nothing for an address of node 1; accepted: postgresql://"),
        ('[[node]]\nurl = "news"\n', "has something else for an address of node 1"),
        (NODE + 'name = " "\n', "has the name ' ' for node 1"),
        ('[[node]]\nurl = "mysql://db/news"\n', "is no address of an index"),
    ],
)
def test_what_is_wrong_is_one_sentence(file, text, words):
    with pytest.raises(StorageError) as message:
        read_cluster(file(text))
    assert words in str(message.value)
    assert "\n" not in str(message.value)
    assert "secret" not in str(message.value)


def test_two_nodes_cannot_be_one(file):
    with pytest.raises(StorageError, match="each node must have a name of its own") as message:
        Index.open(file(NODE + NODE))
    assert "secret" not in str(message.value)


def test_a_file_that_is_not_there(tmp_path):
    path = tmp_path / "no.toml"
    provider = get_provider(path)
    assert not provider.exists(path)
    assert shown(path) == str(path)
    for call in (lambda: Index.open(path), lambda: Index.create(path, encoder=None), lambda: provider.size(path)):
        with pytest.raises(StorageError, match="does not exist; write one that lists the nodes"):
            call()
