"""Protect microdata by microaggregation: groups of at least k records, replaced by their centre.

The public names below are imported when first used, so that `import microagg` is instant.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from microagg.certificate.lower import lower_bound as lower_bound
    from microagg.estimator import Microaggregator as Microaggregator
    from microagg.partition.blocked import Blocked as Blocked
    from microagg.partition.genetic import Genetic as Genetic
    from microagg.partition.mdav import MDAV as MDAV
    from microagg.partition.optimal import Optimal as Optimal
    from microagg.partition.refined import Refined as Refined
    from microagg.partition.univariate import Univariate as Univariate
    from microagg.partition.univariate import individual_ranking as individual_ranking
    from microagg.partition.univariate import optimal_cut as optimal_cut
    from microagg.partition.vmdav import VMDAV as VMDAV
    from microagg.plan import Plan as Plan
    from microagg.proposal import propose as propose
    from microagg.run.audit import fingerprint as fingerprint
    from microagg.run.checking import check_release as check_release
    from microagg.run.foretelling import preview as preview
    from microagg.run.protection import protect as protect
    from microagg.tables.source import Destination as Destination
    from microagg.tables.source import Source as Source

__version__ = "0.1.0"

_HOME_OF = {
    "Blocked": "microagg.partition.blocked",
    "Destination": "microagg.tables.source",
    "Genetic": "microagg.partition.genetic",
    "MDAV": "microagg.partition.mdav",
    "Microaggregator": "microagg.estimator",
    "Optimal": "microagg.partition.optimal",
    "Plan": "microagg.plan",
    "Refined": "microagg.partition.refined",
    "Source": "microagg.tables.source",
    "Univariate": "microagg.partition.univariate",
    "VMDAV": "microagg.partition.vmdav",
    "check_release": "microagg.run.checking",
    "datasets": "microagg.datasets",
    "fingerprint": "microagg.run.audit",
    "individual_ranking": "microagg.partition.univariate",
    "lower_bound": "microagg.certificate",
    "optimal_cut": "microagg.partition.univariate",
    "preview": "microagg.run",
    "propose": "microagg.proposal",
    "protect": "microagg.run",
}

__all__ = sorted(_HOME_OF)


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'microagg' has no attribute {name!r}; it has {', '.join(__all__)}")
    module = import_module(_HOME_OF[name])
    value = module if name == "datasets" else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
