"""The package as its page has it. Run by unittest, with the wheel installed; NumPy and Arrow are tried where they are there."""

import importlib.util
import os
import pickle
import random
import shlex
import threading
import unittest

import stowplan as sp

SMALL = "package:2 core:4 pu:1"
THREADS = "package:2 core:8 pu:2(indexes=2*16:1*2)"


def machine():
    return sp.Machine(sp.Topology(SMALL))


def have(name):
    return importlib.util.find_spec(name) is not None


class Page(unittest.TestCase):
    def test_a_million_ranks(self):
        nodes = {"g[0-3]": sp.Topology("builtin:frontier")}
        m = sp.Machine(sp.Topology(THREADS), nodes=nodes, head=None, cpus=None)
        ocean = sp.App("./ocean", procs=1 << 20, hosts="n[0-69999]:16")
        job = sp.Job([ocean, sp.App("./io", procs=4096, map_by="ppr:1:node")], map_by="core")
        plan = sp.place(job, m)
        self.assertEqual(len(plan), (1 << 20) + 4096)
        p = plan[1_000_000]
        self.assertEqual((p.node, p.cpus), ("n62500", "0,16"))
        self.assertEqual((p.cpu_list, p.object), ([0, 16], "core:0"))
        self.assertEqual((p.rank, p.app, p.app_rank, p.local_rank), (1_000_000, 0, 1_000_000, 0))
        self.assertEqual(plan[-1].app, 1)
        self.assertLess(len(plan._repr_html_()), 300_000)
        self.assertIn("ranks on", repr(plan))
        columns = plan.columns()
        self.assertEqual(columns["node"][1_000_000], 62500)
        self.assertTrue(columns["node"].readonly)
        self.assertEqual(plan.cpusets[columns["cpuset"][1_000_000]], "0,16")
        self.assertEqual(plan.cpusets[0], "")

    def test_gpus_come_back_from_bytes(self):
        m = sp.Machine(sp.Topology("builtin:frontier"))
        plan = sp.place("-H a:8 -n 8 --map-by gpu ./x", m)
        self.assertEqual([p.gpus for p in plan], [[4], [5], [2], [3], [6], [7], [0], [1]])
        for bytes in [plan.to_bytes(), plan.to_broadcast()]:
            self.assertEqual(sp.Plan.from_bytes(bytes)[6].gpus, [0])
        self.assertEqual(sp.NodeSlice.from_bytes(plan.node("a").to_bytes())[6].gpus, [0])

    def test_network_cards_come_back_from_bytes(self):
        m = sp.Machine(sp.Topology("package:2 core:2 pu:1"))
        line = "-H a:4 -n 2 --devices nic=package --map-by device={} --bind-to none ./x"
        plan, other = (sp.place(line.format(device), m) for device in ("network", "nic1:shared"))
        self.assertEqual([p.nics for p in plan], [["nic0"], ["nic1"]])
        for bytes in [plan.to_bytes(), plan.to_broadcast()]:
            self.assertEqual(sp.Plan.from_bytes(bytes)[1].nics, ["nic1"])
        self.assertEqual(sp.NodeSlice.from_bytes(plan.node("a").to_bytes())[1].nics, ["nic1"])
        self.assertEqual(sp.place("-H a:4 -n 1 ./x", m)[0].nics, [])
        self.assertEqual(plan.diff(other).moved["nics"], 1)
        self.assertNotEqual(plan[0], other[0])
        self.assertEqual(plan[1], other[1])

    def test_a_command_line_stands_for_a_job(self):
        for words in ["-H a:8,b:8 -n 3 --map-by node './a b'", ["-H", "a:8,b:8", "-n", "3", "--map-by", "node", "./a b"]]:
            plan = sp.place(words, machine())
            self.assertEqual([p.node for p in plan], ["a", "b", "a"])
        self.assertEqual(plan.nodes, ["a", "b"])
        self.assertEqual(list(plan.node("a").ranks), [0, 2])
        self.assertEqual(list(plan.node("b").ranks), [1])
        self.assertIsInstance(plan.node("a").ranks, range)
        self.assertEqual((plan.node("b").name, plan.node("b").number), ("b", 1))
        with self.assertRaises(KeyError):
            plan.node("c")
        for rank in [3, -4]:
            with self.assertRaises(IndexError):
                plan[rank]

    def test_bytes_and_pickles(self):
        m = machine()
        job = sp.Job.from_command_line("-H a:4,b:4 -n 6 --map-by core ./x")
        self.assertEqual(sp.Job.from_bytes(job.to_bytes()), job)
        plan = sp.place(job, m)
        self.assertEqual(sp.Plan.from_bytes(plan.to_bytes()), plan)
        for thing in [m, job, plan, sp.Topology(SMALL), sp.App("./a", procs=3)]:
            self.assertEqual(pickle.loads(pickle.dumps(thing)), thing)
        broadcast = sp.Plan.from_bytes(plan.to_broadcast())
        self.assertEqual([p.cpus for p in broadcast], [p.cpus for p in plan])
        with self.assertRaises(sp.Error) as caught:
            broadcast.check()
        self.assertEqual(caught.exception.kind, "bad-plan")
        plan.check()
        self.assertTrue(plan.task_map())
        node = plan.node("b")
        piece = sp.NodeSlice.from_bytes(node.to_bytes())
        self.assertEqual((piece.name, len(piece)), ("b", len(node.ranks)))
        own = [plan[rank] for rank in node.ranks]
        self.assertEqual([piece[i].cpus for i in range(len(piece))], [p.cpus for p in own])
        self.assertEqual([piece[i].rank for i in range(len(piece))], list(node.ranks))
        with self.assertRaises(IndexError):
            piece[len(piece)]

    def test_files_come_with_the_job(self):
        with self.assertRaises(sp.PlacementError) as caught:
            sp.place("-H a:2,b:2 --map-by seq:file=nodes ./x", machine())
        self.assertEqual(caught.exception.kind, "bad-seqfile")
        app = sp.App("./x", hosts="a:2,b:2")
        job = sp.Job([app], map_by="seq:file=nodes", files={"nodes": "b\na\n"})
        self.assertEqual([p.node for p in sp.place(job, machine())], ["b", "a"])
        hosts = sp.Job([sp.App("./x", procs=2, hostfile="a slots=1\nb slots=1\n")])
        self.assertEqual([p.node for p in sp.place(hosts, machine())], ["a", "b"])

    def test_cluster(self):
        cluster = sp.Cluster(machine())
        first = cluster.place("-H a:8 -n 7 --map-by core ./x")
        self.assertEqual(cluster.place("-n 1 --map-by core ./y")[0].cpus, "7")
        with self.assertRaises(sp.PlacementError):
            cluster.place("-n 1 --map-by core --bind-to core ./z")
        cluster.release(first)
        self.assertEqual(cluster.place("-n 1 --map-by core ./z")[0].cpus, "0")
        with self.assertRaises(sp.Error) as caught:
            cluster.release(first)
        self.assertEqual(caught.exception.kind, "no-such-job")

    def test_a_plan_explains_compares_and_draws_itself(self):
        m = machine()
        slot, node = (sp.place(f"-H a:4,b:4 -n 6 --map-by {by} ./x", m) for by in ["slot", "node"])
        why = slot.explain(4)
        self.assertEqual((why.proc.rank, why.proc.node), (4, "b"))
        self.assertIn("--map-by slot: asked", why.why[0])
        self.assertEqual(why.words[0], {"option": "--map-by", "value": "slot", "from": "job", "rule": None})
        there = why.instead
        self.assertEqual(there["change"], "--map-by node")
        moved = node[there["rank"]]
        self.assertEqual((there["node"], there["local_rank"], there["cpus"]), (moved.node, moved.local_rank, moved.cpus or None))
        self.assertTrue(str(why).startswith("rank 4  node b"))
        self.assertEqual(slot.explain(-1).proc.rank, 5)
        with self.assertRaises(IndexError):
            slot.explain(6)
        with self.assertRaises(sp.Error) as caught:
            sp.Plan.from_bytes(slot.to_broadcast()).explain(0)
        self.assertEqual(caught.exception.kind, "bad-plan")

        found = slot.diff(node)
        elsewhere = [p.rank for p, q in zip(slot, node) if p.node != q.node]
        self.assertEqual(found.moved["node"], len(elsewhere))
        self.assertEqual(found.same + sum(found.moved.values()), 6)
        self.assertEqual((found.gone, found.new, bool(found)), (0, 0, True))
        self.assertEqual(found.cause, {"option": "--map-by", "app": 0, "a": "slot", "b": "node"})
        self.assertFalse(slot.diff(slot))
        self.assertIsNone(slot.diff(slot).cause)
        self.assertIn("--map-by", str(found))
        shorter = sp.place("-H a:4,b:4 -n 5 --map-by slot ./x", m)
        self.assertEqual((slot.diff(shorter).gone, shorter.diff(slot).new), (1, 1))
        with self.assertRaises(TypeError):
            slot.diff("plan")

        for thing in [slot, found]:
            self.assertTrue(thing.picture().startswith("<svg"))
            self.assertEqual(thing.picture(), thing._repr_html_())
            self.assertTrue(thing.html().startswith("<!"))
            self.assertLess(len(thing.html().encode()), 300_000)
            self.assertNotIn("<script", thing.picture())

    def test_a_refused_job_is_explained(self):
        m = machine()
        told = sp.Refused.explain("-H a:4 -n 6 ./x", m)
        self.assertEqual((told.kind, told.missing), ("not-enough-slots", {"what": "slots", "asked": 6, "there": 4}))
        self.assertTrue(told.nearest)
        for near in told.nearest:
            sp.place(near["words"], m)
        self.assertIn("-n 4", [near["change"] for near in told.nearest])
        self.assertIn(told.message, str(told))
        self.assertIsNone(sp.Refused.explain("-H a:4 -n 4 ./x", m))
        with self.assertRaises(sp.PlacementError):
            sp.Refused.explain("--nonsense", m)
        with self.assertRaises(TypeError):
            sp.Refused.explain(3, m)

    def test_place_many(self):
        jobs = [f"-H a:8 -n {n} ./x" for n in range(1, 9)]
        self.assertEqual([len(plan) for plan in sp.place_many(jobs, machine())], list(range(1, 9)))
        with self.assertRaises(sp.PlacementError) as caught:
            sp.place_many(["-H a:8 -n 1 ./x", "-n 99 -H a:4 ./x", "--nonsense"], machine())
        self.assertEqual(caught.exception.kind, "not-enough-slots")
        with self.assertRaisesRegex(TypeError, "job 1: .* not int"):
            sp.place_many(["-H a:8 -n 1 ./x", 3], machine())
        if hasattr(os, "fork"):
            child = os.fork()
            if child == 0:
                os._exit(0 if len(sp.place_many(jobs, machine())) == 8 else 1)
            self.assertEqual(os.waitpid(child, 0)[1], 0)


