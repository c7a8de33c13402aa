"""A certificate to be walked by a person: play any move of one side, and see the answer that the proof gives.

Like the checker, this knows the rules and nothing of the search. While the certificate is checked, each answer is kept under
its position; so what is shown later is what was checked.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.game import Game, State
from tesuji.core.position import Position
from tesuji.core.words import bounds_text, end_text, signed
from tesuji.proof.checker import OVER, Choices, Claim, PlainRules, Progress, Verdict, canonical, check_choices, claims_of
from tesuji.proof.format import decode

Key = bytes


class KeptChoices(Choices):
    """The choices of a certificate; each is kept while it is checked: position -> the position that it leads to."""

    def __init__(self, choices: tuple[int, ...]):
        super().__init__(choices)
        self.answers: dict[Claim, dict[Key, Key]] = {}
        self._current: dict[Key, Key] = {}
        self._rules: PlainRules | None = None

    def begin(self, claim: Claim, game_rules: PlainRules) -> None:
        self._current = self.answers[claim] = {}
        self._rules = game_rules

    def visit(self, state: State, moves: Sequence[int], chooses: bool) -> int:
        choice = super().visit(state, moves, chooses)
        if chooses and 0 <= choice < len(moves) and self._rules is not None:
            children, _ = self._rules.after(state, [moves[choice]])
            self._current[key_of(self._rules, state)] = key_of(self._rules, children[0])
        return choice


def key_of(game_rules: PlainRules, state: State) -> Key:
    """What a position is known by: a digest, equal for its images where the proof relies on symmetries."""
    record = canonical(state)
    return hashlib.blake2b(game_rules.key(record[0], record.tobytes()), digest_size=16).digest()


@dataclass(frozen=True)
class WalkStep:
    """Where a walk stands after the certificate has answered."""

    position: Position
    added: tuple[str, ...]  # the answers
    why: str
    ended: bool  # nothing is left to show: the game is over, or the rules themselves show the rest


class OpenCertificate:
    """A certificate that was checked. A UserError if the bytes are none; `verdict` says whether the proof holds."""

    def __init__(self, data: bytes, name: str, game: Game | None = None, on_progress: Progress | None = None):
        certificate = decode(data, name)
        self.header = certificate.header
        self._kept = KeptChoices(certificate.choices)
        is_own = bool(self.header.source)
        self.verdict: Verdict = check_choices(self.header, self._kept, name, game if is_own else None, on_progress=on_progress)
        found = self.verdict.rules_of
        self.game: Game | None = found if self.verdict.valid else None
        if found is not None and self.verdict.valid:
            self._rules = PlainRules(found, self.header.initial_bounds, self.header.symmetry)
            self.start = found.start.after(self.verdict.moves)

    @property
    def claims(self) -> list[Claim]:
        assert self.game is not None
        return claims_of(self.game, self.verdict.lower, self.verdict.upper)

    @property
    def proof(self) -> str:
        return "" if self.game is None else bounds_text(self.game, self.verdict.lower, self.verdict.upper)

    @property
    def loser(self) -> int | None:
        """The player who loses for sure; None for a draw, a puzzle, or bounds that leave it open."""
        if self.game is None or self.game.players == 1:
            return None
        winner = self.game.winner(self.verdict.lower, self.verdict.upper)
        return None if winner is None or winner < 0 else 1 - winner

    def claim_against(self, side: int | None) -> Claim:
        """What is shown to someone who plays that side: the claim that the other one proves."""
        claims = self.claims
        for claim in claims:
            if side is None or claim.player != side:
                return claim
        name = self.game.player_names[side or 0] if self.game else ""
        raise UserError(f"this certificate proves nothing against {name}: play the other side")

    def claim_text(self, claim: Claim) -> str:
        """The claim in words."""
        assert self.game is not None
        low, high = self.game.outcomes
        found = bounds_text(self.game, *((claim.bound, high) if claim.player == rules.FIRST else (low, claim.bound)))
        if found and "between" not in found:
            return found
        least = "at least" if claim.player == rules.FIRST else "at most"
        whose = "the best score" if self.game.players == 1 else f"the score for {self.game.player_names[0]}"
        return f"{whose} is {least} {signed(self.game.in_points(claim.bound))} with perfect play"

    def walk(self, moves: Sequence[str], side: int | None = None) -> WalkStep:
        """The position after these moves, those of both sides, and after the answers that follow."""
        if self.game is None:
            raise UserError("the certificate is not valid: there is nothing to walk")
        if self.header.concessions:
            raise UserError("this proof concedes moves that do not matter: it was checked and holds, but cannot be walked")
        claim = self.claim_against(side)
        position = self.start.play(*moves)
        added: list[str] = []
        name = self.game.player_names[claim.player]
        with np.errstate(over="ignore"):
            while True:
                view = self._rules.view(position.state)
                if view.mover == OVER:
                    return WalkStep(position, tuple(added), self._end(position, claim, added, name), True)
                if claim.holds(view.lower, view.upper):
                    shown = f"the rules alone show the rest: {self.claim_text(claim)}"
                    return WalkStep(position, tuple(added), self._said(added, name, shown), True)
                if view.mover != claim.player:
                    break
                added.append(self._answer(position, claim))
                position = position.play(added[-1])
        shown = f"whatever you play now, there is an answer: {self.claim_text(claim)}"
        return WalkStep(position, tuple(added), self._said(added, name, shown), False)

    def _answer(self, position: Position, claim: Claim) -> str:
        """The move that leads where the proof goes on: into that position or, with symmetries, an image of it."""
        target = self._kept.answers[claim].get(key_of(self._rules, position.state))
        state = position.state
        legal = self._rules.legal(state)
        children, _ = self._rules.after(state, legal)
        for move, child in zip(legal, children, strict=True):
            if target is not None and key_of(self._rules, child) == target:
                return position.game.text(state, move)
        raise UserError("this position is not part of the proof: a move before it was not the certificate's answer")

    def _end(self, position: Position, claim: Claim, added: list[str], name: str) -> str:
        assert self.game is not None
        outcome = end_text(self.game, int(rules.outcome(position.state)))
        return self._said(added, name, f"the game is over: {outcome}, as the certificate claims")

    @staticmethod
    def _said(added: list[str], name: str, shown: str) -> str:
        first = f"{name} answers {', '.join(added)}; " if added else ""
        text = first + shown
        return text[0].upper() + text[1:] + "."
