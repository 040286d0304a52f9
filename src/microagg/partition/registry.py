"""Methods by name: from text such as `vmdav(gamma=0.2)` to the value that partitions.

The notation is that of a call, a method around another written around it, as in `around(vmdav(gamma=0.2))`.
The `repr` of a method is read back as the same method.
"""

from __future__ import annotations

import ast
from dataclasses import fields
from importlib import import_module
from typing import Any

from microagg.errors import InputError
from microagg.partition.matrix import Method

_HOME_OF = {
    "blocked": ("microagg.partition.blocked", "Blocked"),
    "genetic": ("microagg.partition.genetic", "Genetic"),
    "mdav": ("microagg.partition.mdav", "MDAV"),
    "optimal": ("microagg.partition.optimal", "Optimal"),
    "refined": ("microagg.partition.refined", "Refined"),
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
    try:
        tree = ast.parse(text.strip(), mode="eval").body
        if isinstance(tree, ast.Name | ast.Call):
            return _method(tree, text)
    except (SyntaxError, ValueError) as error:
        if isinstance(error, InputError):
            raise
    raise InputError(f"cannot read the method {text!r}: expected a name, or name(option=value, ...)")


def _method(written: ast.Name | ast.Call, text: str) -> Method:
    """Return the method that a name or a call stands for; raises ValueError if it is neither."""
    name = written if isinstance(written, ast.Name) else written.func
    if not isinstance(name, ast.Name):
        raise ValueError("a method is called by its name")
    if name.id.lower() not in _HOME_OF:
        raise InputError(f"there is no method {name.id!r}: the methods are {', '.join(_HOME_OF)}")
    module, attribute = _HOME_OF[name.id.lower()]
    kind = getattr(import_module(module), attribute)
    known = [field.name for field in fields(kind) if field.init]
    options = {} if isinstance(written, ast.Name) else _options(written, known, text)
    options_there_are = f"its options are {', '.join(known)}" if known else "it has no options"
    InputError.raise_any(
        f"the method {name.id.lower()} has no option {option!r}: {options_there_are}"
        for option in options
        if option not in known
    )
    try:
        method: Method = kind(**options)
    except (TypeError, ValueError) as error:
        raise InputError(f"the method {text!r} cannot be made: {error}") from None
    return method


def _options(call: ast.Call, known: list[str], text: str) -> dict[str, Any]:
    """Return the options of a call; a method that stands first, without a name, is its first option."""
    inner = [_method(argument, text) for argument in call.args if isinstance(argument, ast.Name | ast.Call)]
    if len(inner) < len(call.args) or len(inner) > 1:
        raise ValueError("options are written with their names")
    if len({_name_of(option) for option in call.keywords}) < len(call.keywords):
        raise ValueError("each option is written once")
    return dict(zip(known, inner, strict=False)) | {
        _name_of(option): _value(option.value, text) for option in call.keywords
    }


def _name_of(option: ast.keyword) -> str:
    if option.arg is None:
        raise ValueError("options are written one by one")
    return option.arg


def _value(written: ast.expr, text: str) -> Any:
    """Return the value of an option: a method, or plain data; any other bare word stands for itself."""
    if isinstance(written, ast.Name):
        return _method(written, text) if written.id.lower() in _HOME_OF else written.id
    return _method(written, text) if isinstance(written, ast.Call) else ast.literal_eval(written)