class Refusals(unittest.TestCase):
    def check(self, class_, make, kind):
        with self.assertRaises(class_) as caught:
            make()
        self.assertEqual(caught.exception.kind, kind)
        return caught.exception

    def test_they_say_what_and_where(self):
        error = self.check(sp.PlacementError, lambda: sp.place("-n 99 -H a:4 ./x", machine()), "not-enough-slots")
        self.assertIsInstance(error, ValueError)
        self.assertEqual((error.text, error.span), (None, None))
        self.assertEqual(str(error), error.message)
        error = self.check(sp.PlacementError, lambda: sp.Job([sp.App("./ä", map_by="core:pee=2")]), "bad-qualifier")
        self.assertIn("pee", error.text[slice(*error.span)])
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((again.kind, again.message, again.span), (error.kind, error.message, error.span))

    def test_they_offer_what_works(self):
        error = self.check(sp.PlacementError, lambda: sp.place("-n 5 -H a:4 ./x : -n 1 -H a:4 ./y", machine()), "not-enough-slots")
        self.assertEqual(error.app, 0)
        self.assertIn("more processes than slots", error.docs)
        # Each line is a change of the job: what it says is placed.
        changes = [line.partition(": ")[2] for line in error.help]
        self.assertGreater(len(changes), 1)
        fewer = next(change for change in changes if change.startswith("-n "))
        self.assertGreater(len(sp.place(f"{fewer} -H a:4 ./x", machine())), 0)
        more = next(change for change in changes if change.startswith("-H "))
        self.assertEqual(len(sp.place(f"-n 5 {more} ./x", machine())), 5)
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((again.help, again.number, again.app), (error.help, error.number, 0))
        # Who does not ask pays nothing: errors that were never asked travel with their help too.
        fresh = self.check(sp.PlacementError, lambda: sp.place("-n 5 -H a:4 ./x", machine()), "not-enough-slots")
        self.assertEqual(pickle.loads(pickle.dumps(fresh)).help, fresh.help)
        hint = self.check(sp.PlacementError, lambda: sp.place("--map-bi core ./x", machine()), "bad-option")
        self.assertEqual(hint.help, [hint.hint])
        self.assertNotEqual(hint.number, error.number)
        plain = self.check(sp.Error, lambda: sp.Topology("builtin:frontir"), "bad-topology")
        self.assertIsNone(plain.app)
        self.assertEqual(sp.Error("mine").help, [])
        many = sp.place_many(["-n 5 -H a:4 ./x"], machine(), refused="keep")[0]
        self.assertEqual(many.help, fresh.help)
        with self.assertRaises(sp.PlacementError) as caught:
            sp.place_many(["-n 5 -H a:4 ./x"], machine())
        self.assertEqual((caught.exception.help, caught.exception.index), (fresh.help, 0))

    def test_each_by_its_class(self):
        m = machine()
        for make, kind in [
            (lambda: sp.Topology("nonsense:"), "bad-topology"),
            (lambda: sp.Topology(""), "bad-topology"),
            (lambda: sp.Machine(sp.Topology(SMALL), nodes={"n[": sp.Topology(SMALL)}), "bad-hostlist"),
            (lambda: sp.Machine(sp.Topology(SMALL), cpus="0-"), "bad-cpu-list"),
            (lambda: sp.Plan.from_bytes(b""), "bad-plan"),
            (lambda: sp.NodeSlice.from_bytes(b"x" * 100), "bad-plan"),
        ]:
            self.assertNotIsInstance(self.check(sp.Error, make, kind), sp.PlacementError)
        for make, kind in [
            (lambda: sp.place(sp.Job([sp.App("./x", procs=0, hosts="a:2")]), m), "bad-value"),
            (lambda: sp.App("./x", procs=-1), "bad-value"),
            (lambda: sp.App("./x", procs=1 << 40), "bad-value"),
            (lambda: sp.Job.from_json("{"), "bad-request"),
            (lambda: sp.Job.from_bytes(b"STOW"), "bad-request"),
            (lambda: sp.Job.from_command_line("--topo core:4 ./x"), "bad-option"),
            (lambda: sp.place("-H a:2 --hostfile nowhere ./x", m), "bad-hostfile"),
            (lambda: sp.Job.from_command_line("-n 'x"), "bad-value"),
        ]:
            self.check(sp.PlacementError, make, kind)

    def test_lines_are_cut_as_shlex_cuts_them(self):
        dice = random.Random(7)
        m = machine()
        for _ in range(3000):
            tail = "".join(dice.choice("ab -'\"\\\t\n\rä#$") for _ in range(dice.randrange(12)))
            line = "-H a:2 -n 1 ./x " + tail
            try:
                words = shlex.split(line)
            except ValueError as why:
                error = self.check(sp.PlacementError, lambda: sp.Job.from_command_line(line), "bad-value")
                self.assertIn(str(why), error.message)
                continue
            try:
                job = sp.Job.from_command_line(words)
            except sp.Error as expected:
                error = self.check(sp.PlacementError, lambda: sp.Job.from_command_line(line), expected.kind)
                self.assertEqual(error.message, expected.message)
                continue
            self.assertEqual(sp.Job.from_command_line(line), job, line)
        # A line of two million hosts' signs is cut in no time.
        hosts = ",".join(f"n{node}:2" for node in range(250_000))
        self.assertEqual(len(sp.place(f"-H {hosts} -n 500000 ./x", m)), 500_000)

    def test_a_wrong_type_is_a_type_error(self):
        for make in [
            lambda: sp.Topology(3),
            lambda: sp.Machine(SMALL),
            lambda: sp.App("./x", procs="3"),
            lambda: sp.App("./x", hosts=4),
            lambda: sp.Job(["./x"]),
            lambda: sp.place(3, machine()),
            lambda: sp.place("-n 1 ./x", SMALL),
            lambda: sp.Plan.from_bytes("text"),
            lambda: sp.place_many("-n 1 -H a:2 ./x", machine()),
        ]:
            with self.assertRaises(TypeError):
                make()


