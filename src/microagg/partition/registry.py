"""Methods by name: from text such as `vmdav(gamma=0.2)` to the value that partitions.

The notation is that of a call, and the `repr` of a method is read back as the same method.
"""

from __future__ import annotations

import ast
from dataclasses import fields
from importlib import import_module
from typing import Any

from microagg.errors import InputError
from microagg.partition.matrix import Method

_HOME_OF = {
    "mdav": ("microagg.partition.mdav", "MDAV"),
    "univariate": ("microagg.partition.univariate", "Univariate"),
    "vmdav": ("microagg.partition.vmdav", "VMDAV"),
}


def method_of(given: str | Method) -> Method:
    """Return the method that a text names, or the method that was given as such.

    Raises InputError, with what there is, if there is no such method or option.

    >>> method_of("vmdav(gamma=0.2)")
    VMDAV(gamma=0.2)
    """
    if isinstance(given, str):
        return _method_named(given)
    if isinstance(given, type) or not callable(getattr(given, "partition", None)):
        raise InputError(f"{given!r} is no method: expected a name, or a value such as MDAV()")
    return given


def _method_named(text: str) -> Method:
    name, options = _parsed(text)
    if name.lower() not in _HOME_OF:
        raise InputError(f"there is no method {name!r}: the methods are {', '.join(_HOME_OF)}")
    module, attribute = _HOME_OF[name.lower()]
    kind = getattr(import_module(module), attribute)
    known = [field.name for field in fields(kind) if field.init]
    options_there_are = f"its options are {', '.join(known)}" if known else "it has no options"
    InputError.raise_any(
        f"the method {name.lower()} has no option {option!r}: {options_there_are}"
        for option in options
        if option not in known
    )
    try:
        method: Method = kind(**options)
    except (TypeError, ValueError) as error:
        raise InputError(f"the method {text!r} cannot be made: {error}") from None
    return method


def _parsed(text: str) -> tuple[str, dict[str, Any]]:
    try:
        tree = ast.parse(text.strip(), mode="eval").body
        if isinstance(tree, ast.Name):
            return tree.id, {}
        if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and not tree.args:
            return tree.func.id, dict(map(_option, tree.keywords))
    except (SyntaxError, ValueError):
        pass
    raise InputError(f"cannot read the method {text!r}: expected a name, or name(option=value, ...)")


def _option(written: ast.keyword) -> tuple[str, Any]:
    """Return an option and its value; a bare word stands for itself."""
    if written.arg is None:
        raise ValueError("options are written one by one")
    if isinstance(written.value, ast.Name):
        return written.arg, written.value.id
    return written.arg, ast.literal_eval(written.value)
