"""How small the loss can be at all: a lower bound, and what it says of the best partition known."""

from microagg.certificate.bound import Bound
from microagg.certificate.lower import lower_bound

__all__ = ["Bound", "lower_bound"]