class Tables(unittest.TestCase):
    def plan(self):
        return sp.place("-H a:4,b:4 -n 5 --map-by core ./x : -n 1 --map-by slot --bind-to none ./y", machine())

    def test_columns_equal_processes(self):
        plan = self.plan()
        columns = plan.columns()
        for p in plan:
            own = [columns[name][p.rank] for name in ["app", "app_rank", "local_rank", "node_rank"]]
            self.assertEqual(own, [p.app, p.app_rank, p.local_rank, p.node_rank])
            self.assertEqual(plan.nodes[columns["node"][p.rank]], p.node)
            self.assertEqual(plan.cpusets[columns["cpuset"][p.rank]], p.cpus)
        names = ["app", "app_rank", "node", "local_rank", "node_rank", "object_kind", "object", "cpuset"]
        self.assertEqual(list(columns), names)

    @unittest.skipUnless(have("numpy"), "numpy is not installed")
    def test_numpy(self):
        import numpy

        column = numpy.frombuffer(self.plan().columns()["node"], dtype="u4")
        self.assertEqual(column.tolist(), [0, 0, 0, 0, 1, 1])

    @unittest.skipUnless(have("pyarrow"), "pyarrow is not installed")
    def test_arrow(self):
        import pyarrow

        plan = self.plan()
        rows = pyarrow.table(plan).to_pylist()
        self.assertEqual(list(rows[0]), ["rank", "app", "app_rank", "node", "local_rank", "node_rank", "object", "cpus"])
        for row, p in zip(rows, plan):
            self.assertEqual((row["rank"], row["node"], row["object"]), (p.rank, p.node, p.object))
            self.assertEqual(row["cpus"], p.cpus or None)

    @unittest.skipUnless(have("polars"), "polars is not installed")
    def test_polars(self):
        import polars

        self.assertEqual(polars.DataFrame(self.plan()).height, 6)

    def test_threads_share_a_plan(self):
        plan = self.plan()
        seen = []
        threads = [threading.Thread(target=lambda: seen.append([p.cpus for p in plan])) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertTrue(len(seen) == 8 and all(one == seen[0] for one in seen))


if __name__ == "__main__":
    unittest.main()
