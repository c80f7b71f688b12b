"""Where a million MPI ranks land: placement of parallel jobs.

>>> import stowplan as sp
>>> machine = sp.Machine(sp.Topology("package:2 core:4 pu:1"))
>>> plan = sp.place("-H a:8,b:8 -n 3 --map-by node ./ocean", machine)
>>> [proc.node for proc in plan]
['a', 'b', 'a']
"""

from collections.abc import Sequence as _Sequence

from ._batch import batch
from ._stowplan import (
    Advice,
    App,
    AskedApp,
    Cluster,
    ClusterNode,
    Components,
    CpuSets,
    Declined,
    Difference,
    Error,
    Explanation,
    Job,
    Machine,
    Network,
    Node,
    NodeSlice,
    PlacementError,
    Plan,
    Planner,
    Proc,
    Refused,
    ResourceBusy,
    Room,
    Session,
    SliceProc,
    TakeNextOption,
    TaskMap,
    Threads,
    Topology,
    Waiting,
    __version__,
    advise,
    place,
    place_many,
    score,
    threads,
)

# A process is a row of its plan's table.
_Sequence.register(Proc)

__all__ = [
    "Advice",
    "App",
    "AskedApp",
    "Cluster",
    "ClusterNode",
    "Components",
    "CpuSets",
    "Declined",
    "Difference",
    "Error",
    "Explanation",
    "Job",
    "Machine",
    "Network",
    "Node",
    "NodeSlice",
    "PlacementError",
    "Plan",
    "Planner",
    "Proc",
    "Refused",
    "ResourceBusy",
    "Room",
    "Session",
    "SliceProc",
    "TakeNextOption",
    "TaskMap",
    "Threads",
    "Topology",
    "Waiting",
    "__version__",
    "advise",
    "batch",
    "place",
    "place_many",
    "score",
    "threads",
]
