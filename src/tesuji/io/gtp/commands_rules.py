"""The rules of Go in KataGo's words: kata-get-rules, kata-set-rules, kata-set-rule. What our rules lack is refused by name.

Our rules score by area, forbid suicide, and have one of two ko rules. All else has one value that can be named, and no other.
"""

from __future__ import annotations

import json
from typing import Any

from tesuji.io.gtp.commands import command
from tesuji.io.gtp.engine import Engine
from tesuji.io.gtp.protocol import GtpError

KO = {"SIMPLE": "simple", "POSITIONAL": "positional"}  # KataGo's word -> the parameter `superko` of the game string
FIXED = {"scoring": "AREA", "tax": "NONE", "suicide": False, "hasButton": False, "whiteHandicapBonus": "0"}
NAMED = {  # of the rule sets that have a name, those that are ours; White gets nothing for handicap stones
    "chinese": {"ko": "SIMPLE"},
    "chinese-ogs": {"ko": "POSITIONAL"},
    "chinese-kgs": {"ko": "POSITIONAL"},
}
LACKING = {  # and why the others are not
    "tromp-taylor": "suicide is not allowed here",
    "aga": "ko is SIMPLE or POSITIONAL here, not SITUATIONAL",
    "aga-button": "ko is SIMPLE or POSITIONAL here, not SITUATIONAL, and there is no button",
    "bga": "ko is SIMPLE or POSITIONAL here, not SITUATIONAL",
    "new-zealand": "ko is SIMPLE or POSITIONAL here, not SITUATIONAL, and suicide is not allowed",
    "japanese": "scoring is AREA here, not TERRITORY",
    "korean": "scoring is AREA here, not TERRITORY",
    "stone-scoring": "tax is NONE here, not ALL",
    "ancient-territory": "scoring is AREA here, not TERRITORY",
}
OTHER_NAMES = {"nz": "new-zealand", "ancient-area": "stone-scoring"}
WE_HAVE = f"{', '.join(NAMED)}, or ko SIMPLE or POSITIONAL with area scoring"


def needs_ko_rules(engine: Engine) -> bool:
    return "superko" in engine.game.extra and engine.game.vary is not None


@command("kata-get-rules", needs=needs_ko_rules)
def get_rules(engine: Engine, _words: list[str]) -> str:
    return json.dumps(_rules(engine), separators=(",", ":"))


@command("kata-set-rules", "RULES...", needs=needs_ko_rules)
def set_rules(engine: Engine, words: list[str]) -> None:
    """A name such as chinese, or a JSON object of rules. The moves so far stay."""
    text = " ".join(words)
    if not text.lstrip().startswith("{"):
        _change(engine, _named(text))
        return
    try:
        wanted = json.loads(text)
    except (ValueError, RecursionError):
        raise GtpError("syntax error: the rules are not JSON") from None
    if "rules" in wanted:
        wanted = {**_named(str(wanted.pop("rules"))), **wanted}
    _change(engine, wanted)


@command("kata-set-rule", "RULE VALUE", needs=needs_ko_rules)
def set_rule(engine: Engine, words: list[str]) -> None:
    name, text = words
    value: Any = {"true": True, "false": False}.get(text.lower(), text)
    _change(engine, {name: value})


def _rules(engine: Engine) -> dict[str, Any]:
    ko = next(word for word, ours in KO.items() if ours == engine.game.extra["superko"])
    return {"ko": ko, **FIXED, "friendlyPassOk": True}


def _named(text: str) -> dict[str, Any]:
    name = text.strip().lower().replace("_", "-")
    name = OTHER_NAMES.get(name, name)
    if name in LACKING:
        raise GtpError(f"the rules {name} are not supported: {LACKING[name]}; supported: {WE_HAVE}")
    if name not in NAMED:
        raise GtpError(f"unknown rules {text[:40]!r}; supported: {WE_HAVE}")
    return dict(NAMED[name])


def _change(engine: Engine, wanted: dict[str, Any]) -> None:
    """Sets all of these rules, or none."""
    wanted = {{"friendlyPass": "friendlyPassOk"}.get(name, name): value for name, value in wanted.items()}
    wanted.pop("friendlyPassOk", None)  # whether the last dead stones are captured is up to the players: both are fine
    ko = str(wanted.pop("ko", _rules(engine)["ko"])).upper()
    for name, value in wanted.items():
        if name not in FIXED:
            raise GtpError(f"unknown rule {name[:40]!r}; there are: ko, {', '.join(FIXED)}, friendlyPassOk")
        if str(value).upper() != str(FIXED[name]).upper():
            raise GtpError(f"{name} {str(value)[:40]} is not supported: it is {json.dumps(FIXED[name]).strip(chr(34))} here")
    if ko not in KO:
        raise GtpError(f"ko {ko[:40]} is not supported: {' or '.join(KO)}")
    assert engine.game.vary is not None
    engine.replay_in(engine.game.vary(superko=KO[ko]))
