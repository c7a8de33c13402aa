"""Writes tests/signatures.json anew, in pure Python: `make signatures`, after a change that is meant to change searches."""

import json
import os
from pathlib import Path

FILE = Path(__file__).with_name("signatures.json")

if __name__ == "__main__":
    os.environ["TESUJI_PURE"] = "1"
    from tesuji.lab.signature import all_signatures

    FILE.write_text(json.dumps(all_signatures(pure=True), indent=1) + "\n")
    print(f"written: {FILE}")
