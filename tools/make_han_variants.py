"""Writes the table of traditional characters and their simplified forms, from the dictionary of OpenCC.

    python tools/make_han_variants.py

Needs the extra `chinese`, whose package brings the dictionary along (TSCharacters.txt, Apache-2.0). Characters outside
of the basic plane are left out: fonts and texts hardly have them.
"""

from __future__ import annotations

from pathlib import Path

import opencc

OUTPUT = Path(__file__).parents[1] / "packages/epochal/src/epochal/reading/tables/han_variants.toml"
HEAD = """# Traditional characters and their simplified forms, position by position.
# Written by tools/make_han_variants.py from TSCharacters.txt of OpenCC (Apache-2.0, https://github.com/BYVoid/OpenCC).

"""


def main() -> None:
    """Write the table."""
    lines = (Path(opencc.__file__).parent / "dictionary" / "TSCharacters.txt").read_text("utf-8").splitlines()
    pairs = [(key, values.split()[0]) for key, _, values in (line.partition("\t") for line in lines)]
    pairs = [(old, new) for old, new in pairs if old != new and len(old) == len(new) == 1 and max(old, new) < "\uffff"]
    traditional, simplified = ("".join(column) for column in zip(*sorted(pairs), strict=True))
    OUTPUT.write_text(f'{HEAD}traditional = "{traditional}"\nsimplified = "{simplified}"\n', encoding="utf-8")


if __name__ == "__main__":
    main()
