"""A process that writes and writes, telling what it begins (?), and what is done (!); to be killed at any moment."""

from __future__ import annotations

import json
import random
import sys

from epochal.storage.store import Store
from storage.whole import entry


def tell(sign: str, what: str, docs: dict[str, int | None]) -> None:
    print(sign + json.dumps([what, docs]), flush=True)


def main(folder: str, seed: str, count: str) -> None:
    rng = random.Random(seed)
    with Store.open(folder, write=True) as store:
        for number in range(int(count)):
            what = rng.choices(["add", "bulk", "delete", "compact"], [6, 2, 3, 3])[0]
            ids = rng.sample([f"d{n}" for n in range(40)], rng.randint(1, 6))
            version = int(seed) * 1000 + number
            docs = dict.fromkeys(ids, version if what in ("add", "bulk") else None) if what != "compact" else {}
            tell("?", what, docs)
            if what == "add":
                store.add([entry(id, version) for id in ids])
            elif what == "bulk":
                with store.bulk():
                    for id in ids:
                        store.add([entry(id, version)])
                        tell("!", "add", {id: version})
            elif what == "delete":
                store.delete(ids)
            else:
                store.compact()
            tell("!", what, docs)


if __name__ == "__main__":
    main(*sys.argv[1:])
