"""Mapping components as functions of Python, and planners: they look, place, pass and refuse; what they do wrong is an exception."""

import gc
import pickle
import sys
import threading
import unittest
from collections.abc import Sequence

import stowplan as sp

MACHINE = sp.Machine(sp.Topology("package:2 core:2 pu:1"))
FEW = "-n 2 -H a:4,b:4 --map-by node ./x"
MANY = "-n 8 -H a:4,b:4 --map-by node ./x"


class FirstNode:
    """All processes on the first node, if it has room for them, from the last core down. It remembers."""

    def __init__(self):
        self.looks = self.passes = 0
        self.seen = []

    def count(self, app, rooms):
        self.looks += 1
        self.seen = [(room.nodes, room.avail, room.slots, room.max_slots, room.used, room.name()) for room in rooms]
        if rooms[0].avail < app.procs:
            self.passes += 1
            raise sp.TakeNextOption
        others = sum(room.nodes for room in rooms) - 1
        return [(1, app.procs), (others, 0)] if others else [(1, app.procs)]

    def objects(self, app, node, procs):
        cores = node.objects("core")
        return range(cores - 1, cores - 1 - procs, -1)


def components(count, objects=None, **more):
    made = sp.Components()
    made.add("mine", 99, count, objects=objects, **more)
    return made


def one_each(app, rooms):
    return [(room.nodes, 1) for room in rooms]


class Components(unittest.TestCase):
    def test_they_look_pass_and_remember(self):
        first = FirstNode()
        made = components(first.count, first.objects)
        self.assertIn(("mine", 99), made.names)
        self.assertEqual([name for name, _ in made.names if name != "mine"], ["lsf", "rank_file", "ppr", "mpibind", "seq", "round_robin"])
        plan = made.place(FEW, MACHINE)
        self.assertEqual([(p.node, p.object) for p in plan], [("a", "core:3"), ("a", "core:2")])
        plan.check()
        self.assertEqual((first.looks, first.passes, first.seen), (1, 0, [(1, 4, 4, None, 0, "a"), (1, 4, 4, None, 0, "b")]))
        # Who passes leaves the app to the engine, whose plan it is then.
        many = made.place(sp.Job.from_command_line(MANY), MACHINE)
        self.assertEqual([p.cpus for p in many], [p.cpus for p in sp.place(MANY, MACHINE)])
        self.assertEqual((first.looks, first.passes), (2, 1))

    def test_clusters_and_planners(self):
        first = FirstNode()
        made = components(first.count, first.objects)
        cluster = sp.Cluster(MACHINE)
        self.assertEqual([p.cpus for p in made.place_in(cluster, FEW)], ["3", "2"])
        self.assertEqual((cluster.free_slots("a"), cluster.free_cpus("a")), (2, [0, 1]))
        made.place_in(cluster, FEW)
        self.assertEqual(first.seen[0][4], 2)
        planner = made.planner(FEW, MACHINE)
        self.assertEqual([p.node for p in planner.plan()], ["a", "a"])
        planner.lose("a")
        self.assertEqual([p.node for p in planner.plan()], ["b", "b"])
        with self.assertRaises(sp.Error) as caught:
            planner.lose("a")
        self.assertEqual(caught.exception.kind, "no-such-host")

    def test_a_planner_plans_what_is_left(self):
        planner = sp.Planner("-n 6 -H n[0-2]:4 --map-by core ./x", MACHINE)
        self.assertEqual([len(planner.plan().node(name)) for name in ["n0", "n1"]], [4, 2])
        planner.lose("n0")
        left = sp.place("-n 6 -H n[1-2]:4 --map-by core ./x", MACHINE)
        self.assertEqual([(p.node, p.cpus) for p in planner.plan()], [(p.node, p.cpus) for p in left])
        planner.lose("n1")
        for _ in range(2):
            with self.assertRaises(sp.PlacementError) as caught:
                planner.plan()
            self.assertEqual(caught.exception.kind, "not-enough-slots")

    def test_words(self):
        made = components(one_each, word="one-each")
        line = "-n 2 -H a:4,b:4 --map-by one-each:pe=2 ./x"
        job = made.job(line)
        for asked in [job, line]:
            self.assertEqual([p.node for p in made.place(asked, MACHINE)], ["a", "b"])
        # Without its components, nobody takes such a job; and others do not know the word.
        with self.assertRaises(sp.PlacementError) as caught:
            sp.place(job, MACHINE)
        self.assertEqual(caught.exception.kind, "failed-map")
        with self.assertRaises(sp.PlacementError) as caught:
            sp.place(line, MACHINE)
        self.assertEqual(caught.exception.kind, "bad-directive")
        for name, more in [("ppr", {}), ("mine", {}), ("other", {"word": "core"}), ("other", {"object": "heart"})]:
            with self.assertRaises(sp.Error) as caught:
                made.add(name, 1, one_each, **more)
            self.assertEqual(caught.exception.kind, "bad-value")

    def test_what_the_app_says(self):
        seen = []

        def look(app, rooms):
            seen.append((app.number, app.program, app.argv, app.procs, app.map_by, app.rank_by, app.bind_to, app.pe, app.attributes))
            seen.append((rooms[0].free_hwthreads, rooms[0].free_inside("package", 1), rooms[0].objects("package"), len(rooms[0])))
            seen.append((repr(app), repr(rooms[0])))
            raise sp.TakeNextOption

        components(look).place("-n 2 -H a:4 ./y 1 : -n 1 --map-by package:pe=2 ./x -v 2", MACHINE)
        self.assertEqual(seen[0][:4], (0, "./y", ["1"], 2))
        self.assertEqual(seen[3][:8], (1, "./x", ["-v", "2"], 1, "package", "fill", "core", 2))
        self.assertEqual((seen[1], seen[2]), ((4, 2, 2, 1), ("<app 0: ./y>", "<room of 1 nodes>")))
        self.assertIsInstance(seen[3][8], dict)


