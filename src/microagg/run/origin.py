"""What was protected, as it may be shown: never the data, nor a password."""

from __future__ import annotations

from typing import Any, NamedTuple

import microagg.tables as tables


class Origin(NamedTuple):
    """What was protected, as it may be shown, and whether that is a place to read it from again."""

    name: str
    is_place: bool


def origin_of(data: Any) -> Origin:
    """Return what was protected: a file's path, an address without its password, the kind of a frame.

    >>> origin_of("postgresql://me:secret@host/db")
    Origin(name='postgresql://me@host/db', is_place=True)
    """
    if not tables.is_place(data):
        return Origin(type(data).__name__, is_place=False)
    place = data.place if isinstance(data, tables.Source) else data
    return Origin(tables.without_secrets(place), is_place=True)
