"""Write a data set as a CSV file: `python -m microagg.datasets business_survey firms.csv`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from microagg.datasets.business import business_survey
from microagg.datasets.csv_file import write_csv
from microagg.datasets.reference import load_reference
from microagg.datasets.sources import SOURCES
from microagg.errors import InputError, MicroaggError


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the set that is asked for; return the exit status: 0, or 2 if nothing was written."""
    asked = _parser().parse_args(arguments)
    try:
        _require_free(asked.path)
        write_csv(_table(asked), asked.path)
    except (MicroaggError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"wrote {asked.path}", file=sys.stderr)
    return 0


def _require_free(path: Path) -> None:
    if path.exists():
        raise InputError(f"{path} exists and is left as it is: choose another name")
    if not path.parent.is_dir():
        raise InputError(f"{path} cannot be written: there is no folder {path.parent}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m microagg.datasets", description="Write a data set as a CSV file."
    )
    sets = parser.add_subparsers(dest="name", required=True, metavar="SET")
    survey = sets.add_parser("business_survey", help="an invented business survey")
    survey.add_argument("--records", type=int, default=1000, help="how many firms (default: 1000)")
    survey.add_argument("--seed", type=int, default=0, help="other seeds draw other firms (default: 0)")
    survey.add_argument(
        "--missing", type=float, default=0.0, help="share of unanswered questions (default: 0)"
    )
    for source in SOURCES.values():
        reference = sets.add_parser(source.name, help=f"{source.records} records, {source.origin}")
        reference.add_argument("--folder", help="where to look for it before it is fetched")
    for each in sets.choices.values():
        each.add_argument("path", type=Path, help="the CSV file to write")
    return parser


def _table(asked: argparse.Namespace) -> Mapping[str, Any]:
    if asked.name == "business_survey":
        return business_survey(asked.records, seed=asked.seed, missing=asked.missing)
    return load_reference(asked.name, asked.folder).table


if __name__ == "__main__":
    sys.exit(main())
