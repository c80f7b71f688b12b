"""Values: they compare, hash, pickle and are cut; tables in Arrow, polars and pandas; scores, advice, networks, threads and lines."""

import copy
import importlib.util
import os
import pickle
import time
import unittest

import stowplan as sp

FRONTIER = sp.Machine(sp.Topology("builtin:frontier"))
SMALL = sp.Machine(sp.Topology("package:2 core:4 pu:2"))
LINE = "-n 4 -H a:4,b:4 --map-by gpu ./x"


def have(name):
    return importlib.util.find_spec(name) is not None


class Values(unittest.TestCase):
    def test_they_pickle_hash_and_compare(self):
        plan, other = sp.place(LINE, FRONTIER), sp.place("-n 3 -H a:4,b:4 ./x", FRONTIER)
        own = sp.NodeSlice.from_bytes(plan.node("a").to_bytes())
        values = [plan, plan[0], plan.node("a"), plan.node("a").topology, plan.cpusets, plan.explain(0), plan.diff(other), FRONTIER, own, own[0]]
        values += [sp.Topology("core:4 pu:1"), sp.App("./x", procs=2, env={"A": "1"}), sp.Job([sp.App("./x", hosts="a:1")])]
        values += [sp.Network("tree switch:2 node:2 n[0-3]"), sp.Refused.explain("-n 9 -H a:4 ./x", FRONTIER)]
        advice = sp.advise("-n 8 -H a:4,b:4 --map-by slot ./x", SMALL, "halo:4x2")
        values += [advice]
        self.assertEqual(pickle.loads(pickle.dumps(advice)).order(), advice.order())
        self.assertNotEqual(advice, sp.advise("-n 8 -H a:4,b:4 --map-by slot ./x", SMALL, "halo:2x4"))
        cluster = sp.Cluster(SMALL)
        cluster.add_nodes("a:4")
        values += [cluster.node("a"), cluster.explain("-n 9 ./x"), sp.TaskMap.of_plan(plan)]
        for value in values:
            again = pickle.loads(pickle.dumps(value))
            self.assertEqual((again, hash(again)), (value, hash(value)))
            self.assertEqual(copy.deepcopy(value), value)
            self.assertNotEqual(value, None)
        self.assertEqual(plan.node("a").topology, FRONTIER.topology)
        self.assertEqual(sp.Plan.from_bytes(plan.to_bytes()).node("a").topology, FRONTIER.topology)
        self.assertEqual(pickle.loads(pickle.dumps(cluster.node("a"))).topology, SMALL.topology)
        self.assertEqual(hash(plan.node("a").topology), hash(FRONTIER.topology))
        self.assertIsNone(sp.Plan.from_bytes(plan.to_broadcast()).node("a").topology)
        self.assertEqual(sp.Topology("core:4 pu:1").restrict("0-3"), sp.Topology("core:4 pu:1"))
        self.assertNotEqual(sp.Topology("core:4 pu:1"), sp.Topology("core:4 pu:2"))
        self.assertEqual(len(set(plan) | set(pickle.loads(pickle.dumps(plan)))), 4)
        self.assertNotEqual(plan[0], plan[1])
        self.assertNotEqual(plan.node("a"), plan.node("b"))
        with self.assertRaises(sp.PlacementError) as refused:
            sp.place("-n 99 -H a:4 ./x", FRONTIER)
        again = pickle.loads(pickle.dumps(refused.exception))
        self.assertEqual((again.kind, again.message, again.span), (refused.exception.kind, refused.exception.message, None))

    def test_slices_iteration_and_buffers(self):
        plan = sp.place(LINE, FRONTIER)
        self.assertEqual([proc.rank for proc in plan[1:3]], [1, 2])
        self.assertEqual([proc.rank for proc in plan[::-2]], [3, 1])
        self.assertEqual(plan[5:], [])
        self.assertEqual([proc.rank for proc in plan.node("a")], list(plan.node("a").ranks))
        self.assertIn(plan[2], plan)
        self.assertEqual(list(reversed(plan))[0], plan[3])
        for kind in (bytes, bytearray, memoryview):
            self.assertEqual(sp.Plan.from_bytes(kind(plan.to_bytes())), plan)
        job = sp.Job.from_command_line(LINE)
        self.assertEqual(sp.Job.from_bytes(memoryview(job.to_bytes())), job)
        own = sp.NodeSlice.from_bytes(bytearray(plan.node("a").to_bytes()))
        self.assertEqual([proc.local_rank for proc in own[1:]], list(range(1, len(own))))
        self.assertEqual(plan.cpusets[:1], [""])

    def test_a_bad_head_is_refused(self):
        with self.assertRaises(sp.Error) as refused:
            sp.Machine(sp.Topology("core:4 pu:1"), head="bad name\n")
        self.assertEqual(refused.exception.kind, "bad-hostlist")

    def test_a_machine_knows_its_nodes(self):
        small = sp.Topology("package:2 core:4 pu:2")
        known = {"cpus": {"n0": "0-1"}, "slots": {"n[1-2]": 3}, "max_slots": {"n2": 2}, "taken": {"n1": (1, "0-3")}}
        machine = sp.Machine(small, nodes={"n3": small.restrict("8-15")}, devices={"n[0-1]": "gpu=numa:2"}, **known)
        again = pickle.loads(pickle.dumps(machine))
        self.assertEqual((again, hash(again)), (machine, hash(machine)))
        self.assertNotEqual(machine, sp.Machine(small))
        self.assertEqual({name: getattr(machine, name) for name in known}, known)
        plan = sp.place("-H n[0-3]:* --map-by core --bind-to core ./x", machine)
        self.assertEqual([len(plan.node(name)) for name in ("n0", "n1", "n2", "n3")], [2, 2, 2, 4])
        self.assertEqual([proc.cpus for proc in plan.node("n1")], ["4-5", "6-7"])
        self.assertEqual([proc.cpus for proc in plan.node("n3")][:2], ["8-9", "10-11"])
        for wrong in ({"cpus": {"n0": "0-9"}}, {"taken": {"n0": (1, "x")}}, {"devices": {"n0": "gpu"}}, {"slots": {"n[": 1}}):
            with self.assertRaises(sp.Error):
                sp.Machine(small, **wrong)
        with self.assertRaises(sp.Error) as refused:
            small.restrict("99")
        self.assertEqual(refused.exception.kind, "bad-cpu-list")

    def test_the_package_says_what_it_has(self):
        self.assertRegex(sp.__version__, r"^\d+\.\d+")
        for name in sp.__all__:
            if not name.startswith("_"):
                self.assertTrue(getattr(sp, name).__doc__, name)
        for kind in (sp.Plan, sp.Proc, sp.Node, sp.App, sp.Machine, sp.Advice, sp.Explanation, sp.SliceProc):
            for name in dir(kind):
                if not name.startswith("_"):
                    self.assertTrue(getattr(kind, name).__doc__, f"{kind.__name__}.{name}")


