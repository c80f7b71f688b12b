//! One node of two packages, four cores and eight PUs, with the words of a command and what each process gets.

use roaring::RoaringBitmap;
use stowplan_engine::count::{ProcCount, Rank};
use stowplan_engine::error::MapError;
use stowplan_engine::map::{InUse, Machine, Mapped, map_resolved};
use stowplan_engine::policy::ObjKind;
use stowplan_engine::spawn::attributes::{Scope, Value};
use stowplan_engine::spawn::request::owner;
use stowplan_engine::spawn::{SpawnRequest, Spoken, keys};
use stowplan_engine::stage::resolve::{Context, NoFiles, resolve};
use stowplan_engine::table::cpusets::list_form;
use stowplan_engine::table::topologies::{DraftObject, TopologyDraft};
use stowplan_engine::text::hostlist::plain;

/// `package:2 [numa] core:2 pu:2`.
fn machine() -> Machine {
    let object = |kind, first: u32, end: u32| DraftObject {
        kind,
        os: None,
        pus: std::iter::once(first..end).collect(),
    };
    let mut objects = vec![object(ObjKind::Machine, 0, 8)];
    for kind in [ObjKind::Package, ObjKind::Numa] {
        objects.extend((0..2).map(|at| object(kind, at * 4, at * 4 + 4)));
    }
    objects.extend((0..4).map(|at| object(ObjKind::Core, at * 2, at * 2 + 2)));
    let draft = TopologyDraft {
        pus_os: (0..8).collect(),
        objects,
        ..TopologyDraft::default()
    };
    Machine::uniform(draft).unwrap()
}

/// Maps so many processes as `map core; bind core; free 0-5` says onto nodes with more slots than they need; without `free`, no PU is in
/// use.
fn mapped(words: &str, hosts: &str, procs: u32) -> Result<Mapped, MapError> {
    let mut request = SpawnRequest::new();
    let mut free = "0-7";
    let app = request.push_app(Some(ProcCount(procs)), "a.out");
    let hosts = Value::String(hosts.to_owned());
    request
        .set_attribute(owner(app), keys::APP_DASH_HOST, hosts, Scope::Global)
        .unwrap();
    // Ranks in the order in which processes go onto the node.
    request.set_ranking(owner(app), "slot").unwrap();
    for part in words.split("; ") {
        match part.split_once(' ').unwrap() {
            ("map", map) => request.set_mapping(owner(app), map).unwrap(),
            ("bind", bind) => request.set_binding(owner(app), bind).unwrap(),
            (_, cpus) => free = cpus,
        }
    }
    let context = Context {
        parent: None,
        spoken: &Spoken::default(),
        affinity: None,
        files: &NoFiles,
    };
    let mut used: RoaringBitmap = (0..8).collect();
    for stretch in free.split(',') {
        let (first, last) = stretch.split_once('-').unwrap_or((stretch, stretch));
        used.remove_range(first.parse::<u32>().unwrap()..=last.parse().unwrap());
    }
    let mut machine = machine();
    let in_use = InUse {
        slots: 0,
        text: list_form(&used),
        cpus: used,
    };
    machine.taken.push((["n", "m"].map(plain).into(), in_use));
    map_resolved(resolve(request, context)?, machine)
}

/// What each process gets on the node, one line each; with an end, one process more is refused with these words.
#[track_caller]
fn check(words: &str, lines: &str, end: Option<&str>) {
    let lines: Vec<&str> = lines.lines().map(str::trim).collect();
    let procs = u32::try_from(lines.len()).unwrap();
    let plan = mapped(words, "n:99", procs).unwrap().plan;
    let world = plan.world();
    let told = (0..procs).map(|rank| {
        let place = plan.place(Rank(rank)).unwrap();
        let object = place.object.map_or(String::new(), |(kind, at)| {
            format!("{} {at}: ", kind.word())
        });
        let cpus = place.cpus.map_or("unbound".to_owned(), |cpus| {
            list_form(world.cpusets.get(cpus))
        });
        format!("{object}{cpus}")
    });
    assert_eq!(told.collect::<Vec<_>>(), lines, "{words}");
    if let Some(end) = end {
        let refused = mapped(words, "n:99", procs + 1).unwrap_err();
        assert_eq!(refused.to_string(), end, "{words}");
    }
}

#[test]
fn by_slot_each_process_takes_the_next_core() {
    check(
        "map slot; bind core",
        "0-1
         2-3
         4-5",
        None,
    );
}

