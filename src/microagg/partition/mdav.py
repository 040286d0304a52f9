"""MDAV: groups of k around the records farthest out."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from microagg.partition.matrix import COMPILED_FROM, Labels, Progress, canonical, compiled_from


@dataclass(frozen=True)
class MDAV:
    """Maximum distance to average vector, the standard method: every group has k records, but the last.

    While 3k or more records remain, two groups are formed: r, the record farthest from the centroid
    of the remaining records, with the k - 1 nearest to it; then s, the record farthest from r, with
    the k - 1 nearest to it. Of 2k to 3k - 1 records one group is formed around r and one of the rest;
    fewer than 2k are one group.

    This is the exact method: the partition is the one that the plain loop over all pairs of records
    finds, with distances on columns as they are given (standardise them first). Of records equally
    far, the one with the lesser values, compared column by column, comes first, so that the order of
    the rows does not matter. The time grows about as n**1.2 to n**1.5, not as n**2.

    Research interface: labels only. `protect` checks what it releases.

    References
    ----------
    J. Domingo-Ferrer, V. Torra, "Ordinal, continuous and heterogeneous k-anonymity through
    microaggregation", Data Mining and Knowledge Discovery 11(2), 2005.

    Examples
    --------
    >>> MDAV().partition([[0.0], [0.1], [5.0], [5.1], [9.0], [9.2]], k=2).tolist()
    [0, 0, 2, 2, 1, 1]
    """

    def partition(
        self,
        X: ArrayLike,
        k: int,
        *,
        weights: ArrayLike | None = None,
        seed: int = 0,
        progress: Progress | None = None,
    ) -> Labels:
        """Return the group of each record.

        Parameters
        ----------
        X
            The records, n x d, finite numbers on comparable scales.
        k
            The least number of records in a group, from 2 to n.
        weights
            How many records of the population each stands for; they move the centroid.
        seed
            Not used: nothing is left to chance.
        progress
            Called with the records done and in all; an exception raised in it stops the work.

        Returns
        -------
        ndarray of int32
            The group of each record, numbered from 0 in the order in which they were formed.

        Raises
        ------
        InputError
            If X, k or the weights cannot be used; all faults at once.
        """
        records = canonical(X, k, weights)
        if len(records.points) < compiled_from(COMPILED_FROM):
            from microagg.partition.passes import mdav
        else:
            from microagg.partition.driver import mdav
        return records.restore(mdav(records.points, records.weights, int(k), progress))