class Tables(unittest.TestCase):
    def rows(self):
        plan = sp.place(LINE, FRONTIER)
        return plan, [dict(zip(proc._fields, proc)) for proc in plan]

    def test_rows(self):
        plan, rows = self.rows()
        self.assertEqual(list(rows[0])[-2:], ["gpus", "threads"])
        self.assertEqual([row["gpus"] for row in rows], [",".join(map(str, proc.gpus)) for proc in plan])
        columns = plan.columns()
        self.assertEqual([plan.gpusets[one] for one in columns["gpus"]], [proc.gpus for proc in plan])
        self.assertEqual(list(columns["threads"]), [proc.threads for proc in plan])
        self.assertNotIn("gpus", sp.place("-n 2 -H a:2 ./x", SMALL).columns())

    @unittest.skipUnless(have("pandas"), "pandas is not installed")
    def test_pandas(self):
        import pandas

        plan, rows = self.rows()
        self.assertEqual(pandas.DataFrame(plan).to_dict("records"), rows)

    @unittest.skipUnless(have("pyarrow"), "pyarrow is not installed")
    def test_arrow(self):
        import pyarrow

        plan, rows = self.rows()
        self.assertEqual(pyarrow.table(plan).to_pylist(), rows)

    @unittest.skipUnless(have("polars"), "polars is not installed")
    def test_polars(self):
        import polars

        plan, rows = self.rows()
        self.assertEqual(polars.DataFrame(plan).to_dicts(), rows)


