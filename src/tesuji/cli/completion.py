"""Print a script by which a shell completes commands, options, games and players.

For bash: eval "$(tesuji completion bash)" in ~/.bashrc; for zsh the same with zsh in ~/.zshrc; for fish:
tesuji completion fish > ~/.config/fish/completions/tesuji.fish. JSON: shell, script.
"""

from __future__ import annotations

import argparse
from typing import NamedTuple

from tesuji.cli import options, output
from tesuji.games.registry import ENTRIES

SUMMARY = "complete commands and options in a shell"
ZSH = "autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n"
BASH = """_tesuji() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} words=
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="{commands} --help --version"
  else
    case $before in
      --player) words="{players}" ;;
      --game) words="{games}" ;;
      *) case ${{COMP_WORDS[1]}} in
{cases}
        esac ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o default -F _tesuji tesuji
"""


class Completed(NamedTuple):
    """A command, and what follows it."""

    name: str
    summary: str
    options: list[str]
    takes_game: bool


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=tuple(SCRIPTS), help="the shell that completes")
    options.add_common(parser, seed=None)


def run(args: argparse.Namespace) -> int:
    script = SCRIPTS[args.shell](_commands())
    if args.json:
        output.print_json({"shell": args.shell, "script": script})
    else:
        print(script, end="")
    return 0


def _commands() -> list[Completed]:
    from tesuji.cli.main import COMMANDS, build_parser

    listed = []
    for module in COMMANDS:
        name = module.__name__.rpartition(".")[2]
        parser = build_parser([name])
        found = parser.option_names(name)
        long = [option for option in found if option.startswith("--")]
        listed.append(Completed(name, module.SUMMARY, long, parser.takes(name, "game")))
    return listed


def _games() -> list[str]:
    return [entry.name for entry in ENTRIES]


def _players() -> list[str]:
    from tesuji.players.presets import PLAYERS

    return [player.name for player in PLAYERS]


def _bash(commands: list[Completed]) -> str:
    cases = [
        f'        {one.name}) words="{" ".join([*one.options, *(_games() if one.takes_game else ())])}" ;;' for one in commands
    ]
    names = " ".join(one.name for one in commands)
    lists = {"players": " ".join(_players()), "games": " ".join(_games())}
    return BASH.format(commands=names, cases="\n".join(cases), **lists)


def _zsh(commands: list[Completed]) -> str:
    return ZSH + _bash(commands)


def _fish(commands: list[Completed]) -> str:
    lines = []
    for one in commands:
        summary = one.summary.replace("'", "\\'")
        lines.append(f"complete -c tesuji -n __fish_use_subcommand -a {one.name} -d '{summary}'")
        inside = f"complete -c tesuji -n '__fish_seen_subcommand_from {one.name}'"
        lines += [f"{inside} -l {option[2:]}" + _argument(option) for option in one.options]
        if one.takes_game:
            lines.append(f"{inside} -a '{' '.join(_games())}'")
    return "\n".join(lines) + "\n"


def _argument(option: str) -> str:
    words = {"--player": _players, "--game": _games}.get(option)
    return f" -x -a '{' '.join(words())}'" if words is not None else ""


SCRIPTS = {"bash": _bash, "zsh": _zsh, "fish": _fish}
