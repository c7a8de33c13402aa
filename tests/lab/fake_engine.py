"""A GTP engine for tests that drops discs into a Connect Four board, and misbehaves as it is told.

    python fake_engine.py MODE [COLUMNS ROWS [MARKER]]

A mode is what it does at a genmove: good, crash, hang, garbage, nonsense, illegal, resign, flood, slow; refuse errs at a second
play, crash-start ends before it says a word. With a marker file it does so only if the file is there not yet, and makes it.
"""

import os
import sys
import time


def main() -> None:
    mode = sys.argv[1]
    columns, rows = int(sys.argv[2]) if len(sys.argv) > 2 else 7, int(sys.argv[3]) if len(sys.argv) > 3 else 6
    marker = sys.argv[4] if len(sys.argv) > 4 else ""
    if marker and os.path.exists(marker):
        mode = "good"
    if mode == "crash-start":
        sys.exit("no licence found")
    heights = [0] * columns
    plays = 0
    for line in sys.stdin:
        words = line.split()
        command = words[0] if words else ""
        answer = ""
        if command == "name":
            answer = "Fake"
        elif command == "version":
            answer = "1.0"
        elif command == "list_commands":
            answer = "\n".join(["name", "version", "list_commands", "clear_board", "play", "genmove", "time_settings", "quit"])
        elif command == "clear_board":
            heights = [0] * columns
            plays = 0
        elif command == "play":
            plays += 1
            if mode == "refuse" and plays == 2:
                print("? illegal move\n", flush=True)
                continue
            heights["ABCDEFGH".index(words[2][0])] += 1
        elif command == "genmove":
            if marker and mode != "good":
                open(marker, "w").close()
            if mode == "crash":
                sys.exit("segmentation fault, more or less")
            elif mode == "hang":
                time.sleep(1000)
            elif mode == "slow":
                time.sleep(0.3)
            elif mode == "garbage":
                print("I think therefore I am\n", flush=True)
                continue
            elif mode == "flood":
                while True:
                    print("=" * 10000, flush=True)
            column = next(c for c in range(columns) if heights[c] < rows)
            heights[column] += 1
            answer = {"nonsense": "??!", "illegal": "99", "resign": "resign"}.get(
                mode, f"{'ABCDEFGH'[column]}{heights[column]}"
            )
        elif command == "quit":
            print("=\n", flush=True)
            return
        elif command not in ("time_settings", "time_left"):
            print("? unknown command\n", flush=True)
            continue
        print(f"= {answer}\n", flush=True)


if __name__ == "__main__":
    main()
