"""An evaluator of the user's in place of a network: what it sees of a position, and how its answers are read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from tesuji.core import rules
from tesuji.core.dispatch import implements
from tesuji.core.encoding import Encoding
from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.core.parameters import SHIPPED
from tesuji.knowledge.network.forward import (
    ALL,
    VIEWS,
    ZERO,
    images_of,
    logit_at,
    result_of,
    room_of,
    run_on_image,
    show_position,
)
from tesuji.search.engine.evaluator import Evaluation, Evaluator
from tesuji.search.kernel.leaves import LEAF, ROW, Answers, write_question


class OutsideNetwork(NamedTuple):
    """What the search must know of an evaluator: as much of a `BoardNetwork` as its callers read."""

    temperature: float
    view: int
    rows_of_leaf: int  # images that the evaluator sees of each leaf
    cell_images: np.ndarray  # as of the encoding
    place_images: np.ndarray


def evaluation_of(game: Game, evaluator: Evaluator, settings: Mapping[str, Any]) -> Evaluation:
    """The evaluator at work in a search of the game, with the settings of a policy that has a network."""
    if settings.get("network", SHIPPED) != SHIPPED:
        raise UserError("network=FILE has no effect on a player with an evaluator, which is in place of a network")
    encoding = game.encoding
    if encoding is None:
        raise UserError(f"{game.name} does not say what an evaluator sees of it (rules.planes; docs/your-own-game.md)")
    viewer = outside_network(encoding, settings.get("network_temperature", 1.0), settings.get("network_view", VIEWS[0]))
    return Evaluation(evaluator, encoding, viewer, viewer.rows_of_leaf, int(settings["batch"]), int(settings["threads"]))


def outside_network(encoding: Encoding, temperature: float, view: str) -> OutsideNetwork:
    return OutsideNetwork(
        temperature=float(temperature),
        view=VIEWS.index(view),
        rows_of_leaf=len(encoding.turns) if VIEWS.index(view) == ALL else 1,
        cell_images=encoding.cell_images,
        place_images=encoding.place_images,
    )


@implements(write_question, OutsideNetwork)
def write_images(network, state, planes, images):
    rows, columns, count = planes.shape
    for row in range(rows):
        for column in range(columns):
            for k in range(count):
                planes[row, column, k] = ZERO
    rules.planes(state, planes)
    cell_images = network.cell_images
    first, last = images_of(network, state)
    for image in range(first, last):
        for row in range(rows):
            for column in range(columns):
                cell = cell_images[image, row * columns + column]
                for k in range(count):
                    images[image - first, cell // columns, cell % columns, k] = planes[row, column, k]


# -- its answers, read as a network's ----------------------------------------------------------------------------------------
@implements(show_position, OutsideNetwork)
def has_seen(network, answers, state):
    pass


@implements(run_on_image, OutsideNetwork)
def turn_to_row(network, answers, image):
    answers.at[ROW] = answers.at[LEAF] * network.rows_of_leaf + (image if network.rows_of_leaf > 1 else 0)


@implements(logit_at, OutsideNetwork)
def logit_of_answer(network, answers, place):
    return answers.policies[answers.at[ROW], place]


@implements(result_of, OutsideNetwork)
def result_of_answer(network, answers):
    return answers.values[answers.at[ROW]]


@implements(room_of, Answers)
def own_answers(answers, slot):
    """Each thread has a policy of its own, with its own answers (search/engine/evaluator.py)."""
    return answers
