"""Into which class a value falls."""

from __future__ import annotations

import numpy as np

from microagg.dependence.classes import Ranges


def test_a_width_of_a_tenth_puts_each_tenth_into_its_own_class():
    tenths = np.round(np.arange(0, 1, 0.1), 1)
    for values, width in ((tenths, 0.1), (tenths * 10, 1.0)):
        cutting = Ranges.of([values, values]).finish(width=width)
        assert cutting.codes([values, values])[0].tolist() == list(range(10))
