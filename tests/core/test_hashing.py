"""The words of splitmix64 against the reference implementation's, and that mixing depends on all that is mixed in."""

import numpy as np

from tesuji.core.hashing import mixed, random_words


def test_words_of_splitmix64():
    assert random_words(3) == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
    assert random_words(2, 1234567) == [6457827717110365317, 3203168211198807973]


def test_mixing_tells_words_and_their_order_apart():
    with np.errstate(over="ignore"):
        words = [np.uint64(n) for n in range(50)]
        hashes = {int(mixed(mixed(np.uint64(1), a), b)) for a in words for b in words}
    assert len(hashes) == 2500 and 0 not in hashes