class Wrong(unittest.TestCase):
    def raised(self, kind, count, objects=None):
        with self.assertRaises(kind) as caught:
            components(count, objects).place(FEW, MACHINE)
        return caught.exception

    def test_a_refusal_is_in_its_own_words(self):
        def closed(app, rooms):
            raise sp.ResourceBusy("no jobs tonight")

        error = self.raised(sp.PlacementError, closed)
        self.assertEqual(error.kind, "failed-map")
        self.assertIn("no jobs tonight", error.message)

    def test_exceptions_come_back_as_they_were_raised(self):
        own = LookupError("mine")

        def broken(*_):
            raise own

        self.assertIs(self.raised(LookupError, broken), own)
        self.assertIs(self.raised(LookupError, one_each, broken), own)
        try:
            components(broken).place(FEW, MACHINE)
        except LookupError as error:
            # It says where it was raised.
            self.assertEqual(error.__traceback__.tb_next.tb_frame.f_code.co_name, "broken")
        self.raised(SystemExit, lambda *_: sys.exit(3))
        self.raised(KeyboardInterrupt, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))

        class Unprintable(Exception):
            def __str__(self):
                raise ValueError("no text")

        def unprintable(*_):
            raise Unprintable

        self.raised(Unprintable, unprintable)

        def endless(*_):
            return endless()

        self.raised(RecursionError, endless)
        # The next call starts anew.
        made = components(broken)
        for _ in range(2):
            with self.assertRaises(LookupError):
                made.place(FEW, MACHINE)

    def test_wrong_answers_are_named(self):
        class Endless(Sequence):
            def __len__(self):
                return 1 << 62

            def __getitem__(self, at):
                return (1, 1)

        class Broken(list):
            def __iter__(self):
                raise BufferError("no items")

        def generator(app, rooms):
            yield (1, 1)

        for answer in [None, 7, {(1, 1)}, "ab", [1], [(1,)], [(1, -1)], [(1, 1 << 40)], [("a", "b")], [None], Endless()]:
            error = self.raised(TypeError, lambda *_, answer=answer: answer)
            self.assertIn("mine", str(error))
        self.raised(BufferError, lambda *_: Broken())
        self.assertIn("generator", str(self.raised(TypeError, generator)))
        self.raised(TypeError, lambda: [])
        # The right type, and a wrong placement: the engine says what is wrong with it.
        for answer in [[], [(1, 2)], [(1, 1), (1, 0)], [(77, 1)], [(1, 99), (1, 0)], [(1, 1), (2, 1)]]:
            error = self.raised(sp.PlacementError, lambda *_, answer=answer: answer)
            self.assertEqual(error.kind, "failed-map")
            self.assertIn("mine", error.message)
        for answer in [[], [99], [-1], [None], 0, Endless(), [0, 0, 0]]:
            self.raised((TypeError, sp.PlacementError), one_each, lambda *_, answer=answer: answer)

    def test_functions_are_checked(self):
        made = sp.Components()
        for count, more in [(None, {}), (3, {}), (one_each, {"objects": 3}), (one_each, {"word": "a b"})]:
            with self.assertRaises((TypeError, sp.Error)):
                made.add("mine", 99, count, **more)
        for priority in [-1, 256, "x"]:
            with self.assertRaises((TypeError, OverflowError)):
                made.add("mine", priority, one_each)
        with self.assertRaises(TypeError):
            pickle.dumps(made)
        with self.assertRaises(TypeError):
            type("Mine", (sp.Components,), {})

    def test_rooms_answer_wrong_arguments_and_are_gone_afterwards(self):
        kept = []

        def keep(app, rooms):
            kept.append(rooms[0])
            for call in [rooms[0].name, rooms[0].objects, lambda value: rooms[0].free_inside("core", value)]:
                for value in [None, -1, 99, 1 << 40, "", "x", "\ud800", [], 1.5, object()]:
                    with self.assertRaises((TypeError, IndexError, OverflowError, UnicodeEncodeError, sp.Error)):
                        if call(value) == 0:
                            raise IndexError("there is no such object")
            raise sp.TakeNextOption

        def unnamed(app, node, procs):
            self.assertIsNone(node.avail)
            with self.assertRaises(IndexError):
                node.name()
            return [0] * procs

        components(keep).place(FEW, MACHINE)
        components(one_each, unnamed).place(FEW, MACHINE)
        with self.assertRaises(RuntimeError):
            kept[0].name()
        self.assertEqual(kept[0].nodes, 1)

    def test_no_placement_inside_of_a_component(self):
        cluster, planner = sp.Cluster(MACHINE), sp.Planner(FEW, MACHINE)
        own = []

        def again(app, rooms):
            for call in [lambda: made.place_in(cluster, FEW), lambda: made.place(FEW, MACHINE), planner.plan, cluster.jobs]:
                with self.assertRaises(RuntimeError) as caught:
                    call()
                own.append(caught.exception)
            return one_each(app, rooms)

        made = components(again)
        self.assertEqual(len(made.place_in(cluster, FEW)), 2)
        self.assertEqual(len(own), 4)

    def test_threads_wait_for_each_other_without_the_interpreter(self):
        cluster = sp.Cluster(MACHINE)
        cluster.add_nodes("n[0-99]:4")
        inside, go = threading.Event(), threading.Event()

        def slow(app, rooms):
            inside.set()
            go.wait(10)
            return one_each(app, rooms)

        made = components(slow)
        thread = threading.Thread(target=made.place_in, args=(cluster, "-n 100 ./x"))
        thread.start()
        self.assertTrue(inside.wait(10))
        other = threading.Thread(target=cluster.place, args=("-n 4 ./y",))
        other.start()
        go.set()
        self.assertEqual(len(cluster.nodes()), 100)
        for one in [thread, other]:
            one.join(10)
            self.assertFalse(one.is_alive())
        self.assertEqual(sorted(len(plan) for plan in cluster.jobs().values()), [4, 100])
        del made
        gc.collect()


if __name__ == "__main__":
    unittest.main()
