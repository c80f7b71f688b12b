"""Where a million MPI ranks land: placement of parallel jobs.

>>> import stowplan as sp
>>> machine = sp.Machine(sp.Topology("package:2 core:4 pu:1"))
>>> plan = sp.place("-H a:8,b:8 -n 3 --map-by node ./ocean", machine)
>>> [proc.node for proc in plan]
['a', 'b', 'a']
"""

from ._stowplan import (
    App,
    Cluster,
    CpuSets,
    Difference,
    Error,
    Explanation,
    Job,
    Machine,
    Node,
    NodeSlice,
    Plan,
    PlacementError,
    Proc,
    Refused,
    SliceProc,
    Topology,
    place,
    place_many,
)

__all__ = [
    "App",
    "Cluster",
    "CpuSets",
    "Difference",
    "Error",
    "Explanation",
    "Job",
    "Machine",
    "Node",
    "NodeSlice",
    "Plan",
    "PlacementError",
    "Proc",
    "Refused",
    "SliceProc",
    "Topology",
    "place",
    "place_many",
]
