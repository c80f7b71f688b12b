"""A cluster that follows its nodes and starts again, and plans on granted hosts."""

import copy
import pickle
import unittest

import stowplan as sp

MACHINE = sp.Machine(sp.Topology("package:2 core:2 pu:2"))
OCEAN = "-n 6 --map-by core --bind-to core ./ocean"


class Nodes(unittest.TestCase):
    def setUp(self):
        self.cluster = sp.Cluster(MACHINE)
        self.cluster.add_nodes("n[0-2]:4")

    def test_jobs_come_and_go(self):
        cluster = self.cluster
        self.assertEqual(len(cluster.try_place(OCEAN)), 6)
        self.assertEqual(cluster.jobs(), {})
        ocean = cluster.place(OCEAN)
        self.assertEqual(cluster.jobs(), {0: ocean})
        self.assertEqual((cluster.job_of(ocean), cluster.plan(0)), (0, ocean))
        self.assertEqual([cluster.free_slots(node) for node in ("n0", "n1", "n2")], [0, 2, 4])
        self.assertEqual(cluster.free_cpus("n1"), [4, 5, 6, 7])
        self.assertEqual((cluster.jobs_on("n1"), cluster.jobs_on("n2")), ([0], []))
        cluster.release(0)
        self.assertIsNone(cluster.job_of(ocean))
        with self.assertRaises(sp.Error) as refused:
            cluster.release(ocean)
        self.assertEqual(refused.exception.kind, "no-such-job")
        with self.assertRaises(KeyError):
            cluster.plan(0)
        with self.assertRaises(TypeError):
            cluster.release("0")

    def test_nodes_fail_and_return(self):
        cluster = self.cluster
        cluster.add_nodes("m", sp.Machine(sp.Topology("core:9 pu:1")))
        self.assertEqual([node.name for node in cluster.nodes()], ["n0", "n1", "n2", "m"])
        later = cluster.node("m")
        self.assertEqual((later.slots, later.topology), (9, sp.Topology("core:9 pu:1")))
        self.assertEqual([node.topology == MACHINE.topology for node in cluster.nodes()], [True, True, True, False])
        cluster.remove("m")
        with self.assertRaises(KeyError):
            later.topology
        cluster.place(OCEAN)
        self.assertEqual(cluster.lose("n1"), [0])
        cluster.drain("n2")
        self.assertEqual([node.standing for node in cluster.nodes()], ["up", "down", "drained"])
        with self.assertRaises(sp.PlacementError) as refused:
            cluster.place("-n 1 -H n2 ./x")
        self.assertEqual(refused.exception.kind, "node-closed")
        cluster.up("n[1-2]")
        cluster.down("n2")
        for call in (cluster.remove, cluster.down, cluster.up, cluster.drain, cluster.lose, cluster.free_slots):
            with self.assertRaises(sp.Error):
                call("nowhere")
        with self.assertRaises(sp.Error) as refused:
            cluster.remove("n1")
        self.assertEqual(refused.exception.kind, "node-busy")
        with self.assertRaises(KeyError):
            cluster.node("nowhere")
        node = cluster.node("n0")
        self.assertEqual((node.free_slots, node.procs, node.max_slots, node.free_cpus), (0, 4, None, []))
        self.assertEqual({node}, {cluster.node("n0")})

    def test_gpus_are_held(self):
        machine = sp.Machine(sp.Topology("builtin:perlmutter-gpu"))
        cluster = sp.Cluster(machine)
        cluster.add_nodes("a:64")
        first = cluster.place("-n 3 --map-by gpu ./x")
        held = {gpu for proc in first for gpu in proc.gpus}
        self.assertEqual(set(cluster.free_gpus("a")), {0, 1, 2, 3} - held)
        again = sp.Cluster.from_bytes(cluster.to_bytes(), machine)
        self.assertEqual(again.node("a").free_gpus, cluster.free_gpus("a"))
        self.assertEqual([proc.gpus for proc in again.place("-n 1 --map-by gpu ./x")], [cluster.free_gpus("a")])
        with self.assertRaises(sp.Error) as refused:
            again.place("-n 1 --gpus share ./x")
        self.assertEqual(refused.exception.kind, "not-enough-gpus")
        again.release(0)
        self.assertEqual(set(again.free_gpus("a")), held)

    def test_why_a_job_waits(self):
        self.cluster.place(OCEAN)
        waiting = self.cluster.explain("-n 9 ./big")
        self.assertEqual((waiting.kind, waiting.waits_for), ("not-enough-slots", [0]))
        self.assertIn("it starts when these jobs have ended: 0", str(waiting))
        self.assertIsNone(self.cluster.explain("-n 99 ./never").waits_for)
        self.assertIsNone(self.cluster.explain("-n 1 ./now"))

    def test_it_starts_again(self):
        ocean = self.cluster.place(OCEAN)
        again = sp.Cluster.from_bytes(memoryview(self.cluster.to_bytes()), MACHINE)
        self.assertEqual(again.jobs(), {0: ocean})
        again.release(ocean)
        self.assertEqual(again.adopt(sp.Plan.from_bytes(ocean.to_bytes())), 1)
        with self.assertRaises(sp.Error) as refused:
            again.adopt(ocean)
        self.assertEqual(refused.exception.kind, "job-collides")
        self.assertIn("job 1", refused.exception.message)
        for other in (pickle.loads(pickle.dumps(self.cluster)), copy.copy(self.cluster), copy.deepcopy(self.cluster)):
            other.release(0)
            self.assertEqual((other.free_slots("n0"), self.cluster.free_slots("n0")), (4, 0))
        with self.assertRaises(sp.Error) as refused:
            sp.Cluster.from_bytes(b"stow", MACHINE)
        self.assertEqual(refused.exception.kind, "bad-cluster")


class Onto(unittest.TestCase):
    def test_a_plan_goes_where_hosts_were_granted(self):
        plan = sp.place("-n 6 -H n[0-1]:4 --map-by core ./x", MACHINE)
        for hosts in ("g7,g12", ["g7", "g12"], ("g7", "g12")):
            there = plan.onto(hosts)
            self.assertEqual(there.nodes, ["g7", "g12"])
            there.check()
        self.assertEqual(plan.onto("g[7-8]", MACHINE).nodes, ["g7", "g8"])
        with self.assertRaises(sp.Error) as refused:
            plan.onto("g7")
        self.assertEqual(refused.exception.kind, "does-not-fit")
        with self.assertRaises(TypeError):
            plan.onto(7)


if __name__ == "__main__":
    unittest.main()
