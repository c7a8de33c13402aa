"""What the machines of a cluster say of themselves."""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass
from typing import Any

from tesuji.lab.cluster.connection import MachineLost, TaskFailed
from tesuji.lab.cluster.dispatcher import ClusterLike
from tesuji.lab.cluster.identity import program_identity, refusal
from tesuji.lab.cluster.tasks import STATUS, check_machine

ANSWER_SECONDS = 20.0  # that a machine gets; one that is busy answers later


@dataclass(frozen=True)
class MachineReport:
    """A machine; `why` says why it cannot be used."""

    name: str
    address: str
    processors: float
    processor: str
    why: str = ""

    @property
    def usable(self) -> bool:
        return not self.why

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "usable": self.usable}


def machine_reports(cluster: ClusterLike, seconds: float = ANSWER_SECONDS) -> list[MachineReport]:
    """One report for each machine; one that does not answer in time says so."""
    setup = json.dumps({"kind": STATUS})
    machines = cluster.machines()
    tasks = {cluster.send([machine.id], 0, check_machine, setup): machine for machine in machines}
    answers: dict[str, dict[str, Any]] = {}
    end = time.monotonic() + seconds
    while tasks and (left := end - time.monotonic()) > 0:
        for task in cluster.wait(list(tasks), left):
            machine = tasks.pop(task)
            try:
                answers[machine.id] = cluster.result(task)[1]
            except (MachineLost, TaskFailed) as error:
                answers[machine.id] = {"refused": f"lost: {error}"}
    for task in tasks:
        cluster.cancel(task)
    reports = []
    for machine in machines:
        answer = answers.get(machine.id, {"refused": f"no answer within {seconds:g} s"})
        why = refusal(program_identity(), answer, cluster.needs_token)
        if not why and machine.cpus < 1:
            why = "it offers no processors"
        name, processor = answer.get("host", machine.name), answer.get("processor", "")
        reports.append(MachineReport(name, machine.name, machine.cpus, processor, why))
    return reports
