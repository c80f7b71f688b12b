"""A sweep under Dask: ten thousand what-if placements over machines, policies and counts, as one Arrow table.

    pip install stowplan distributed pyarrow
    python sweep.py                  # two worker processes on this machine
    python sweep.py tcp://host:8786  # a scheduler that is already running

Each task places a few hundred jobs in its worker and sends back a part of the table. A refused job is a row with its error class.
"""

import functools
import itertools
import sys

import pyarrow
import pyarrow.compute
from distributed import Client, LocalCluster

import stowplan

MACHINES = ["builtin:frontier", "builtin:perlmutter-cpu", "builtin:leonardo-dcgp", "package:2 core:8 pu:2"]
POLICIES = ["slot", "node", "core", "l3cache", "numa", "package", "hwthread", "package:pe=2", "numa:pe=4", "ppr:4:node"]
COUNTS = range(4, 1004, 4)
PART = 250

COLUMNS = ["machine", "policy", "procs", "nodes", "fullest", "shared_cpus", "refused"]


@functools.cache
def machine(topology):
    """A machine whose nodes all have this topology, read once in each worker."""
    return stowplan.Machine(stowplan.Topology(topology))


def what_if(topology, policy, procs):
    """A row: how many nodes a job uses, how many ranks the fullest node has, how many ranks share their cpus with another rank."""
    row = dict.fromkeys(COLUMNS) | {"machine": topology, "policy": policy, "procs": procs}
    try:
        plan = stowplan.place(["-n", str(procs), "-H", "n[0-31]:128", "--map-by", policy, "./x"], machine(topology))
    except stowplan.PlacementError as error:
        return row | {"refused": error.kind}
    columns = plan.columns()
    on_node, places = {}, {}
    for place in zip(columns["node"], columns["cpuset"]):
        on_node[place[0]] = on_node.get(place[0], 0) + 1
        places[place] = places.get(place, 0) + 1
    shared = sum(ranks for ranks in places.values() if ranks > 1)
    return row | {"nodes": len(on_node), "fullest": max(on_node.values()), "shared_cpus": shared}


def part(questions):
    """The rows of one task, as a table."""
    schema = pyarrow.schema(
        [(name, pyarrow.string() if name in ("machine", "policy", "refused") else pyarrow.int64()) for name in COLUMNS]
    )
    return pyarrow.Table.from_pylist([what_if(*question) for question in questions], schema=schema)


def sweep(client):
    questions = list(itertools.product(MACHINES, POLICIES, COUNTS))
    parts = [questions[at : at + PART] for at in range(0, len(questions), PART)]
    return pyarrow.concat_tables(client.gather(client.map(part, parts)))


def main():
    scheduler = sys.argv[1] if len(sys.argv) > 1 else LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    with Client(scheduler) as client:
        table = sweep(client)
    placed = table.filter(pyarrow.compute.is_null(table["refused"]))
    print(f"{table.num_rows} placements, {placed.num_rows} placed, {table.num_rows - placed.num_rows} refused")
    spread = placed.group_by("policy").aggregate([("nodes", "mean"), ("fullest", "max")]).sort_by("policy")
    for row in spread.to_pylist():
        print(f"{row['policy']:12} {row['nodes_mean']:6.1f} nodes on average, at most {row['fullest_max']} ranks on one")
    return table


if __name__ == "__main__":
    table = main()
    if table.num_rows != len(MACHINES) * len(POLICIES) * len(COUNTS):
        sys.exit("rows are missing")
