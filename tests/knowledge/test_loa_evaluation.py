"""The evaluators of Lines of Action, and the file of their weights."""

from __future__ import annotations

import json

import numpy as np
import pytest
from loa_positions import policy, positions, set_of

from tesuji.core.errors import UserError
from tesuji.knowledge.loa.evaluation import BY_HAND, POINTS, evaluation, hand_weights
from tesuji.knowledge.loa.evaluation_weights import SHIPPED, EvaluationWeights
from tesuji.knowledge.loa.features import FEATURE_COUNT, FEATURES, features


# -- evaluators --------------------------------------------------------------------------------------------------------------
def test_evaluation_is_the_sum_of_weighted_features():
    terms = np.array([float(n + 1) for n in range(FEATURE_COUNT)])
    for blacks, whites, player in positions()[::9]:
        found = features(set_of(blacks), set_of(whites), player)
        assert evaluation(terms, set_of(blacks), set_of(whites), player) == pytest.approx(float(terms @ np.array(found)))


def test_three_evaluators():
    assert [int((hand_weights(name) != 0).sum()) for name in BY_HAND] == [3, 9]
    assert set(BY_HAND["mia2000"]) < set(BY_HAND["mia2002"]) == set(FEATURES)
    shipped = EvaluationWeights.shipped()
    assert shipped.games > 1000 and shipped.positions > 20000 and (shipped.terms != 0).all()
    assert 1 / (1 + np.exp(-1000 / POINTS)) == pytest.approx(0.95)
    terms = [policy(name).terms for name in ("mia2000", "mia2002", "mia2006", "mc-loa")]
    assert (terms[0] == hand_weights("mia2000")).all() and (terms[1] == hand_weights("mia2002")).all()
    assert (terms[2] == shipped.terms).all() and (terms[3] == shipped.terms).all()


def test_a_side_that_is_almost_connected_is_ahead():
    huddled = {(3, 3), (3, 4), (4, 3), (4, 4), (5, 4), (2, 2), (5, 6)}
    scattered = {(0, 0), (7, 0), (0, 7), (7, 6), (1, 4), (6, 1), (3, 7)}
    for name in ("mia2000", "mia2002", "mia2006"):
        terms = policy(name).terms
        assert evaluation(terms, set_of(huddled), set_of(scattered), 1) > 1000
        assert evaluation(terms, set_of(scattered), set_of(huddled), 0) < -1000


def changed(tmp_path, **values):
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(json.loads(SHIPPED.read_text()) | values))
    return path


WEIGHTS = dict.fromkeys(FEATURES, 1.0)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"version": 2}, "version 2, not of version 1"),
        ({"game": "hex"}, "of the game hex, not of loa"),
        ({"format": "something"}, "is not a file of evaluation weights"),
        ({"weights": {"walls": 1.0}}, "damaged"),
        ({"weights": WEIGHTS | {"more": 1.0}}, "damaged"),
        ({"weights": WEIGHTS | {"walls": "much"}}, "damaged"),
        ({"weights": WEIGHTS | {"walls": float("nan")}}, "damaged"),
        ({"weights": [1.0]}, "damaged"),
        ({"games": None}, "damaged"),
    ],
)
def test_other_files_are_refused(tmp_path, values, message):
    with pytest.raises(UserError, match=message) as error:
        EvaluationWeights.load(changed(tmp_path, **values))
    assert "\n" not in str(error.value)


def test_files_are_read_back(tmp_path):
    EvaluationWeights.shipped().save(tmp_path / "w.json")
    assert (tmp_path / "w.json").read_text() == SHIPPED.read_text()
    assert (EvaluationWeights.load(tmp_path / "w.json").terms == EvaluationWeights.shipped().terms).all()
    for content in (b"", b"{", b"[]", b"\xff\xfe", b"[" * 100_000):
        (tmp_path / "no.json").write_bytes(content)
        with pytest.raises(UserError, match="is not a file of evaluation weights"):
            EvaluationWeights.load(tmp_path / "no.json")
    with pytest.raises(UserError, match="cannot be read"):
        EvaluationWeights.load(tmp_path / "nowhere")
