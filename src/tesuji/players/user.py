"""A user's own player: 'path/to/file.py:name' as a Player.

That its policy makes legal moves is tested in a game, before its first search (`search/engine/trial.py`).
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace

from tesuji.core.errors import UserError
from tesuji.core.sources import described
from tesuji.core.user_files import load_file, pick, split_path
from tesuji.knowledge.registry import AUTO, POLICIES, UNIFORM
from tesuji.players.player import Player
from tesuji.search.engine.trial import check_policy, check_rule
from tesuji.search.selection.registry import RULES

FORM = "a player of your own is path/to/file.py:name"


def load_user_player(text: str) -> Player:
    """The player that 'path/to/file.py:name' names, without what may follow; a UserError says what is wrong with it, where."""
    path_text, name, _ = split_path(text)
    file = load_file(path_text, FORM)
    player = pick(file, path_text, name, Player)
    if player.rule is not None:
        check_rule(player.rule)
        _check_name(player.rule, RULES)
    if player.policy is not None:
        check_policy(player.policy)
        _check_name(player.policy, {AUTO, UNIFORM, *(key for names in POLICIES.values() for key in names)})
    return replace(player, name=f"{path_text}:{name}", source=str(file.path), digest=file.digest)


def _check_name(kind: type, reserved: Container[str]) -> None:
    if kind.__name__ in reserved:
        raise UserError(f"{described(kind)} has the name of one that comes with tesuji; call it something else")
