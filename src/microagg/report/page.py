"""The report as one page of HTML that needs nothing from elsewhere."""

from __future__ import annotations

import os
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from microagg.errors import InputError
from microagg.measures.compared import Compared
from microagg.measures.found import Evaluation
from microagg.report.blocks import Sheet
from microagg.report.external import external, told
from microagg.report.internal import internal
from microagg.report.provenance import Provenance
from microagg.report.tree_drawing import tree_style
from microagg.report.wording import visible
from microagg.result import Audience
from microagg.whole_files import replacing

if TYPE_CHECKING:
    from jinja2 import Template

_MODE = {"internal": 0o600, "external": 0o666}  # what tells of the original is for its owner alone


def write(
    path: str | os.PathLike[str],
    compared: Compared,
    evaluation: Evaluation,
    provenance: Provenance,
    audience: Audience = "internal",
) -> None:
    """Write the report to a file, or leave the old one whole; raises InputError if it cannot be written."""
    text = page(compared, evaluation, provenance, audience)
    put(path, text, "report", _MODE[audience])


def put(path: str | os.PathLike[str], text: str, told: str, mode: int = 0o666) -> None:
    """Write a text to a file, or leave the old one whole; raises InputError if it cannot be written."""
    try:
        with replacing(Path(path), mode) as stream:
            stream.write(text.encode(errors="replace"))
    except OSError as error:
        raise InputError(f"the {told} {path} cannot be written: {_reason(Path(path), error)}") from None


def page(
    compared: Compared,
    evaluation: Evaluation,
    provenance: Provenance,
    audience: Audience = "internal",
) -> str:
    """Return the report as the text of an HTML page.

    Parameters
    ----------
    compared
        The original and its release.
    evaluation
        What was lost, and what can be found out.
    provenance
        How the release came to be.
    audience
        Who reads it: "internal" shows everything, for those who may see the original; "external" only
        what tells an attacker nothing.
    """
    if audience == "internal":
        sheet = internal(compared, evaluation, provenance)
    elif audience == "external":
        sheet = external(told(compared, evaluation, provenance))
    else:
        raise InputError(f"the audience {audience!r} is not known: choose 'internal' or 'external'")
    return rendered(sheet, tree_style() if provenance.tree and audience == "internal" else "")


def rendered(sheet: Sheet, style: str = "") -> str:
    """Return a page as text, with what its pictures need beside the style of all pages."""
    return visible(_template().render(sheet=sheet, style=_style() + style))


@cache
def _template() -> Template:
    from jinja2 import Environment, PackageLoader, StrictUndefined  # takes a tenth of a second

    environment = Environment(
        loader=PackageLoader("microagg.report", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html.jinja")


@cache
def _style() -> Markup:
    return Markup(files("microagg.report").joinpath("page.css").read_text("utf-8"))


def _reason(path: Path, error: OSError) -> str:
    if path.is_dir():
        return f"it is a folder: name a file in it, as {path / 'report.html'}"
    if not path.parent.is_dir():
        return f"there is no folder {path.parent}"
    return str(error.strerror or error)
