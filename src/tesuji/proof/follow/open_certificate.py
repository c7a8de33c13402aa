"""A certificate to be walked by a person: play any move of one side, and see the answer that the proof gives.

Like the checker, this knows the rules and nothing of the search. While the certificate is checked, its choices are recorded
under their positions; so what is shown later is what was checked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.core.position import Position
from tesuji.core.words import bounds_text, end_text, has_scores, signed
from tesuji.proof.budget import Budget
from tesuji.proof.follow.answers import NOT_IN_PROOF, Follower, RecordedChoices
from tesuji.proof.trusted.checker import Verdict, check_choices
from tesuji.proof.trusted.claims import Claim, claims_of
from tesuji.proof.trusted.format import decode
from tesuji.proof.trusted.plain_rules import OVER
from tesuji.proof.trusted.walk import Progress


@dataclass(frozen=True)
class WalkStep:
    """Where a walk stands after the certificate has answered."""

    position: Position
    added: tuple[str, ...]  # the answers
    why: str
    ended: bool  # nothing is left to show: the game is over, or the rules themselves show the rest


class OpenCertificate:
    """A certificate that was checked. A UserError if the bytes are none, or take more than the budget; `verdict` says whether
    the proof holds.
    """

    def __init__(
        self,
        data: bytes,
        name: str,
        game: Game | None = None,
        on_progress: Progress | None = None,
        budget: Budget | None = None,
    ):
        budget = budget or Budget()
        certificate = decode(data, name, budget)
        self.header = certificate.header
        self._choices = RecordedChoices(certificate.choices, budget)
        own = game if self.header.source else None
        self.verdict: Verdict = check_choices(certificate, self._choices, name, own, on_progress=on_progress, budget=budget)
        self.game: Game | None = self.verdict.rules_of if self.verdict.valid else None
        if self.game is not None:
            self.start = self.game.start.after(self.verdict.moves)

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

    @property
    def walkers(self) -> list[int]:
        """The players against whom something is proven: for a draw both, each of whom cannot do better."""
        return [side for side in (0, 1) if any(claim.player != side for claim in self.claims)]

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
        if claim.bound == self.game.draw_outcome and not has_scores(self.game):
            return f"{self.game.player_names[claim.player]} gets at least a draw with perfect play"
        text = bounds_text(self.game, *((claim.bound, high) if claim.player == rules.FIRST else (low, claim.bound)))
        if text and "between" not in text:
            return text
        least = "at least" if claim.player == rules.FIRST else "at most"
        whose = "the best score" if self.game.players == 1 else f"the score for {self.game.player_names[0]}"
        return f"{whose} is {least} {signed(self.game.in_points(claim.bound))} with perfect play"

    def walk(self, moves: Sequence[str], side: int | None = None) -> WalkStep:
        """The position after these moves, those of both sides, and after the answers that follow."""
        if self.game is None:
            raise UserError("the certificate is not valid: there is nothing to walk")
        claim = self.claim_against(side)
        strategy = self._choices.claims[claim]
        line = self.start.play(*moves).move_numbers[len(self.start.move_numbers) :]
        position, added, idle = self.start, [], ""
        with np.errstate(over="ignore"):
            follower = Follower(strategy, position.state)
            for move in line:
                if int(rules.to_play(position.state)) == claim.player:
                    if follower.answer(position.state) != move:
                        raise UserError(NOT_IN_PROOF)
                else:
                    follower.opponent(move)
                    idle = "" if follower.matters else self.game.text(position.state, move)
                position = position.after([move])
            while True:
                view = strategy.rules.view(position.state)
                if view.mover == OVER:
                    shown = f"the game is over: {self._result(position)}, as the certificate claims"
                    break
                if claim.holds(view.lower, view.upper) or follower.is_shown():
                    shown = f"the rules alone show the rest: {self.claim_text(claim)}"
                    break
                if view.mover != claim.player:
                    shown = ""
                    break
                move = follower.answer(position.state)
                added.append(self.game.text(position.state, move))
                position = position.after([move])
        ended = bool(shown)
        said = [f"your {idle} does not matter to the proof"] if idle else []
        said += [f"{self.game.player_names[claim.player]} answers {', '.join(added)}"] if added else []
        said.append(shown or f"whatever you play now, there is an answer: {self.claim_text(claim)}")
        why = "; ".join(said)
        return WalkStep(position, tuple(added), why[0].upper() + why[1:] + ".", ended)

    def _result(self, position: Position) -> str:
        assert self.game is not None
        return end_text(self.game, int(rules.outcome(position.state)))
