"""List the games and their game strings. JSON: games (name, title, group, form, example, summary)."""

from __future__ import annotations

import argparse

from tesuji.cli import options, output
from tesuji.games.registry import ENTRIES, GROUPS

SUMMARY = "list the games"


def add_options(parser: argparse.ArgumentParser) -> None:
    options.add_common(parser, seed=None)


def run(args: argparse.Namespace) -> int:
    if args.json:
        output.print_json({"games": [entry._asdict() for entry in ENTRIES]})
        return 0
    rows = []
    for group in GROUPS:
        rows.append([f"decided by {group}:", "", ""])
        rows += [[f"  {e.form}", e.example, f"{e.title}: {e.summary}"] for e in ENTRIES if e.group == group]
    output.print_table(["game", "example", "what it is"], rows)
    print("\nYour own game: path/to/file.py:name, checked by 'tesuji check path/to/file.py:name'.")
    return 0
