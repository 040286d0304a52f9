"""Long compiled work in short slices, so that progress is seen and the work can be stopped."""

from __future__ import annotations

from time import perf_counter

from microagg.partition.matrix import Progress

SLICE_SECONDS = 0.05  # a quarter of the longest wait that is allowed, since no slice costs what the last did


class Slices:
    """Tells progress between slices of work, and how long the next slice may be.

    The length is set from the time the last slice took; what comes out must not depend on it.
    """

    def __init__(self, records: int, progress: Progress | None, budget: int = 20_000) -> None:
        self.records, self.progress, self.budget = records, progress, budget
        self._began = perf_counter()

    def end(self, done: int, *, spent: bool) -> None:
        """Tell how many records are done; `spent` says that the slice used its budget up."""
        if spent:
            ratio = SLICE_SECONDS / max(perf_counter() - self._began, 1e-3)
            self.budget = int(self.budget * min(max(ratio, 0.5), 2.0)) + 1
        if self.progress is not None:
            self.progress(done, self.records)
        self._began = perf_counter()
