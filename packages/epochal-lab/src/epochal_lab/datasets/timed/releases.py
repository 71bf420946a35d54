"""Release notes of Python packages (changelogs): questions about packages, with names that no document has."""

from __future__ import annotations

import datetime as dt
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from epochal.storage.records import Document
from epochal.times.span import Span
from epochal_lab.datasets.sources import Source, rows
from epochal_lab.datasets.timed.questions import SPLITS, TimedCorpus, TimedQuestion, choose, number_questions
from epochal_lab.datasets.timed.timelines import (
    PER_TOPIC,
    TimelineTopic,
    build_absent,
    build_plain,
    build_timeline,
    split_groups,
    stated_months,
)
from epochal_lab.datasets.timed.wording import RELEASES
from epochal_lab.datasets.timed.words import find_known_names, find_words

NOW: Final = "2026-11-16"
_YEARS: Final = (2010, 2025)
#: Names of software for questions about what no document has; those that occur in a corpus are left out there.
SOFTWARE: Final = tuple(
    """Kafka Jenkins Terraform GIMP Inkscape Redmine Nextcloud Zabbix Puppet Emacs LibreOffice Cassandra Laravel
    WordPress Prometheus Vagrant Solr Magento Joomla Cypress Webpack Keras Unity Photoshop Blender Krita Grafana Kibana
    Ansible Chef Nagios Drupal Symfony Angular Svelte Ember Gatsby Hugo Jekyll Electron Flutter Ionic Xamarin Tomcat
    WildFly Hadoop Flink Airflow Superset Metabase Tableau MATLAB Stata Octave Julia Erlang Elixir Haskell Clojure Scala
    Kotlin Gradle Maven Bazel Meson Ninja Valgrind Wireshark Nmap Snort OpenVPN WireGuard Postfix Dovecot Exim Sendmail
    Thunderbird Evolution Kodi Plex Audacity Ardour OBS Handbrake FileZilla PuTTY VirtualBox QEMU Xen Proxmox Ceph
    GlusterFS Samba CUPS systemd-networkd PulseAudio PipeWire Wayland KWin Plasma Xfce LibreCAD FreeCAD OpenSCAD KiCad
    Mosquitto Zigbee2MQTT OpenHAB Jupyterhub Pandoc Asciidoctor Mermaid Graphviz Gnuplot Bokeh Plotly Dask Numba
    Polars DuckDB ClickHouse InfluxDB TimescaleDB CockroachDB ScyllaDB ArangoDB Neo4j Dgraph etcd Consul Nomad Traefik
    Envoy Istio Linkerd Cilium Calico MetalLB Harbor Rancher OpenShift Podman Buildah Skopeo""".split()
)


def load_changelogs(source: Source, seed: int = 0, *, series: bool = False) -> TimedCorpus:
    """Release notes of 21 packages. With `series`, the entries of a package are versions of one document."""
    path = source.require("changelogs", "changelogs/pypi.jsonl.gz", "get the release notes of PyPI packages")
    records = _read_records(path)
    name = "changelogs_series" if series else "changelogs"
    documents = tuple(_read_document(record, series) for record in records)
    by_package: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for record in records:
        by_package[record["package"]].append(record)
    topics = [_make_topic(package, match) for package, match in by_package.items()]
    splits = split_groups(by_package, seed)
    known = find_known_names(f"{document.title} {document.text}" for document in documents)
    absent = [one for one in SOFTWARE if one.lower() not in known]
    sides = split_groups(absent, seed)
    questions: list[TimedQuestion] = []
    for split in SPLITS:
        rng = random.Random(f"{name}-{split}-{seed}")
        own = [topic for topic in topics if splits[topic.name] == split]
        questions += build_timeline(name, own, RELEASES, split, NOW, rng, PER_TOPIC)
        names = choose([one for one in absent if sides[one] == split], 40, rng)
        questions += build_absent(name, names, RELEASES, split, NOW, _YEARS, rng)
        for kind in ("when", "plain"):
            drafts = _list_versions(kind, [by_package[topic.name] for topic in own], rng)
            questions += build_plain(name, kind, RELEASES, split, NOW, rng, drafts)
    return TimedCorpus(name, documents, number_questions(questions))


def _read_records(path: Path) -> list[dict[str, Any]]:
    """The rows, the first of each id; what is no date (2011-16-09) is taken for none."""
    records = list({record["id"]: dict(record) for _, record in reversed(list(rows(path)))}.values())[::-1]
    for record in records:
        try:
            dt.date.fromisoformat(record.get("published") or "")
        except ValueError:
            record.pop("published", None)
    return records


def _read_document(record: Mapping[str, Any], series: bool) -> Document:
    published = record.get("published")
    return Document(
        record["id"],
        record["text"],
        record["title"],
        Span.parse(published) if published else None,
        series=record["package"] if series else None,
        meta={"package": record["package"], "version": record["version"]},
    )


def _make_topic(package: str, records: Sequence[Mapping[str, Any]]) -> TimelineTopic:
    return TimelineTopic(
        package,
        tuple((record["published"], record["id"]) for record in records if record.get("published")),
        frozenset(record["id"] for record in records if not record.get("published")),
        stated=stated_months(record["text"] for record in records),
    )


def _list_versions(
    kind: str, packages: Sequence[Sequence[Mapping[str, Any]]], rng: random.Random
) -> Iterator[tuple[Mapping[str, str], frozenset[str], frozenset[str], str]]:
    """Entries that a question names by their version, or by words that no other entry of the package has."""
    for records in packages:
        dated = [record for record in records if record.get("published")]
        topic = frozenset(record["id"] for record in records)
        for record in choose(dated, 5, rng):
            slots = {"x": record["package"]}
            gold = frozenset({record["id"]})
            if kind == "plain" and rng.random() < 0.5:
                words = find_words(record["text"], rng, 2)
                if len(words) < 2:
                    continue
                gold = frozenset(
                    other["id"] for other in records if all(word.lower() in other["text"].lower() for word in words)
                )
                slots["words"] = " and ".join(words)
            else:
                slots["version"] = record["version"]
            if gold:
                yield slots, gold, topic, record["package"]
