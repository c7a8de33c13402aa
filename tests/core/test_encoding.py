"""The shape of what networks see, and its images."""

from __future__ import annotations

import numpy as np
import pytest

from tesuji.core.encoding import Encoding
from tesuji.core.errors import UserError

TWO = Encoding(2, 3, ("a", "b"), policy_planes=2, others=1, turns=(0, 1), policy_turns=((0, 1), (1, 0)))


def test_a_mirror_turns_planes_and_places():
    planes = np.arange(12, dtype=np.float32).reshape(2, 3, 2)
    assert np.array_equal(TWO.image_of_planes(planes, 1), planes[:, ::-1])
    assert np.array_equal(TWO.image_of_planes(planes[None], 1)[0], planes[:, ::-1])
    policy = np.arange(TWO.places, dtype=np.float32)
    image = np.empty_like(policy)
    image[TWO.place_images[1]] = policy
    board = policy[:12].reshape(2, 2, 3)
    assert np.array_equal(image[:12].reshape(2, 2, 3), board[::-1, :, ::-1]) and image[12] == 12


@pytest.mark.parametrize("turn", range(8))
def test_images_of_a_square_are_permutations(turn):
    encoding = Encoding(4, 4, ("a",), others=2, turns=(0, turn))
    assert sorted(encoding.place_images[1]) == list(range(encoding.places))
    assert list(encoding.place_images[0]) == list(range(encoding.places))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rows": 0}, "0 rows is out of range: 1 to 64"),
        ({"names": ()}, "0 input planes is out of range"),
        ({"policy_planes": 1000}, "1000 policy planes is out of range"),
        ({"others": -1}, "-1 other moves is out of range"),
        ({"turns": (0, 4), "columns": 3}, "2x3 cannot exchange rows and columns"),
        ({"turns": (0, 1), "policy_turns": ((0,),)}, "as many policy_turns as turns"),
    ],
)
def test_impossible_shapes_are_refused(arguments, message):
    with pytest.raises(UserError, match=message):
        Encoding(**({"rows": 2, "columns": 2, "names": ("a",)} | arguments))
