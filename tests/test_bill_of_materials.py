"""The bill of materials lists every package once, with its version and licence."""

from __future__ import annotations

import importlib.util

from paths import ROOT


def test_the_bill_of_materials_lists_what_an_installation_brings():
    spec = importlib.util.spec_from_file_location("list_licences", ROOT / "tools" / "list_licences.py")
    assert spec is not None
    assert spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    bill = tool.make_sbom(tool.collect("epochal", set()))
    assert (bill["bomFormat"], bill["metadata"]["component"]["name"]) == ("CycloneDX", "epochal")
    names = [item["name"] for item in bill["components"]]
    assert {"numpy", "tantivy"} <= set(names)
    assert len(names) == len(set(names))
    assert all(item["purl"] == f"pkg:pypi/{item['name']}@{item['version']}" for item in bill["components"])
