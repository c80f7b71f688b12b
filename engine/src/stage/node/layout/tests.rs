//! One node of two packages, four cores and eight PUs, with the words of a command and what each process gets.

use super::on_node::place_on_node;
use super::{Binding, End, Laid, Layout, LayoutView};
use crate::count::ProcCount;
use crate::policy::{MapBy, ObjKind, Span};
use crate::spawn::request::owner;
use crate::spawn::{SpawnRequest, Spoken};
use crate::stage::node::bind::{Failure, Mask};
use crate::stage::node::bits::{Bits, There};
use crate::stage::node::capacity::{Capacity, TopologyView};
use crate::stage::node::sets::NodeSets;
use crate::stage::node::units::Hardware;
use crate::stage::resolve::{Context, Files, Resolved, resolve};
use crate::table::cpusets::{Cpusets, list_form};
use crate::table::topologies::{DraftObject, Topologies, TopologyDraft, TopologyId};

struct NoFiles;

impl Files for NoFiles {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        Err(format!("no {path}"))
    }
}

/// `package:2 [numa] core:2 pu:2`.
fn machine() -> (Topologies, TopologyId) {
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
    let mut topologies = Topologies::default();
    let id = topologies.add(draft, &mut Cpusets::default()).unwrap();
    (topologies, id)
}

/// The request to the node.
struct Asked {
    resolved: Resolved,
    procs: u32,
    /// PUs that no process has consumed.
    free: Bits,
}

/// Reads `map core; bind core; free 0-5; 3 processes`; without `free`, all are.
fn asked(words: &str) -> Asked {
    let mut request = SpawnRequest::new();
    let mut free = "0-7";
    let mut procs = 0;
    let app = request.push_app(Some(ProcCount(1)), "a.out");
    for part in words.split("; ") {
        match part.split_once(' ').unwrap() {
            ("map", map) => request.set_mapping(owner(app), map).unwrap(),
            ("bind", bind) => request.set_binding(owner(app), bind).unwrap(),
            ("free", cpus) => free = cpus,
            (count, _) => procs = count.parse().unwrap(),
        }
    }
    let context = Context {
        parent: None,
        spoken: &Spoken::default(),
        affinity: None,
        files: &NoFiles,
    };
    let mut bits = Bits::none(8);
    for stretch in free.split(',') {
        let (first, last) = stretch.split_once('-').unwrap_or((stretch, stretch));
        let end = last.parse::<u32>().unwrap() + 1;
        bits.fill((first.parse().unwrap(), end), There::Yes);
    }
    Asked {
        resolved: resolve(request, context).unwrap(),
        procs,
        free: bits,
    }
}

/// The layout of a first pass.
fn layout(map: MapBy, span: Span) -> Layout {
    match (map.object_kind(), map) {
        (_, MapBy::Ppr { per, .. }) => Layout::Blocks(per, Binding::On),
        (_, MapBy::PeList) => Layout::List(Binding::On),
        (None, _) => Layout::Plain(Binding::On),
        (Some(_), _) if span == Span::Yes => Layout::Walk(Binding::On),
        (Some(_), _) => Layout::Sweep(Binding::On),
    }
}

fn told(laid: &Laid, topologies: &Topologies, kind: Option<ObjKind>) -> String {
    let mut lines = Vec::new();
    for segment in &laid.segments {
        let mut left = segment.procs.min(laid.procs);
        let cycle = segment.cycle.map_or(segment.runs.len(), |at| at as usize);
        let round = segment.runs[cycle..].iter().cycle();
        for run in segment.runs[..cycle].iter().chain(round) {
            let count = run.count.min(left);
            left -= count;
            if count == 0 {
                break;
            }
            let object = match (kind, run.object) {
                (Some(kind), Some(at)) => format!("{} {at}: ", kind.word()),
                _ => String::new(),
            };
            let pus: Option<Vec<u32>> = run.mask.as_ref().map(|mask| match mask {
                Mask::Whole(object) => {
                    let ranges = topologies.ranges(*object).iter();
                    ranges.flat_map(|&(first, end)| first..end).collect()
                }
                Mask::Some(window) => window.ones().collect(),
            });
            let cpus = pus.map_or("unbound".to_owned(), |pus| {
                list_form(&pus.into_iter().collect())
            });
            lines.extend((0..count).map(|_| format!("{object}{cpus}")));
        }
    }
    match laid.end {
        End::Wanted => {}
        End::Full => lines.push("full".to_owned()),
        End::Fails(Failure::NoCpu) => lines.push("no cpu".to_owned()),
        End::Fails(Failure::SpanPackages) => lines.push("no package has as many".to_owned()),
        End::Fails(Failure::Limit) => lines.push("limit".to_owned()),
        end @ (End::TooLong | End::Fails(Failure::NoTarget(_) | Failure::ListedTaken(_))) => {
            lines.push(format!("{end:?}"));
        }
    }
    lines.join("\n")
}

