"""A GTP engine for tests that plays moves from a script, and writes down what it is told.

    python scripted_engine.py BLACK WHITE [LOG [STONES]]

BLACK and WHITE are moves for each colour, separated by commas; those after a slash are played again and again. Every command,
and the folder in which the engine runs, goes to the file LOG. STONES is its answer to `place_free_handicap`. It
knows the command `twice_as_hard`, and refuses `impossible`.
"""

import os
import sys
from itertools import chain, cycle


def moves_of(script: str):
    once, _, again = script.partition("/")
    return chain(filter(None, once.split(",")), cycle(filter(None, again.split(","))))


def main() -> None:
    scripts = {"b": sys.argv[1], "w": sys.argv[2]}
    log = sys.argv[3] if len(sys.argv) > 3 else os.devnull
    note(log, f"runs in {os.getcwd()}")
    moves = {colour: moves_of(script) for colour, script in scripts.items()}
    for line in sys.stdin:
        number, _, command = line.strip().partition(" ")
        word = command.split()[0] if command else number
        note(log, command)
        mark, answer = "=", {"name": "Scripted", "version": "1.0"}.get(word, "")
        if word == "clear_board":
            moves = {colour: moves_of(script) for colour, script in scripts.items()}
        elif word == "genmove":
            answer = next(moves[command.split()[1]], "resign")
        elif word == "place_free_handicap":
            answer = sys.argv[4]
        elif word == "impossible":
            mark, answer = "?", "unknown command"
        print(f"{mark}{number} {answer}\n", flush=True)
        if word == "quit":
            return


def note(log: str, text: str) -> None:
    with open(log, "a") as file:
        file.write(text + "\n")


if __name__ == "__main__":
    main()
