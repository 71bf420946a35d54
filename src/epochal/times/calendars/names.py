"""The names of the reigns of a table: every way to call one, and the shortest that means no other."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from epochal.times.calendars.han_text import HanDate, fold, read_han
from epochal.times.calendars.latin_text import fold_latin
from epochal.times.calendars.table import RegnalTable, Reign

__all__ = ["ReignNames"]


class ReignNames:
    """Reigns by name, in characters and in Latin letters.

    >>> from epochal.times.calendars.table import read_table
    >>> names = ReignNames(read_table("british.toml"))
    >>> [reign.name for reign in names.find_latin("hen 8")]
    ['Henry VIII']
    """

    def __init__(self, table: RegnalTable) -> None:
        self.table = table

    @cached_property
    def han(self) -> dict[str, list[Reign]]:
        """Reigns by their folded names in characters, with and without realm and ruler."""
        found: dict[str, list[Reign]] = {}
        for reign in self.table.reigns:
            for name in dict.fromkeys(fold(name) for name in _han_names(reign)):
                found.setdefault(name, []).append(reign)
        return found

    @cached_property
    def latin(self) -> dict[str, list[Reign]]:
        """Reigns by their folded names in Latin letters."""
        found: dict[str, list[Reign]] = {}
        for reign in self.table.reigns:
            names = [reign.latin, *reign.latin_aliases]
            if self.table.text == "latin":
                names += [reign.name, *reign.aliases]
                continued = self.table.by_id.get(reign.continues)
                if continued:
                    names += [continued.name, continued.latin, *continued.aliases, *continued.latin_aliases]
            for name in dict.fromkeys(fold_latin(name) for name in names if name):
                found.setdefault(name, []).append(reign)
        return found

    def find_han(self, text: str) -> Iterator[tuple[Reign, HanDate]]:
        """The reigns that the text may name, each with the date stated after it; the longest name counts.

        >>> from epochal.times.calendars.table import read_table
        >>> names = ReignNames(read_table("lu.toml"))
        >>> [(reign.name, date.year) for reign, date in names.find_han("鲁庄公二年")]
        [('莊公', 2)]
        """
        plain = fold(text)
        for length in range(min(len(plain) - 1, self._longest_han), 0, -1):
            reigns = self.han.get(plain[:length])
            date = read_han(plain[length:]) if reigns else None
            if reigns and date:
                yield from ((reign, date) for reign in reigns)
                return

    @cached_property
    def _longest_han(self) -> int:
        return max((len(name) for name in self.han), default=0)

    def find_latin(self, folded_name: str) -> list[Reign]:
        """The reigns of a name that `fold_latin` has folded.

        >>> from epochal.times.calendars.table import read_table
        >>> ReignNames(read_table("lu.toml")).find_latin("duke who")
        []
        """
        return self.latin.get(folded_name, [])

    def shortest(self, reign: Reign) -> str:
        """The shortest usual name that no other reign of the table shares.

        >>> from epochal.times.calendars.table import read_table
        >>> table = read_table("chinese.toml")
        >>> names = ReignNames(table)
        >>> names.shortest(table.by_id["南齊武帝永明"]), names.shortest(table.by_id["西漢哀帝建平"])
        ('永明', '西漢建平')
        """
        if self.table.text == "latin":
            return reign.name
        choices = [reign.name, f"{reign.realm}{reign.name}", f"{reign.ruler}{reign.name}", reign.id]
        # A duke or a ruler without an era needs his realm to be known at all.
        if not reign.name or self.table.ordinal:
            choices = [f"{reign.realm}{reign.name or reign.ruler}", reign.id]
        for choice in choices:
            if choice and self.han.get(fold(choice)) == [reign]:
                return choice
        return reign.id


def _han_names(reign: Reign) -> Iterator[str]:
    """Every way to put realm, ruler and name together: 永明, 南齊永明, 武帝永明, 齊武帝永明, 南齊朝永明, ..."""
    if reign.realm.isascii() and reign.name.isascii():
        return
    realms = [""]
    for name in filter(None, (reign.realm, *reign.realm_aliases)):
        realms += [name, f"{name}朝", f"大{name}"]
    rulers = [name for name in (reign.ruler, *reign.ruler_aliases) if name]
    names = [name for name in (reign.name, *reign.aliases) if name]
    middles = ["", *rulers] if names else rulers
    for realm in realms:
        for ruler in middles:
            for name in names or [""]:
                yield f"{realm}{ruler}{name}"