class Calls(unittest.TestCase):
    def test_scores_and_advice(self):
        line = "-n 32 -H n[0-3]:8 --map-by slot ./x"
        found = sp.score(line, SMALL, "halo:8x4")
        self.assertEqual((found["edges"], found["levels"][0]), (104, {"level": "node", "leave": 24, "worst": 8}))
        network = sp.Network("tree switch:2 node:2 n[0-3]")
        self.assertEqual(sp.place(line, SMALL).score("halo:8x4", network=network)["levels"][0]["leave"], 8)
        matrix = {"m": "".join(f"{at},{(at + 1) % 32},10\n" for at in range(32))}
        self.assertEqual(sp.score(line, SMALL, "file:m", files=matrix)["unit"], "bytes")
        advice = sp.advise(line, SMALL, ["halo:8x4"], network=network, by="sum")
        self.assertEqual(len(advice), len(advice.answers))
        best = advice.answers[0]
        self.assertLessEqual(best["sum"], [one for one in advice.answers if one["asked"]][0]["sum"])
        self.assertEqual(sorted(int(rank) for rank in advice.order().replace(",", " ").split()), list(range(32)))
        with self.assertRaises(sp.Error) as refused:
            sp.score(line, SMALL, "hallo:8x4")
        self.assertEqual(refused.exception.kind, "bad-pattern")

    def test_networks(self):
        text = "SwitchName=s0 Nodes=w[0-1]\nSwitchName=s1 Nodes=w[2-3]\nSwitchName=top Switches=s[0-1]\n"
        self.assertEqual([level["level"] for level in sp.Network(text).shape()["levels"]], ["switch"])
        self.assertEqual(sp.Network(sp.Network(text).topology_conf()).shape(), sp.Network(text).shape())
        self.assertEqual(sp.Network(text, levels="rack").shape()["levels"][0]["level"], "rack")
        named = sp.Network("names x{group}c*")
        self.assertEqual(named.shape(hosts="x1c0,x1c1,x2c0")["kind"], "tree")
        for wrong in ("tree node", "names x{group"):
            with self.assertRaises(sp.Error) as refused:
                sp.Network(wrong).shape(hosts="x1c0")
            self.assertEqual(refused.exception.kind, "bad-network")

    def test_threads(self):
        env = {"OMP_NUM_THREADS": "3", "OMP_PLACES": "cores"}
        found = sp.threads(sp.Topology("builtin:frontier"), "1-7,65-71", env, omp="gnu")
        self.assertEqual(found, [(0, 0, "1,65"), (1, 1, "2,66"), (2, 2, "3,67")])
        self.assertEqual((found.bind, found.start, found.number, len(found)), ("true", "1,65", 3, 3))
        self.assertEqual([found.places[place] for _, place, _ in found], [cpus for _, _, cpus in found])
        self.assertEqual((len(found.places), found.places[-1]), (7, "7,71"))
        self.assertEqual(found[1:], [(1, 1, "2,66"), (2, 2, "3,67")])
        nested = sp.threads(sp.Topology("core:4 pu:1"), "0-3", {"OMP_NUM_THREADS": "2,2"})
        self.assertEqual([thread for thread, _, _ in nested], ["0.0", "0.1", "1.0", "1.1"])
        self.assertEqual((nested.places, nested.bind), ([], "false"))
        self.assertNotEqual(nested, found)
        for value in (found, nested):
            again = pickle.loads(pickle.dumps(value))
            self.assertEqual((again, hash(again), again.places), (value, hash(value), value.places))
        job = sp.Job([sp.App("./x", procs=4, hosts="a:8", map_by="l3cache")], env=env)
        self.assertEqual(sp.place(job, FRONTIER).threads(3, omp="gnu")[0], (0, 0, "25,89"))
        own = sp.Job([sp.App("./x", procs=4, hosts="a:8", map_by="l3cache", env=env)])
        self.assertEqual(sp.place(own, FRONTIER).threads(-1), sp.place(job, FRONTIER).threads(3))
        with self.assertRaises(sp.Error):
            sp.threads(sp.Topology("core:4 pu:1"), "0-3", env, omp="cray")

    def test_lines(self):
        job = sp.Job.from_command_line("srun -n 4 -c 2 ./x", as_="slurm@24.11", hosts="n[0-1]", alloc="-N 2 -n 4 -c 2")
        self.assertEqual([proc.node for proc in sp.place(job, SMALL)], ["n0", "n0", "n1", "n1"])
        asked = sp.Job.from_command_line("mpiexec.hydra -f hosts -n 2 ./x", files={"hosts": "a:1\nb:1\n"})
        self.assertEqual([proc.node for proc in sp.place(asked, SMALL)], ["a", "b"])
        with self.assertRaises(sp.PlacementError):
            sp.place("srun --nonsense ./x", SMALL)


