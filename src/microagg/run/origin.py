"""What was protected, as it may be shown: never the data, nor a password."""

from __future__ import annotations

from typing import Any, NamedTuple

import microagg.tables as tables


class Origin(NamedTuple):
    """What was protected, as it may be shown, and whether that is a place to read it from again, and how."""

    name: str
    is_place: bool
    options: tuple[str, ...] = ()  # of the command line, by which it is read


def origin_of(data: Any) -> Origin:
    """Return what was protected: a file's path, an address without its password, the kind of a frame.

    >>> origin_of("postgresql://me:secret@host/db")
    Origin(name='postgresql://me@host/db', is_place=True, options=())
    """
    if not tables.is_place(data):
        return Origin(type(data).__name__, is_place=False)
    if not isinstance(data, tables.Source):
        return Origin(tables.without_secrets(data), is_place=True)
    said = {name: value for name, value in tables.options_of(data).items() if value is not None}
    options = tuple(word for name, value in said.items() for word in (f"--{name}", value))
    return Origin(tables.without_secrets(data.place), is_place=True, options=options)
