"""Where each reference set is published, and how to recognise it: pinned sizes and checksums."""

from __future__ import annotations

from dataclasses import dataclass

ADDRESS = "https://raw.githubusercontent.com/sdcTools/sdcMicro/ea3a1048e7f811f9afc806f2e85906cd974ce0ac/data"
"""The folder of data files at one commit of a public repository."""


@dataclass(frozen=True)
class Source:
    """One published file."""

    name: str
    origin: str
    file: str
    size: int  # bytes of the published file
    sha256: str  # of the published file
    values_sha256: str  # of the names and values in it, see `verify.values_digest`
    records: int
    columns: tuple[str, ...]
    texts: tuple[str, ...] = ()  # the columns that hold texts; all others hold whole numbers
    unused: tuple[str, ...] = ()  # the columns that the papers leave out

    @property
    def used(self) -> tuple[str, ...]:
        """The columns that the papers use."""
        return tuple(column for column in self.columns if column not in self.unused)


_CENSUS = Source(
    name="census",
    origin="US Census Bureau; published by the CASC project, 2002",
    file="CASCrefmicrodata.rda",
    size=23_364,
    sha256="147d0d7fa823a384e36c2297174560e32cdbe6e39803f22f797610fb1a2993d6",
    values_sha256="a709fc6b5fafde95cecab2c8fa4d93a87f34698cdf17b2e0875b2ff0a947b1bd",
    records=1080,
    columns=(
        "AFNLWGT",
        "AGI",
        "EMCONTRB",
        "FEDTAX",
        "PTOTVAL",
        "STATETAX",
        "TAXINC",
        "POTHVAL",
        "INTVAL",
        "PEARNVAL",
        "FICA",
        "WSALVAL",
        "ERNVAL",
    ),
)

_TARRAGONA = Source(
    name="tarragona",
    origin="834 companies of the Tarragona area, 1995; published by the CASC project, 2002",
    file="Tarragona.rda",
    size=23_860,
    sha256="e83def0648be5e47eaf202b4dd60dd6981591d0858fd249817b9a2cc97cf2aef",
    values_sha256="0f547523b8a836342ad065a5d917e0ba4360337d35e30f21c48909125dc9e43d",
    records=834,
    columns=(
        "FIXED.ASSETS",
        "CURRENT.ASSETS",
        "TREASURY",
        "UNCOMMITTED.FUNDS",
        "PAID.UP.CAPITAL",
        "SHORT.TERM.DEBT",
        "SALES",
        "LABOR.COSTS",
        "DEPRECIATION",
        "OPERATING.PROFIT",
        "FINANCIAL.OUTCOME",
        "GROSS.PROFIT",
        "NET.PROFIT",
    ),
)

_EIA = Source(
    name="eia",
    origin="US Energy Information Administration; published by the CASC project, 2002",
    file="EIA.rda",
    size=84_252,
    sha256="8b61ceb0d1fa01d024bd62171655601abed62ff70a5e9e6fd550c43a1f76695e",
    values_sha256="4aa8eb2873b6db6a71299a7f6e7dc52c30bb347c2936e404e0e2ccd785513dbf",
    records=4092,
    columns=(
        "UTILITYID",
        "UTILNAME",
        "STATE",
        "YEAR",
        "MONTH",
        "RESREVENUE",
        "RESSALES",
        "COMREVENUE",
        "COMSALES",
        "INDREVENUE",
        "INDSALES",
        "OTHREVENUE",
        "OTHRSALES",
        "TOTREVENUE",
        "TOTSALES",
    ),
    texts=("UTILNAME", "STATE"),
    unused=("UTILNAME", "STATE", "YEAR", "MONTH"),
)

SOURCES: dict[str, Source] = {source.name: source for source in (_CENSUS, _TARRAGONA, _EIA)}
