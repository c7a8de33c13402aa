"""Show the machines of a Ray cluster, and which of them can be used from here.

`tesuji cluster status` asks every machine for its version of this program and of the compiler. Exit code 0: at least one can be
used. 1: none can. docs/cluster.md says how to start a cluster.

JSON: address, machines (a list of name, address, processors, processor, usable, why), processors (of the usable ones).
"""

from __future__ import annotations

import argparse
from typing import Any

from tesuji.cli import options, output

SUMMARY = "show the machines of a Ray cluster"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=["status"], help="status: which machines there are, and which can be used")
    parser.add_argument(
        "--cluster", metavar="ADDRESS", default="auto", help="HOST:PORT, auto (the one on this machine; default), or local"
    )
    options.add_common(parser)


def run(args: argparse.Namespace) -> int:
    from tesuji.lab.cluster.connection import connect
    from tesuji.lab.cluster.status import machine_reports

    with output.Progress("cluster status"):
        reports = machine_reports(connect(args.cluster))
    usable = sum(report.processors for report in reports if report.usable)
    if args.json:
        machines: list[dict[str, Any]] = [report.as_json() for report in reports]
        output.print_json({"address": args.cluster, "machines": machines, "processors": usable})
    else:
        rows = [[r.name, r.address, f"{r.processors:g}", r.processor, r.why or "yes"] for r in reports]
        output.print_table(["machine", "address", "processors", "processor", "usable"], rows, right=["processors"])
        print(f"\n{usable:g} processors that can be used")
    return 0 if usable else 1
