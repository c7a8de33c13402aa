"""A GTP program of a few lines for tests of the page: it plays and analyses tic-tac-toe, and starts at once."""

import select
import sys

CELLS = [f"{column}{row}" for row in "123" for column in "ABC"]
COMMANDS = [
    "name",
    "version",
    "list_commands",
    "boardsize",
    "clear_board",
    "play",
    "genmove",
    "time_settings",
    "kata-analyze",
    "quit",
]


def say(text):
    sys.stdout.write(text)
    sys.stdout.flush()


def analyse(number, free):
    """Tells more visits each time, until any line comes."""
    say(f"={number}\n")
    visits = 0
    while not select.select([sys.stdin], [], [], 0.05)[0]:
        visits += 40
        moves = [
            f"info move {cell} visits {visits - n} winrate 0.7{9 - n} prior 0.1 order {n} pv {cell}"
            for n, cell in enumerate(free)
        ]
        say(" ".join(moves) + "\n")
    if not sys.stdin.readline().strip():  # an empty line only stops
        say("\n")


def main():
    taken = []
    while line := sys.stdin.readline():
        if not line.strip():
            continue
        number, name, *words = line.split()
        free = [cell for cell in CELLS if cell not in taken]
        answers = {
            "name": "Small",
            "version": "1",
            "list_commands": "\n".join(COMMANDS),
            "genmove": free[0] if free else "resign",
        }
        if name == "clear_board":
            taken = []
        if name == "kata-analyze":
            analyse(number, free)
            continue
        taken += [words[1].upper()] if name == "play" else [answers["genmove"]] if name == "genmove" else []
        say(f"={number} {answers.get(name, '')}\n\n")
        if name == "quit":
            return


main()
