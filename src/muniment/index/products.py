"""Products of many lines with one, on the calling thread.

The usual product of a matrix goes through a BLAS that starts threads for anything over a few thousand elements, and lets
them spin while they wait. On a machine with other work that costs more than it saves, several times over (1 000 x 512: 8 ms
instead of 0.1 with two cores taken), and the last bits of a sum come to depend on how many threads there were.

Belongs here: that product and sum. Does not belong here: what they mean.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

_STRETCH: Final = 1024
"""Lines added up at a time, so that their double copy stays small."""


def products(lines: NDArray[Any], vector: NDArray[Any]) -> NDArray[Any]:
    """The product of each line with the vector, in their own precision."""
    result: NDArray[Any] = np.einsum("ij,j->i", lines, vector)
    return result


def summed(lines: NDArray[np.float32]) -> NDArray[np.float64]:
    """The sum of the lines in double precision: exact for values that fit float16, which are multiples of 2**-24, so that it
    does not depend on the order, nor on whether some were added or others taken off."""
    total = np.zeros(lines.shape[1], np.float64)
    for start in range(0, len(lines), _STRETCH):
        total += np.add.reduce(lines[start : start + _STRETCH], axis=0, dtype=np.float64)
    return total
