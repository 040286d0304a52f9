"""An invented business survey: a realistic table of mixed types to try protection on.

No row stands for a real firm. The survey asks few small firms and every large one, so that a small
firm has a large weight; firms have heavy-tailed sizes, and their money follows from sector and staff.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from microagg.datasets.draws import draws
from microagg.errors import InputError

Draws = np.random.Generator
Numbers = NDArray[np.float64]
Choices = NDArray[np.intp]

SURVEY_YEAR = 2023


class Sector(NamedTuple):
    """One line of business; money in thousands of euro a year and employee."""

    code: str
    share: float  # of the firms in the survey
    turnover: float
    wage: float
    assets: float  # for each euro of turnover
    exporters: float  # share of the firms that export at all
    trades: tuple[str, ...]  # how firms of this sector call themselves


class SizeClass(NamedTuple):
    """One stratum of the survey."""

    name: str
    share: float  # of the firms in the survey
    fewest: int  # employees
    most: int
    weight: float  # firms of the population that one in the survey stands for


SECTORS = (
    Sector("C10", 0.09, 210.0, 31.0, 0.55, 0.35, ("Foods", "Bakeries", "Dairy", "Mills")),
    Sector("C25", 0.12, 150.0, 42.0, 0.80, 0.50, ("Metalworks", "Forge", "Steel Parts", "Tooling")),
    Sector("C28", 0.07, 190.0, 52.0, 0.85, 0.75, ("Machines", "Pumps", "Drives", "Engineering")),
    Sector("F43", 0.14, 115.0, 37.0, 0.40, 0.04, ("Builders", "Roofing", "Electric", "Interiors")),
    Sector("G46", 0.14, 480.0, 41.0, 0.35, 0.45, ("Trading", "Wholesale", "Supplies", "Imports")),
    Sector("G47", 0.15, 170.0, 26.0, 0.30, 0.08, ("Stores", "Markets", "Books", "Home")),
    Sector("H49", 0.08, 120.0, 34.0, 0.70, 0.25, ("Haulage", "Transport", "Freight", "Coaches")),
    Sector("I56", 0.09, 55.0, 19.0, 0.45, 0.01, ("Kitchens", "Inns", "Catering", "Coffee")),
    Sector("J62", 0.07, 125.0, 61.0, 0.35, 0.40, ("Software", "Data", "Systems", "Networks")),
    Sector("M71", 0.05, 105.0, 54.0, 0.40, 0.20, ("Surveyors", "Design", "Consult", "Laboratories")),
)
SIZE_CLASSES = (
    SizeClass("micro", 0.46, 1, 9, 62.0),
    SizeClass("small", 0.30, 10, 49, 11.5),
    SizeClass("medium", 0.17, 50, 249, 3.2),
    SizeClass("large", 0.07, 250, 12_000, 1.0),
)
REGIONS = {
    "Capital": 0.24,
    "Coast": 0.17,
    "North": 0.15,
    "Lakes": 0.12,
    "East": 0.11,
    "South": 0.10,
    "Highlands": 0.07,
    "Islands": 0.04,
}
LEGAL_FORMS = ("sole proprietor", "partnership", "limited company", "public company")
LEGAL_FORM_SHARES = {
    "micro": (0.46, 0.16, 0.38, 0.00),
    "small": (0.10, 0.14, 0.76, 0.00),
    "medium": (0.01, 0.06, 0.88, 0.05),
    "large": (0.00, 0.02, 0.62, 0.36),
}
NAME_STARTS = "Al Bar Cor Dan El Fen Gar Hol Is Jor Kel Lin Mor Nor Or Pel Quin Ros Sel Tor Ul Var Wes Yar"
NAME_ENDS = (
    "aby ander ard berg by dale den ell enko er field ford grave ham ier ini ley mark ona ov sen son ton wick"
)
NAME_SUFFIXES = {
    "sole proprietor": "",
    "partnership": " & Partners",
    "limited company": " Ltd",
    "public company": " plc",
}

SOMETIMES_UNANSWERED = ("founded", "assets", "export_share")


def business_survey(n: int = 1000, *, seed: int = 0, missing: float = 0.0) -> dict[str, list[Any]]:
    """Draw a survey of n invented firms: a mapping of column name -> list of values.

    Money is in thousands of euro, in whole numbers, and `costs` is exactly `purchases` + `wages`.
    `missing` is the probability that `founded`, `assets` or `export_share` was not answered (None);
    the answers that are given do not depend on it. The columns:

    firm_id, name : direct identifiers
    region, sector, legal_form : nominal; the sectors are divisions of NACE
    size_class : ordinal: micro, small, medium, large, by employees
    founded, employees : whole numbers, the latter with a heavy tail
    turnover, purchases, wages, costs, assets : money, heavy-tailed and correlated
    export_share : percent of turnover, 0 for most firms
    weight : survey weight, how many firms the firm stands for
    insolvency_warning : sensitive, yes or no

    Examples
    --------
    >>> firms = business_survey(3, seed=1)
    >>> list(firms)[:8]
    ['firm_id', 'name', 'region', 'sector', 'size_class', 'legal_form', 'founded', 'employees']
    >>> [p + w == c for p, w, c in zip(firms["purchases"], firms["wages"], firms["costs"])]
    [True, True, True]
    """
    rng = draws(seed, {"n": n})
    if not 0 <= missing < 1:
        raise InputError(f"expected missing to be a share from 0 to below 1, found {missing!r}")
    table = {"firm_id": [f"F{number:06d}" for number in range(1, n + 1)], **_firms(rng, n)}
    for column in SOMETIMES_UNANSWERED:
        unanswered = rng.random(n) < missing
        table[column] = [
            None if lost else value for value, lost in zip(table[column], unanswered, strict=True)
        ]
    return table


def _firms(rng: Draws, n: int) -> dict[str, list[Any]]:
    sector = _choose(rng, [sector.share for sector in SECTORS], n)
    size = _choose(rng, [size.share for size in SIZE_CLASSES], n)
    region = _choose(rng, list(REGIONS.values()), n)
    form = _legal_forms(rng, size)
    founded = _founded(rng, size)
    employees = _employees(rng, size)
    money = _money(rng, sector, employees)
    margin = 1.0 - money["costs"] / money["turnover"]
    return {
        "name": _names(rng, sector, form),
        "region": _pick(list(REGIONS), region),
        "sector": _pick([sector.code for sector in SECTORS], sector),
        "size_class": _pick([size.name for size in SIZE_CLASSES], size),
        "legal_form": _pick(LEGAL_FORMS, form),
        "founded": _whole(founded),
        "employees": _whole(employees),
        **{name: _whole(values) for name, values in money.items()},
        "export_share": _export_shares(rng, sector, size).tolist(),
        "weight": _weights(rng, size).tolist(),
        "insolvency_warning": _warnings(rng, margin, SURVEY_YEAR - founded),
    }


def _choose(rng: Draws, shares: Any, n: int) -> Choices:
    """Draw n places in a list, each as often as its share says."""
    bounds = np.cumsum(shares)
    places: Choices = np.searchsorted(bounds[:-1], rng.random(n) * bounds[-1], side="right")
    return places


def _pick(values: Any, places: Choices) -> list[Any]:
    return [values[place] for place in places]


def _whole(values: Numbers) -> list[int]:
    return [int(value) for value in values]


def _of_sector(attribute: str, sector: Choices) -> Numbers:
    return np.array([getattr(each, attribute) for each in SECTORS])[sector]


def _of_size(attribute: str, size: Choices) -> Numbers:
    return np.array([getattr(each, attribute) for each in SIZE_CLASSES], dtype=np.float64)[size]


def _legal_forms(rng: Draws, size: Choices) -> Choices:
    bounds = np.cumsum([LEGAL_FORM_SHARES[each.name][:-1] for each in SIZE_CLASSES], axis=1)[size]
    drawn: Choices = (rng.random(size.size)[:, None] >= bounds).sum(axis=1)
    return drawn


def _founded(rng: Draws, size: Choices) -> Numbers:
    """Draw years of foundation: large firms are older."""
    mean_age = 14.0 + 9.0 * size
    return SURVEY_YEAR - np.minimum(np.floor(rng.exponential(mean_age)), 160.0)


def _employees(rng: Draws, size: Choices) -> Numbers:
    """Draw employees within the size class, with a density that falls as in a Pareto tail."""
    fewest, beyond = _of_size("fewest", size), _of_size("most", size) + 1.0
    reach = 1.0 - fewest / beyond
    return np.floor(fewest / (1.0 - reach * rng.random(size.size)))


def _money(rng: Draws, sector: Choices, employees: Numbers) -> dict[str, Numbers]:
    """Derive the money from sector and employees, with noise that multiplies."""
    n = employees.size
    scale = employees**0.06  # larger firms turn over, and pay, a little more a head
    wages = np.ceil(employees * scale * _of_sector("wage", sector) * np.exp(rng.normal(0.0, 0.22, n)))
    turnover = employees * scale * _of_sector("turnover", sector) * np.exp(rng.normal(0.0, 0.45, n))
    turnover = np.ceil(np.maximum(turnover, 1.15 * wages))
    margin = rng.normal(0.055, 0.07, n)
    purchases = np.maximum(np.rint(turnover * (1.0 - margin) - wages), np.ceil(0.05 * turnover))
    assets = np.ceil(turnover * _of_sector("assets", sector) * np.exp(rng.normal(0.0, 0.6, n)))
    return {
        "turnover": turnover,
        "purchases": purchases,
        "wages": wages,
        "costs": purchases + wages,
        "assets": assets,
    }


def _export_shares(rng: Draws, sector: Choices, size: Choices) -> Numbers:
    """Draw the exported percent of turnover: most firms export nothing, exporters anything up to all."""
    n = sector.size
    exports = rng.random(n) < np.minimum(_of_sector("exporters", sector) * (0.5 + 0.4 * size), 0.95)
    percent = np.maximum(np.rint(1000.0 * rng.beta(1.1, 2.4, n)) / 10.0, 0.1)
    return np.where(exports, percent, 0.0)


def _weights(rng: Draws, size: Choices) -> Numbers:
    """Draw survey weights around that of the size class; the large firms are all asked."""
    drawn = _of_size("weight", size) * np.exp(rng.normal(0.0, 0.12, size.size))
    return np.maximum(np.rint(100.0 * np.where(_of_size("weight", size) > 1.0, drawn, 1.0)) / 100.0, 1.0)


def _warnings(rng: Draws, margin: Numbers, age: Numbers) -> list[str]:
    """Draw warnings of insolvency: more likely for young firms and for those that lose money."""
    odds = np.exp(-3.0 - 12.0 * margin - 0.02 * age)
    return ["yes" if warned else "no" for warned in rng.random(margin.size) < odds / (1.0 + odds)]


def _names(rng: Draws, sector: Choices, form: Choices) -> list[str]:
    starts, ends = NAME_STARTS.split(), NAME_ENDS.split()
    n = sector.size
    start, end, trade = (
        rng.integers(len(starts), size=n),
        rng.integers(len(ends), size=n),
        rng.integers(4, size=n),
    )
    return [
        f"{starts[start[i]]}{ends[end[i]]} {SECTORS[sector[i]].trades[trade[i]]}"
        f"{NAME_SUFFIXES[LEGAL_FORMS[form[i]]]}"
        for i in range(n)
    ]
