"""The tree of a search, as the page is told: a node with its children, and one simulation step by step."""

from __future__ import annotations

from typing import Any

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.words import outcome_word
from tesuji.search.kernel.scale import value_range
from tesuji.search.report.analysis import in_own_units
from tesuji.search.report.explanations import step


def tree_report(search: Any, moves: list[str]) -> dict[str, Any]:
    """The node after these moves with its children, best first."""
    node = search.tree
    for text in moves:
        node = next((child for child in node.children() if child.move == text), None)
        if node is None:
            raise UserError("this position is not in the tree, or not any more")
    engine, position = search.engine, node.position
    game = position.game
    mover = None if position.is_over else int(rules.to_play(position.state))
    rule = engine.rule
    lines = (type(rule).__doc__ or "").strip().splitlines()
    full = tuple(game.in_points(outcome) for outcome in game.outcomes)

    low, high = (in_own_units(game, value_range(engine.options.scale), end) for end in value_range(engine.options.scale))

    def chance(value: float | None) -> float | None:
        """A value for who is to move at the node, from 0 to 1: who chooses among its children."""
        if value is None or mover is None:
            return None
        share = min(max((value - low) / (high - low), 0.0), 1.0) if high > low else 1.0
        return share if mover == rules.FIRST else 1.0 - share

    def numbers(found: Any) -> dict[str, Any]:
        lower, upper = found.bounds
        return {
            "visits": found.visits,
            "value": found.value,
            "chance": chance(found.value),
            "lower": lower,
            "upper": upper,
            "bounded": found.bounds != full,
        }

    def child_of(found: Any, choice: Any) -> dict[str, Any]:
        assert mover is not None
        record = engine.tree.nodes[choice.index]
        return {
            "move": found.move,
            **numbers(found),
            "prior": found.prior,
            "rave": found.rave,
            "rave_chance": chance(found.rave),
            "outcome": outcome_word(game, int(record["lower"]), int(record["upper"]), mover),
            "proven": found.bounds[0] == found.bounds[1] or choice.decided,
            "decided": choice.decided,
            "pruned": found.is_pruned,
            "cut": choice.cut,
            "children": int(record["child_count"]),
            "worth": choice.worth,
            "chosen": choice.chosen,
            "terms": [{"name": name, "value": value} for name, value in choice.terms],
        }

    return {
        "player": search.player.name,
        "rule": engine.settings["selection"],
        "formula": lines[0] if lines else "",
        "about": " ".join(" ".join(lines[1:]).split()),
        "node": {**numbers(node), "to_move": mover, "moves": list(moves)},
        "children": [child_of(found, choice) for found, choice in node.choices()] if mover is not None else [],
    }


def step_report(search: Any) -> dict[str, Any]:
    """One simulation: its path, its playout, and what it changed."""
    engine, position = search.tree_search("there are no steps to see"), search.position
    game = position.game

    def units(value: float) -> float:
        return in_own_units(game, value_range(engine.options.scale), value)

    def work(_tell: Any) -> Any:
        search.outdate_nodes()
        return step(engine)

    done = search.in_thread(work)
    if done is None:
        raise UserError("nothing is left to simulate: this position is proven")
    numbers = [visited.move for visited in done.path[1:]]
    path = [
        {
            "move": None,
            "mover": None if visited.mover < 0 else visited.mover,
            "before": {"visits": visited.visits[0], "value": units(visited.value[0])},
            "after": {
                "visits": visited.visits[1],
                "value": units(visited.value[1]),
                "lower": game.in_points(visited.bounds[0]),
                "upper": game.in_points(visited.bounds[1]),
            },
        }
        for visited in done.path
    ]
    state, line, played = position.state, [], []
    for number in [*numbers, *done.playout]:
        if rules.is_over(state):
            break
        line.append(game.text(state, number))
        played.append(int(number))
        rules.play(state, number)
    for entry, text in zip(path[1:], line, strict=False):
        entry["move"] = text
    over = bool(rules.is_over(state))
    outcome = game.in_points(int(rules.outcome(state))) if over else None
    score = None if done.score is None else units(done.score)
    depth = len(numbers)
    added = f", {done.expanded} nodes added" if done.expanded else ""
    ended = f"the game ends with {outcome:g}" if outcome is not None else f"it counts as {score:g}" if score is not None else ""
    return {
        "playouts": engine.playouts,
        "path": path,
        "expanded": done.expanded > 0,
        "line": line[:depth],
        "playout": line[depth:],
        "end_moves": [*position.move_numbers, *played],
        "outcome": outcome,
        "score": score,
        "text": f"{depth} moves in the tree{added}; {max(0, len(line) - depth)} moves played out; {ended}",
    }
