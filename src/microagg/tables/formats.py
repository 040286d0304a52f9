"""The kinds of files, by the endings of their names; a kind is loaded only if it is used."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from microagg.errors import InputError


class Format(NamedTuple):
    """A kind of file, the modules that read and write it, and what a source can say of it."""

    name: str
    reader: str
    writer: str | None
    options: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()  # the libraries beside those that are always there, in the extra `stats`

    def load(self, module: str) -> Any:
        """Return one of its modules, or say what to install."""
        absent = [library for library in self.needs if not _is_there(library)]
        if absent:
            raise InputError(
                f"{self.name} files need {' and '.join(absent)}, not installed here: "
                "pip install 'microagg[stats]'"
            )
        return import_module(f"microagg.tables.{module}")


_CSV = Format("CSV", "csv_file", "csv_writing", options=("delimiter", "encoding", "decimal", "thousands"))
PARQUET = Format("Parquet", "parquet_file", "parquet_file")
_ARROW = Format("Arrow IPC", "arrow_file", "arrow_file")
_EXCEL = Format(
    "Excel", "excel_file", "excel_file", options=("sheet",), needs=("python_calamine", "xlsxwriter")
)
_SPSS = Format("SPSS", "statistical_file", "spss_file", needs=("pyreadstat", "polars"))
_STATA = Format("Stata", "statistical_file", "stata_file", needs=("pyreadstat", "polars"))
_SAS = Format("SAS", "statistical_file", None, needs=("pyreadstat",))

FORMATS = {
    ".csv": _CSV,
    ".parquet": PARQUET,
    ".arrow": _ARROW,
    ".feather": _ARROW,
    ".xlsx": _EXCEL,
    ".sav": _SPSS,
    ".dta": _STATA,
    ".sas7bdat": _SAS,
}


def format_of(path: Path, *, written: bool = False) -> Format:
    """Return the kind of file that a path tells of; raises InputError if it is none of those known."""
    ending = path.suffix.lower()
    known = {end: kind for end, kind in FORMATS.items() if kind.writer or not written}
    if ending in known:
        return known[ending]
    if ending in FORMATS:
        raise InputError(f"{path} ends in {ending}: {FORMATS[ending].name} files can be read, not written")
    *most, last = known
    raise InputError(f"{path} ends in {ending or 'nothing'}: supported are {', '.join(most)} and {last}")


def _is_there(library: str) -> bool:
    from importlib.util import find_spec

    return find_spec(library) is not None
