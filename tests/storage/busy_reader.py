"""A process that reads and reads while another writes, checking that every document it sees is whole."""

from __future__ import annotations

import sys

from epochal.storage.store import Store
from storage.whole import check_whole


def main(folder: str) -> None:
    generations = set()
    with Store.open(folder) as store:
        print("ready", flush=True)
        while True:
            view = store.view()
            seen = check_whole(view)
            assert len(generations) == 0 or view.generation >= max(generations)
            generations.add(view.generation)
            if "last" in seen:
                break
    print(len(generations), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