class Many(unittest.TestCase):
    def test_the_rest_is_kept(self):
        jobs = ["-n 4 -H a:4 ./x", "-n 5 -H a:4 ./x", "-n 2 -H a:4 ./x", "--nonsense"]
        with self.assertRaises(sp.PlacementError) as refused:
            sp.place_many(jobs, SMALL)
        error = refused.exception
        self.assertEqual((error.index, error.kind), (1, "not-enough-slots"))
        self.assertTrue(str(error).startswith("job 1: "))
        self.assertEqual([len(one) for one in error.plans if isinstance(one, sp.Plan)], [4, 2])
        kept = sp.place_many(jobs, SMALL, refused="keep")
        self.assertEqual([getattr(one, "kind", None) for one in kept], [None, "not-enough-slots", None, "bad-option"])

    def test_batch(self):
        asked = [{"id": "a", "words": ["-n", "2", "-H", "a:2", "./x"]}, '{"id":7,"words":["-n","3","-H","a:2","./x"]}', "[]", "{"]
        asked.append({"request": {"apps": [{"maxprocs": 1, "info": {"PMIX_HOST": "a"}}]}})
        found = sp.batch(asked, SMALL)
        self.assertEqual([one["ok"] for one in found[:4]], [True, False, False, False])
        self.assertEqual([one["line"] for one in found], [1, 2, 3, 4, 5])
        self.assertEqual(found[1]["error"]["class"], "not-enough-slots")
        self.assertEqual(found[3]["error"]["class"], "bad-request")

    def test_it_is_faster_than_a_loop(self):
        lines = [f"-n {64 + at % 7} -H n[0-{63 + at % 5}]:8 --map-by core --bind-to core ./x" for at in range(400)]
        best = [float("inf"), float("inf")]
        for _ in range(3):
            for way, work in enumerate((lambda: [sp.place(one, SMALL) for one in lines], lambda: sp.place_many(lines, SMALL))):
                begin = time.perf_counter()
                work()
                best[way] = min(best[way], time.perf_counter() - begin)
        print(f"{len(lines)} jobs: a loop {best[0] * 1e3:.0f} ms, place_many {best[1] * 1e3:.0f} ms")
        # A busy machine tells nothing in the short check.
        if os.environ.get("STOWPLAN_LONG") and (os.cpu_count() or 1) > 1:
            self.assertLess(best[1], best[0])


if __name__ == "__main__":
    unittest.main()
