"""docs/extending.md: the code on the page is what runs here, by the commands on the page, in pure Python."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import numpy as np
import pytest

import tesuji
from tesuji.cli.main import main
from tesuji.core.limits import Limits
from tesuji.games.registry import find_game
from tesuji.players.presets import find_player
from tesuji.search.kernel.tree import PRUNED, USED
from tesuji.search.policy import RATING
from tesuji.search.selection.interface import Child, Parent

PAGE = (Path(__file__).parent.parent / "docs" / "extending.md").read_text()
SOURCE = "\n\n".join(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL))
COMMANDS = [line for block in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL) for line in block.splitlines()]


@pytest.fixture(autouse=True)
def mine(tmp_path, monkeypatch):
    monkeypatch.setenv("TESUJI_PURE", "1")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(SOURCE)


def answer(capsys, command: str) -> dict:
    capsys.readouterr()
    assert main([*shlex.split(command)[2:], "--json"]) == 0, command
    return json.loads(capsys.readouterr().out)


def test_the_rule_is_short():
    first = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)[0]
    rule = first[first.index("class Puct") :]
    assert len([line for line in rule.splitlines() if line.strip()]) <= 10


def test_every_command_of_the_page_runs(capsys):
    found = {shlex.split(command)[2]: answer(capsys, command) for command in COMMANDS}
    assert len(COMMANDS) == 6 and set(found) == {"analyze", "match", "bench", "solve"}
    assert found["analyze"]["player"] == "mine.py:player" and found["analyze"]["playouts"] == 500
    assert found["match"]["a"] == "mine.py:player" and found["match"]["games"] == 4
    assert found["bench"]["results"][0]["simulations_per_second"] > 0
    plain = answer(capsys, "$ tesuji solve dotsandboxes:1x3")
    assert found["solve"]["proven"] and (found["solve"]["lower"], found["solve"]["upper"]) == (plain["lower"], plain["upper"])


def test_the_study_prunes_and_the_other_players_search():
    search = find_player("mine.py:corner", may_load=True).engine(find_game("dotsandboxes:2x2"))
    search.run(Limits(playouts=200))
    used = int(search.tree.counters[USED])
    assert (search.tree.nodes["flags"][:used] & PRUNED).any()
    raver = find_player("mine.py:raver:equivalence=50", may_load=True).engine(find_game("connect4:4x4"))
    raver.run(Limits(playouts=200))
    assert raver.tree.statistics["visits"][: int(raver.tree.counters[USED])].sum() > 200


def test_a_rule_reads_its_own_record_back():
    search = find_player("mine.py:rememberer", may_load=True).engine(find_game("connect4:4x4"))
    search.run(Limits(playouts=50))
    used = int(search.tree.counters[USED])
    assert used > 5 and np.allclose(search.tree.statistics["first_prior"][1:used], search.tree.nodes["prior"][1:used])


FAULTS = (
    ("    return move\n", "    return move if notes['last'] < 0 else 9\n"),
    ("return child.mean +", "return math.nan +"),
    ("math.sqrt(parent.visits)", "root(parent.visits)"),
)


@pytest.mark.parametrize("number", range(len(FAULTS)))
def test_the_messages_of_the_page_are_those_that_are_told(number, capsys, monkeypatch):
    """Each with the fault that it tells of written into the page's code; the last one is found by the compiler."""
    messages = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)[-1].splitlines()
    assert len(messages) == len(FAULTS)
    if number == 2:
        monkeypatch.delenv("TESUJI_PURE")
    old, new = FAULTS[number]
    assert SOURCE.count(old) == 1
    Path("mine.py").write_text(SOURCE.replace(old, new) + "\n\ndef root(number):\n    return math.sqrt(number)\n")
    assert main(["analyze", "connect4:7x6", "--player", "mine.py:player", "--playouts", "10"]) == 2
    expected = ".*".join(re.escape(part) for part in messages[number].split("..."))
    assert re.fullmatch(f"{expected}\n", capsys.readouterr().err)


def test_all_names_of_the_table_can_be_imported():
    rows = PAGE.partition("## The operations")[2].partition("`GIVES`")[0]
    names = re.findall(r"`(\w+)\(", rows)
    assert len(names) > 10 and [name for name in names if name not in tesuji.__all__ or not hasattr(tesuji, name)] == []


def test_the_page_names_what_a_rule_is_given_and_what_a_rating_holds():
    for name in (*Child._fields, *Parent._fields, *(field for field in RATING.names or () if field != "asked_for")):
        assert f"`{name}`" in PAGE or f"`{name} = " in PAGE, name


def test_one_player_more_for_the_tactics(tmp_path, monkeypatch):
    from tesuji.lab.reproduce.mcts_solver import tactics
    from tesuji.lab.reproduce.runner import ExperimentRunner

    monkeypatch.setattr(tactics, "judge", lambda *_: tactics.WRONG)
    tactics.check_options({"player": "mine.py:player"})
    rows, _, error = tactics.tactics_table(ExperimentRunner(jobs=1), 1, 0.05, player="mine.py:player", players=())
    assert rows[0].label == "mine.py:player solved" and not error
