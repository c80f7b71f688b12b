"""What a million ranks cost from words to columns, beside what the engine takes for its own table. Prints the figures."""

import importlib.util
import os
import time
import unittest

import stowplan as sp
from stowplan import _stowplan

NUMPY = importlib.util.find_spec("numpy") is not None
COLUMNS = ["app", "node", "local_rank", "node_rank", "object", "cpuset"]
JOBS = {
    "core": "-H n[0-65535]:16 -n 1048576 --map-by core --bind-to core ./ocean",
    "node": "-H n[0-65535]:16 -n 1048576 --map-by node --bind-to core ./ocean",
}


def best(works, times=15):
    """The best of several runs of each, one after the other in turn: what they cost where nothing else runs."""
    found = [float("inf")] * len(works)
    for _ in range(times):
        for at, work in enumerate(works):
            begin = time.perf_counter()
            work()
            found[at] = min(found[at], time.perf_counter() - begin)
    return found


class Speed(unittest.TestCase):
    def test_a_million_ranks_to_six_columns(self):
        machine = sp.Machine(sp.Topology("package:2 core:8 pu:2"))
        totals = [0.0, 0.0]
        for name, words in JOBS.items():
            plan = sp.place(words, machine)
            self.assertEqual(_stowplan._table(plan), 1 << 20)

            def all_of_it():
                columns = sp.place(words, machine).columns()
                if NUMPY:
                    import numpy

                    six = [numpy.frombuffer(columns[one], dtype="u4") for one in COLUMNS]
                    self.assertEqual([len(one) for one in six], [1 << 20] * 6)

            engine, ours = best([lambda: _stowplan._table(plan), all_of_it])
            totals = [total + one for total, one in zip(totals, [engine, ours])]
            print(f"{name}: words to columns {ours * 1e3:.1f} ms, the engine's table {engine * 1e3:.1f} ms, {ours / engine:.2f} times")
        # A busy machine tells nothing in the short check.
        if os.environ.get("STOWPLAN_LONG"):
            self.assertLess(totals[1], 3 * totals[0])


if __name__ == "__main__":
    unittest.main()
