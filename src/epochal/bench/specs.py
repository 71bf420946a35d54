"""Things with settings, written as a name: `epochal`, `dense(encoder=static)`, `epochal(sequence=lu, by=work)`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from epochal.errors import EpochalError

__all__ = ["Spec"]

_FORM = re.compile(r"\s*(?P<name>[^\s(),=]+)\s*(?:\((?P<settings>[^()]*)\)\s*)?")


@dataclass(frozen=True, slots=True)
class Spec:
    """A name with settings, which prints as it is parsed.

    >>> print(Spec.parse("dense( encoder = static )"))
    dense(encoder=static)
    """

    name: str
    settings: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def parse(cls, text: str) -> Spec:
        """The name and settings that a text states.

        >>> Spec.parse("epochal(sequence=lu)").settings
        {'sequence': 'lu'}
        >>> Spec.parse("dense(static)")
        Traceback (most recent call last):
        ...
        epochal.errors.EpochalError: 'dense(static)' is no name with settings; accepted: NAME or NAME(key=value, ...)
        """
        found = _FORM.fullmatch(text)
        settings: dict[str, str] = {}
        for part in (found["settings"] or "").split(",") if found else ():
            key, mark, value = (piece.strip() for piece in part.partition("="))
            if part.strip():
                if not (key and mark and value) or key in settings:
                    found = None
                    break
                settings[key] = value
        if found is None:
            raise EpochalError(f"{text!r} is no name with settings; accepted: NAME or NAME(key=value, ...)")
        return cls(found["name"], settings)

    def __str__(self) -> str:
        inner = ", ".join(f"{key}={value}" for key, value in self.settings.items())
        return f"{self.name}({inner})" if inner else self.name

    def only(self, *known: str) -> Mapping[str, str]:
        """The settings, where all of them are known.

        >>> Spec.parse("dense(colour=red)").only("encoder")
        Traceback (most recent call last):
        ...
        epochal.errors.EpochalError: dense has no setting 'colour'; accepted: encoder
        """
        for key in self.settings:
            if key not in known:
                raise EpochalError(f"{self.name} has no setting {key!r}; accepted: {', '.join(known) or 'none'}")
        return self.settings
