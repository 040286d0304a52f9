"""What is asked for: k, what each column is, how records are compared, and the method."""

from microagg.plan.forms import well_formed
from microagg.plan.plan import Plan
from microagg.plan.request import Names
from microagg.plan.vocabulary import CENTRES, KINDS, ROLES, Centre, Kind, Missing, Role, Scale

__all__ = [
    "CENTRES",
    "KINDS",
    "ROLES",
    "Centre",
    "Kind",
    "Missing",
    "Names",
    "Plan",
    "Role",
    "Scale",
    "well_formed",
]
