"""Everything that can be called, with nothing, empty, huge and broken arguments: an answer or an exception, never an abort.

What there is to call is read from the stubs, so that nothing is left out.
"""

import ast
import pathlib
import unittest

import stowplan as sp

STUBS = pathlib.Path(sp.__file__).with_name("__init__.pyi")
# What a caller may get: a refusal with kind and sentence, a wrong type, a place or name that is not there, text that is no UTF-8.
EXPECTED = (sp.Error, TypeError, IndexError, KeyError, UnicodeEncodeError, OverflowError)


class Odd:
    """An object that helps nobody."""

    def __index__(self):
        raise TypeError("no number")

    def __len__(self):
        raise TypeError("no length")


class Boastful(list):
    """A list that says that it is longer than any memory."""

    def __len__(self):
        return 10**12


def arguments():
    """Nothing, empty, huge and broken."""
    yield from [None, True, Odd(), object(), 1.5, float("nan"), sp, sp.Job]
    yield from [0, 1, -1, 7, 1 << 31, (1 << 32) - 1, 1 << 32, (1 << 63) - 1, 1 << 63, -(1 << 63), 1 << 200]
    yield from ["", " ", "\0", "x", ":", "\ud800", "ä", "-n 1 -H a:2 ./x", "-n 99999999999", "core:pee=2", "n[0-", "[" * 1000]
    yield from ["x" * (1 << 20), "n[0-4294967295]", "pu:4294967295 pu:4294967295", "<topology>", "{" * 5000]
    yield from [b"", b"\0", b"STOWJOB\x01", b"stowplan", b"\xff" * 4096, bytearray(b"x"), memoryview(b"xy")[::-1]]
    yield from [[], [None], [""], ["\0"], ["x"] * 1000, ["-n", 1], [[]], (), {}, {"a": 1}, {1: "a"}, {"n[": "x"}, set(), range(3)]
    yield from [iter([1]), lambda: 1, SMALL, MACHINE, JOB, PLAN, PLAN[0], PLAN.node("a"), CLUSTER, PLAN.cpusets]
    yield from [Boastful(), Boastful(["-n", "1", "-H", "a:2", "./x"]), Boastful([JOB]), Boastful([sp.App("./x")])]
    yield endless()


def endless():
    """Words without end."""
    while True:
        yield 3


SMALL = sp.Topology("package:2 core:2 pu:2")
MACHINE = sp.Machine(SMALL)
JOB = sp.Job.from_command_line("-H a:4,b:4 -n 6 --map-by core ./x")
PLAN = sp.place(JOB, MACHINE)
OTHER = sp.place("-H a:4,b:4 -n 6 --map-by node ./x", MACHINE)
CLUSTER = sp.Cluster(MACHINE)
CLUSTER.add_nodes("a:4")
SESSION = sp.Session({"initial": {"nodes": ["a", "b"]}})
ON = {
    "Job": JOB,
    "Plan": PLAN,
    "Proc": PLAN[0],
    "Node": PLAN.node("a"),
    "NodeSlice": sp.NodeSlice.from_bytes(PLAN.node("a").to_bytes()),
    "CpuSets": PLAN.cpusets,
    "Explanation": PLAN.explain(0),
    "Difference": PLAN.diff(OTHER),
    "Refused": sp.Refused.explain("-H a:4 -n 6 ./x", MACHINE),
    "Cluster": CLUSTER,
    "ClusterNode": CLUSTER.node("a"),
    "Waiting": CLUSTER.explain("-n 9 ./x"),
    "Topology": SMALL,
    "Machine": MACHINE,
    "App": sp.App("./x"),
    "Planner": sp.Planner(JOB, MACHINE),
    "Components": sp.Components(),
    "Session": SESSION,
    "TaskMap": sp.TaskMap.of_plan(PLAN),
    "Threads": PLAN.threads(0),
    "Network": sp.Network("tree switch:2 node:2 n[0-3]"),
    "Advice": sp.advise("-H a:4,b:4 -n 8 ./x", MACHINE, "ring"),
    "SliceProc": sp.NodeSlice.from_bytes(PLAN.node("a").to_bytes())[0],
}
# What is right in the other places of a call.
RIGHT = {
    "text": "core:2", "topology": SMALL, "program": "./x", "apps": [sp.App("./x", hosts="a:2")], "words": "./x", "bytes": b"",
    "rank": 0, "local_rank": 0, "id": 0, "name": "a", "other": PLAN, "line": "-n 1 -H a:2 ./x", "machine": MACHINE, "job": JOB,
    "plan": PLAN, "jobs": [JOB], "requested_schema": None, "pattern": "ring", "cpus": "0", "env": {}, "hosts": None, "answer": 0,
    "at": 0, "form": "map", "requests": [], "node": "a", "memo": {}, "priority": 99, "count": lambda app, rooms: [], "cluster": CLUSTER,
    "first": {}, "event": {"event": "node_down", "node": "b"}, "session": SESSION, "task": 0, "thread": 0,
}  # fmt: skip


def callables():
    """Name, what is called, the places of its arguments, those that go by name."""
    for item in ast.parse(STUBS.read_text()).body:
        if isinstance(item, ast.FunctionDef):
            named = [one.arg for one in item.args.kwonlyargs]
            yield item.name, getattr(sp, item.name), [one.arg for one in item.args.args], named
        if not isinstance(item, ast.ClassDef) or item.name.startswith("_") or "Error" in item.name:
            continue
        if item.name in ("AskedApp", "Room"):
            continue  # They are there while a component is asked: see test_components.
        for method in item.body:
            if not isinstance(method, ast.FunctionDef):
                continue
            decorators = [one.id for one in method.decorator_list if isinstance(one, ast.Name)]
            if "property" in decorators:
                continue
            own = [one.arg for one in method.args.posonlyargs + method.args.args]
            name = f"{item.name}.{method.name}"
            named = [one.arg for one in method.args.kwonlyargs]
            if method.name == "__new__":
                yield name, getattr(sp, item.name), own[1:], named
            elif "staticmethod" in decorators:
                yield name, getattr(getattr(sp, item.name), method.name), own, named
            else:
                yield name, getattr(ON[item.name], method.name), own[1:], named


class Arguments(unittest.TestCase):
    def judge(self, name, call, /, *values, **named):
        about = f"{name}{str(values)[:200]} {str(named)[:200]}"
        try:
            call(*values, **named)
        except EXPECTED as error:
            if isinstance(error, sp.Error):
                self.assertTrue(error.kind and error.message, about)
        except BaseException as error:
            self.fail(f"{about}: {type(error).__name__}: {error}")

    def test_everything_answers_wrong_arguments(self):
        known = list(callables())
        self.assertGreater(len(known), 40)
        for name, call, places, named in known:
            self.judge(name, call)
            self.judge(name, call, *[None] * 9)
            self.judge(name, call, nonsense=1)
            right = [RIGHT[one] for one in places]
            for at in range(len(places)):
                for value in arguments():
                    values = [*right[:at], value, *right[at + 1 :]]
                    if name == "place_many" and hasattr(value, "gi_frame") and at == 0:
                        continue  # Jobs without end are waited for.
                    self.judge(name, call, *values)
            for key in named:
                for value in arguments():
                    self.judge(name, call, *right, **{key: value})

    def test_nothing_changed(self):
        self.assertEqual(sp.place(JOB, MACHINE), PLAN)


if __name__ == "__main__":
    unittest.main()