#[test]
fn a_core_that_is_taken_in_part_is_taken() {
    check(
        "map slot; bind core; free 1-4,6-7",
        "2-3
         6-7",
        Some(
            "app 0 asks for 3 processes bound to a core, cpus are found for 2; the first full node is n",
        ),
    );
}

#[test]
fn a_larger_target_is_shared_until_its_cores_are_taken() {
    check(
        "map slot; bind package",
        "0-3
         0-3
         4-7
         4-7",
        Some(
            "app 0 asks for 5 processes bound to a package, cpus are found for 4; the first full node is n",
        ),
    );
}

#[test]
fn a_limit_sends_the_next_process_to_the_next_object() {
    check(
        "map slot; bind package:limit=1",
        "0-3
         4-7",
        Some("app 0: limit=1 is reached on every package of node n, though cpus are free"),
    );
}

#[test]
fn where_cpus_may_be_shared_they_come_round() {
    check(
        "map slot; bind core:overload-allowed; free 0-3",
        "0-1
         2-3
         0-1",
        None,
    );
}

#[test]
fn several_cpus_each_come_from_one_package() {
    check(
        "map slot:pe=2; bind core; free 2-7",
        "4-7",
        Some(
            "app 0 asks for 2 processes bound to 2 cpus, cpus are found for 1; the first full node is n: its packages have 1, 2 free cpus",
        ),
    );
}

#[test]
fn hwthreads_are_cpus_when_they_are_counted() {
    check(
        "map slot:hwtcpus; bind hwthread; free 1-2",
        "1
         2",
        Some(
            "app 0 asks for 3 processes bound to a hwthread, cpus are found for 2; the first full node is n",
        ),
    );
}

#[test]
fn a_sweep_gives_each_object_one_process_before_any_gets_two() {
    check(
        "map package; bind core",
        "package 0: 0-1
         package 1: 4-5
         package 0: 2-3
         package 1: 6-7",
        None,
    );
}

#[test]
fn a_sweep_leaves_out_objects_that_are_full() {
    check(
        "map package; bind core; free 2-7",
        "package 0: 2-3
         package 1: 4-5
         package 1: 6-7",
        None,
    );
}

#[test]
fn unbound_processes_are_mapped_all_the_same() {
    check(
        "map package; bind none",
        "package 0: unbound
         package 1: unbound
         package 0: unbound",
        None,
    );
}

#[test]
fn ppr_fills_an_object_before_the_next() {
    check(
        "map ppr:2:package; bind core",
        "package 0: 0-1
         package 0: 2-3
         package 1: 4-5
         package 1: 6-7",
        None,
    );
}

#[test]
fn a_list_gives_its_free_cpus_to_all_and_in_order_one_each() {
    check(
        "map pe-list=0-1; bind core",
        "0-3
         0-3",
        None,
    );
    check(
        "map pe-list=0-1; bind core; free 2-7",
        "2-3",
        Some("app 0 asks for 2 processes, the list's 2 cpus hold 1 on its 1 node"),
    );
    check(
        "map pe-list=2,0:ordered; bind core",
        "4-5
         0-1",
        None,
    );
}

/// How many processes two equal nodes take. The second gets what the capacity of the first leaves: where that is too large or too
/// small, fewer are placed.
fn most(words: &str) -> u32 {
    let fits = |&procs: &u32| mapped(words, "n:99,m:99", procs).is_ok();
    (1..99).take_while(fits).last().unwrap_or(0)
}

#[test]
fn capacity_counts_whole_cpus_by_node_and_by_object() {
    let check = |free: &str, by_slot: u32, by_package: u32, by_pairs: u32| {
        let most = |directives: &str| most(&format!("{directives}; free {free}"));
        let found = [
            most("map slot; bind core"),
            most("map package; bind core"),
            most("map package:pe=2; bind core"),
        ];
        assert_eq!(
            found,
            [by_slot, by_package, by_pairs].map(|each| 2 * each),
            "{free}"
        );
    };
    check("0-7", 4, 4, 2);
    check("1-7", 3, 3, 1);
    check("2-7", 3, 3, 1);
    check("0-3", 2, 2, 1);
    check("0-2,5-7", 2, 2, 0);
    // Of two packages, one has no whole core left.
    let each = "map ppr:1:package; bind core";
    assert_eq!([most(each), most(&format!("{each}; free 0-3"))], [4, 2]);
    let refused = mapped("map slot; bind core; free 1-2,5-6", "n:99", 1).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "app 0 binds to a core: no free cpu for it on its 1 node; n has 0 free of 4"
    );
}