/// What each process gets on the node in a first pass, one line each, and why there are no more.
#[track_caller]
fn check(words: &str, lines: &str) {
    let Asked {
        resolved,
        procs,
        free,
    } = asked(words);
    let (topologies, id) = machine();
    let hardware = Hardware::new(&topologies, id);
    let app = resolved.apps.ids().next().unwrap();
    let policy = *resolved.apps.policy(app).unwrap();
    let view = TopologyView::new(&topologies, &hardware, &policy, &resolved.apps, None);
    let mut all = Bits::none(8);
    all.fill((0, 8), There::Yes);
    let node = LayoutView {
        binder: &view.binder,
        objects: &view.objects,
        sets: NodeSets {
            free_at_start: free.words(),
            allowed: all.words(),
        },
        pe_list: &view.pe_list,
        chosen: &[],
    };
    let layout = layout(policy.map, policy.span);
    let cpus = view.binder.cpus(free.words());
    let laid = place_on_node(&node, layout, cpus, 0, procs);
    let found = told(&laid, &topologies, policy.map.object_kind());
    assert_eq!(
        found.lines().collect::<Vec<_>>(),
        lines.trim().lines().map(str::trim).collect::<Vec<_>>(),
        "{words}"
    );
}

/// The capacity of a node before anything is placed there.
#[track_caller]
fn check_capacity(words: &str, told: &str) {
    let Asked { resolved, free, .. } = asked(words);
    let (topologies, id) = machine();
    let hardware = Hardware::new(&topologies, id);
    let app = resolved.apps.ids().next().unwrap();
    let policy = *resolved.apps.policy(app).unwrap();
    let view = TopologyView::new(&topologies, &hardware, &policy, &resolved.apps, None);
    let mut all = Bits::none(8);
    all.fill((0, 8), There::Yes);
    let Capacity {
        free,
        cpus,
        by_object,
        objects,
        ..
    } = view.capacity(&view.binder.cpus(free.words()), all.words());
    let found = format!("{free} of {cpus} cpus, room for {by_object} on {objects} objects");
    assert_eq!(found, told, "{words}");
}

#[test]
fn by_slot_each_process_takes_the_next_core() {
    check(
        "map slot; bind core; 3 processes",
        "0-1
         2-3
         4-5",
    );
}

#[test]
fn a_core_that_is_taken_in_part_is_taken() {
    check(
        "map slot; bind core; free 1-4,6-7; 3 processes",
        "2-3
         6-7
         no cpu",
    );
}

#[test]
fn a_larger_target_is_shared_until_its_cores_are_taken() {
    check(
        "map slot; bind package; 5 processes",
        "0-3
         0-3
         4-7
         4-7
         no cpu",
    );
}

#[test]
fn a_limit_sends_the_next_process_to_the_next_object() {
    check(
        "map slot; bind package:limit=1; 3 processes",
        "0-3
         4-7
         limit",
    );
}

#[test]
fn where_cpus_may_be_shared_they_come_round() {
    check(
        "map slot; bind core:overload-allowed; free 0-3; 3 processes",
        "0-1
         2-3
         0-1",
    );
}

#[test]
fn several_cpus_each_come_from_one_package() {
    check(
        "map slot:pe=2; bind core; free 2-7; 2 processes",
        "4-7
         no package has as many",
    );
}

#[test]
fn hwthreads_are_cpus_when_they_are_counted() {
    check(
        "map slot:hwtcpus; bind hwthread; free 1-2; 3 processes",
        "1
         2
         no cpu",
    );
}

#[test]
fn a_sweep_gives_each_object_one_process_before_any_gets_two() {
    check(
        "map package; bind core; 4 processes",
        "package 0: 0-1
         package 1: 4-5
         package 0: 2-3
         package 1: 6-7",
    );
}

#[test]
fn a_sweep_leaves_out_objects_that_are_full() {
    check(
        "map package; bind core; free 2-7; 3 processes",
        "package 0: 2-3
         package 1: 4-5
         package 1: 6-7",
    );
}

#[test]
fn unbound_processes_are_mapped_all_the_same() {
    check(
        "map package; bind none; 3 processes",
        "package 0: unbound
         package 1: unbound
         package 0: unbound",
    );
}

#[test]
fn ppr_fills_an_object_before_the_next() {
    check(
        "map ppr:2:package; bind core; 4 processes",
        "package 0: 0-1
         package 0: 2-3
         package 1: 4-5
         package 1: 6-7",
    );
}

#[test]
fn a_list_gives_its_free_cpus_to_all_and_in_order_one_each() {
    check(
        "map pe-list=0-1; bind core; 2 processes",
        "0-3
         0-3",
    );
    check(
        "map pe-list=0-1; bind core; free 2-7; 2 processes",
        "2-3
         full",
    );
    check(
        "map pe-list=2,0:ordered; bind core; 2 processes",
        "4-5
         0-1",
    );
}

#[test]
fn capacity_counts_whole_cpus_by_node_and_by_object() {
    check_capacity(
        "map package; bind core",
        "4 of 4 cpus, room for 4 on 2 objects",
    );
    check_capacity(
        "map package; bind core; free 1-7",
        "3 of 4 cpus, room for 3 on 2 objects",
    );
    check_capacity(
        "map package:pe=2; bind core; free 2-7",
        "3 of 4 cpus, room for 1 on 2 objects",
    );
    check_capacity(
        "map slot; bind core; free 0-3",
        "2 of 4 cpus, room for 0 on 0 objects",
    );
}
