"""Sessions as `stowplan session serve` has them, jobs placed in them, and task maps."""

import json
import pickle
import unittest

import stowplan as sp

MACHINE = sp.Machine(sp.Topology("core:4 pu:1"))
FIRST = {"initial": {"nodes": ["n0", "n1", "n2"]}}
DOWN = {"event": "node_down", "node": "n1"}


def used(plan):
    """The nodes that have processes."""
    return sorted({proc.node for proc in plan})


class Sessions(unittest.TestCase):
    def test_events_change_what_jobs_may_use(self):
        session = sp.Session(FIRST)
        line = "-n 5 --map-by core ./x"
        self.assertEqual(used(session.place(line, MACHINE)), ["n0", "n1"])
        answer = session.event(DOWN)
        self.assertEqual(answer["status"], "PMIX_SUCCESS")
        self.assertEqual(used(session.place(line, MACHINE)), ["n0", "n2"])
        cluster = sp.Cluster(MACHINE)
        cluster.add_nodes("n[0-3]:4")
        self.assertEqual(used(cluster.place_in_session(line, session)), ["n0", "n2"])
        # Without sessions it may use the others.
        self.assertEqual(used(cluster.place("-n 7 --map-by core ./x")), ["n1", "n2"])
        with self.assertRaises(sp.PlacementError) as caught:
            session.place("-n 1 -H n1:1 ./x", MACHINE)
        self.assertEqual(caught.exception.kind, "not-in-session")
        for call in [lambda **more: session.place(line, MACHINE, **more), lambda **more: cluster.place_in_session(line, session, **more)]:
            for targets in ["nowhere", ["nowhere"]]:
                with self.assertRaises(sp.PlacementError) as caught:
                    call(targets=targets)
                self.assertEqual(caught.exception.kind, "no-such-session")
            with self.assertRaises(TypeError):
                call(targets=3)

    def test_lines_and_dicts_are_the_same(self):
        one, two = sp.Session(FIRST), sp.Session(json.dumps(FIRST))
        self.assertEqual(one.event(DOWN), two.event(json.dumps(DOWN)))
        self.assertEqual(one.journal(), two.journal())
        for wrong in ["{", "[]", {"event": "node_dwon"}, {"event": "node_down", "node": "n1", "more": 1}, [1], 3]:
            with self.assertRaises(sp.Error) as caught:
                one.event(wrong)
            self.assertEqual(caught.exception.kind, "scenario")
        for wrong in [object(), {1, 2}, {"event": b"x"}]:
            with self.assertRaises(TypeError):
                one.event(wrong)
        self.assertEqual(one.journal(), two.journal())
        with self.assertRaises(sp.Error):
            sp.Session({"initail": {}})

    def test_it_goes_on_where_its_journal_ends(self):
        session = sp.Session(FIRST)
        kept = session.journal()
        session.kept()
        self.assertEqual(session.journal(), b"")
        session.event(DOWN)
        kept += session.journal()
        session.kept()
        for journal in [kept, session.compact(), bytearray(kept)]:
            again = sp.Session.from_journal(journal)
            self.assertEqual(used(again.place("-n 12 --map-by slot:oversubscribe ./x", MACHINE)), ["n0", "n2"])
        with self.assertRaises(sp.Error) as caught:
            sp.Session.from_journal(kept[:3])
        self.assertEqual(caught.exception.kind, "journal")


class TaskMaps(unittest.TestCase):
    def test_a_plan_and_its_map_say_the_same(self):
        for policy in ["slot", "node", "core", "ppr:2:node"]:
            plan = sp.place(f"-H a:4,b:4,c:4 -n 6 --map-by {policy} ./x", MACHINE)
            found = sp.TaskMap.of_plan(plan)
            nodes = list(plan.columns()["node"])
            self.assertEqual((found.tasks, len(found)), (6, 6))
            self.assertEqual([found.node_of(task) for task in range(6)], nodes)
            for node in range(found.nodes):
                tasks = [task for some in found.tasks_of(node) for task in some]
                self.assertEqual(tasks, [task for task in range(6) if nodes[task] == node])
                self.assertEqual(found.count_of(node), len(tasks))
            self.assertEqual((found.text("wrapped"), str(found)), (plan.task_map(), found.text()))
            for form in ["map", "wrapped", "pmi", "raw"]:
                self.assertEqual(sp.TaskMap(found.text(form)), found)
            again = pickle.loads(pickle.dumps(found))
            self.assertEqual((again, hash(again)), (found, hash(found)))

    def test_what_is_none_is_named(self):
        for text in ["[", "x", "[[0,1]]", "[[0,1,99999999999,1]]", b"\xff"]:
            with self.assertRaises(sp.Error) as caught:
                sp.TaskMap(text)
            self.assertTrue(caught.exception.kind.startswith("taskmap-"))
        found = sp.TaskMap("[[0,2,1,1]]")
        for call in [lambda: found.node_of(2), lambda: found.tasks_of(2), lambda: found.text("nonsense")]:
            with self.assertRaises(sp.Error):
                call()
        # A short text with more tasks than memory: what is asked is answered, or refused.
        many = sp.TaskMap("[[0,1,2147483647,1]]")
        self.assertEqual(many.tasks_of(0), [range(2147483647)])
        with self.assertRaises(sp.Error):
            sp.TaskMap("[[0,2,1,1073741823]]").tasks_of(1)


if __name__ == "__main__":
    unittest.main()
