//! What readers refuse. Each claim of a sealed plan that does not hold is beside one that just holds.

use stowplan_engine::id::Id as _;
use stowplan_engine::limit::{GPUS_MAX, OBJECTS_MAX, PUS_MAX, RANKS_MAX};
use stowplan_engine::plan::bytes::inside::{self, Edition, PASSES, PatternFacts, Reader, Writer};
use stowplan_engine::plan::bytes::{BadPlan, FrameKind, Remark, Remarks};
use stowplan_engine::plan::{ListedRun, PlacedRun, Plan, World};
use stowplan_engine::table::apps::AppTable;
use stowplan_engine::table::inside::is_canonical;
use stowplan_engine::table::listings::{Entry, EntryNode, Listing};
use stowplan_engine::table::names::{NameRange, NodeRange};
use stowplan_engine::table::patterns::PatternId;

/// What a reader makes of the bytes written, or what it expected instead.
pub(crate) fn reads<T>(
    write: impl FnOnce(&mut Writer),
    read: impl FnOnce(&mut Reader<'_>) -> Result<T, BadPlan>,
) -> Result<T, &'static str> {
    let mut writer = Writer::default();
    write(&mut writer);
    let bytes = writer.seal(FrameKind::Whole, Edition::Gpus);
    let mut reader = Reader::open(&bytes, FrameKind::Whole).unwrap();
    read(&mut reader).map_err(|bad| bad.expected)
}

pub(crate) fn numbers(numbers: &[u32]) -> impl FnOnce(&mut Writer) {
    move |writer| numbers.iter().for_each(|&number| writer.number(number))
}

#[test]
fn passes_are_of_nodes_of_the_pool_and_each_grows() {
    let check = |told: &[u32], expected: Result<usize, &str>| {
        let read = reads(numbers(told), |reader| inside::read_runs(reader, 4));
        assert_eq!(read.map(|runs| runs.len()), expected, "{told:?}");
    };
    // Runs; for each: nodes before it, nodes, passes, processes of each pass.
    check(&[1, 0, 4, 2, 0, 3], Ok(1));
    check(&[2, 0, 2, 1, 1, 1, 1, 1, 1], Ok(2));
    check(&[1, 0, 5, 1, 1], Err("nodes of the pool"));
    check(&[1, 4, 0, 1, 1], Err("nodes of the pool"));
    check(&[1, 0, 4, 0], Err("as many passes as are counted"));
    check(&[1, 0, 4, 3, 0, 1], Err("as many passes as are counted"));
    check(&[1, 0, 4, 2, 1, 0], Err("processes of a pass"));
    check(&[9, 0, 4, 1, 1], Err("as many runs as are counted"));
}

#[test]
fn gpus_of_a_kind_of_nodes_are_sets_that_there_are() {
    const TURNS: &str = "processes that get sets in turn";
    const SETS: &str = "sets of GPUs that there are";
    let check = |first: u32, ends: &[u32], turns: &[u32], rows: &[u32], expected| {
        let write = |writer: &mut Writer| {
            writer.number(first);
            writer.size(ends.len());
            writer.column(ends.iter().copied());
            writer.column(turns.iter().copied());
            writer.size(rows.len());
            writer.column(rows.iter().copied());
        };
        let read = reads(write, |reader| inside::read_kind(reader, 3));
        assert_eq!(read.err(), expected, "{first} {ends:?} {turns:?} {rows:?}");
    };
    check(0, &[2, 5], &[1, 2], &[0, 1, 2], None);
    check(u32::MAX - 5, &[2, 5], &[1, 2], &[0, 1, 2], None);
    check(u32::MAX - 4, &[2, 5], &[1, 2], &[0, 1, 2], Some(SETS));
    check(0, &[2, 5], &[1, 2], &[0, 1, 3], Some(SETS));
    check(0, &[2, 5], &[1, 2], &[0, 1, 2, 0], Some(SETS));
    check(0, &[2, 5], &[1, 2], &[0, 1], Some(TURNS));
    check(0, &[2, 2], &[1, 2], &[0, 1, 2], Some(TURNS));
    check(0, &[0, 2], &[1, 2], &[0, 1, 2], Some(TURNS));
    check(0, &[2, 5], &[3, 0], &[0, 1, 2], Some(TURNS));
}

#[test]
fn nodes_with_gpus_are_of_the_pool_and_of_kinds_that_there_are() {
    const NODES: &str = "nodes and kinds of nodes that there are";
    let check = |gap: u32, count: u32, kind: u32, expected| {
        let write = |writer: &mut Writer| {
            // No sets; one kind, without processes; one run of nodes.
            numbers(&[0, 1, 0, 0, 0, 1])(writer);
            for value in [gap, count, kind] {
                writer.column([value]);
            }
        };
        let read = reads(write, |reader| inside::read_given(reader, 4));
        assert_eq!(read.err(), expected, "{gap} {count} {kind}");
    };
    check(0, 4, 0, None);
    check(3, 1, 0, None);
    check(0, 5, 0, Some(NODES));
    check(4, 1, 0, Some(NODES));
    check(4, 0, 0, Some(NODES));
    check(0, 4, 1, Some(NODES));
}

#[test]
fn a_set_of_gpus_stays_within_the_bound_and_a_share_has_processes() {
    let last = GPUS_MAX - 1;
    let set = |told: &[u32]| reads(numbers(told), inside::read_set);
    assert_eq!(set(&[1, last]), Ok(vec![last]));
    assert_eq!(set(&[2, 0, 0]), Ok(vec![0, 1]));
    assert_eq!(set(&[1, GPUS_MAX]), Err("a GPU within the bound"));
    assert_eq!(set(&[2, last, 0]), Err("a GPU within the bound"));
    // One share: processes, threads, GPUs.
    let shares =
        |told: &[u32]| reads(numbers(told), inside::read_shares).map(|shares| shares.len());
    assert_eq!(shares(&[1, 1, 0, 0]), Ok(1));
    assert_eq!(shares(&[1, 0, 0, 0]), Err("at least one process"));
}

#[test]
fn names_are_kept_in_one_way() {
    let check = |prefix: &str, first: u64, count: u32, width: u8, suffix: &str, canonical| {
        let range = NameRange {
            prefix: prefix.to_owned(),
            first,
            count,
            width,
            suffix: suffix.to_owned(),
        };
        assert_eq!(is_canonical(&range), canonical, "{range:?}");
    };
    check("n", 0, 1, 0, "", true);
    check("n", 0, 2, 0, "", false);
    check("n", 1, 1, 0, "", false);
    check("n", 0, 1, 0, "s", false);
    check("n", 0, 0, 1, "", false);
    check("n", 0, 10, 1, "", true);
    check("n", 0, 11, 1, "", false);
    check("n", u64::MAX, 2, 3, "", false);
    check("n1", 0, 2, 1, "", false);
    check("n", 0, 2, 1, "-s", true);
    check("n", 0, 2, 1, "-1", false);
    check(".n", 0, 2, 1, "", true);
    // Full names of which several share a first label are kept whole.
    check("a.n", 0, 2, 1, "", true);
    check("n", 0, 2, 1, ".s", true);
    // The numbers of addresses are kept apart as well.
    check("10.0.0.", 1, 1, 1, "", true);
}

#[test]
fn ranges_of_a_list_ascend_within_the_pus() {
    assert!(inside::ranges(&[(0, 0), (3, PUS_MAX - 1)]));
    assert!(!inside::ranges(&[(0, PUS_MAX)]));
    assert!(!inside::ranges(&[(1, 0)]));
    assert!(!inside::ranges(&[(0, 0), (1, 0)]));
}

#[test]
fn entries_of_a_file_ascend_and_name_nodes_that_there_are() {
    let check = |entries: &[(u32, u32)], named: EntryNode, sound| {
        let entry = |&(number, count): &(u32, u32)| Entry {
            number,
            node: named,
            cpus: None,
            line: 1,
            count,
        };
        let listing = Listing {
            entries: entries.iter().map(entry).collect(),
            ..Listing::default()
        };
        assert_eq!(inside::listing(&listing), sound, "{entries:?}");
    };
    let nth = EntryNode::Nth(0);
    check(&[(0, 2), (2, 1), (7, 1)], nth, true);
    check(&[(0, 2), (1, 1)], nth, false);
    check(&[(0, 0)], nth, false);
    check(&[(u32::MAX, 1)], nth, true);
    check(&[(u32::MAX, 2)], nth, false);
    check(
        &[(0, 1)],
        EntryNode::Name(stowplan_engine::id::Id::from_row(0)),
        false,
    );
}

#[test]
fn runs_of_an_app_are_served_by_their_patterns() {
    const SERVED: &str = "runs that their patterns serve";
    let facts = PatternFacts {
        procs: 8,
        objects: true,
    };
    // Nodes before, nodes, processes, pattern, kind, own processes before, others' before.
    let check = |rows: &[[u32; 7]], ranks: u64, expected| {
        let write = |writer: &mut Writer| {
            writer.size(rows.len());
            for column in 0..7 {
                writer.column(rows.iter().map(|row| row[column]));
            }
            writer.number(0_u32);
        };
        let patterns = [(facts, PatternId::from_row(0))];
        let read = reads(write, |reader| {
            inside::read_app(reader, &patterns, 4, &mut ranks.clone())
        });
        assert_eq!(read.err(), expected, "{rows:?} {ranks}");
    };
    let most = u64::from(RANKS_MAX);
    check(&[[0, 2, 8, 0, 0, 0, 0], [0, 2, 1, 0, 0, 0, 0]], 0, None);
    check(&[[0, 2, 8, 0, 0, 0, 0]], most - 16, None);
    check(&[[0, 2, 8, 0, 0, 0, 0]], most - 15, Some("fewer processes"));
    check(&[[0, 2, 9, 0, 0, 0, 0]], 0, Some(SERVED));
    check(&[[0, 2, 0, 0, 0, 0, 0]], 0, Some(SERVED));
    check(&[[0, 0, 8, 0, 0, 0, 0]], 0, Some(SERVED));
    check(
        &[[0, 2, 8, 1, 0, 0, 0]],
        0,
        Some("runs of nodes and patterns that there are"),
    );
    check(&[[0, 2, 8, 0, 99, 0, 0]], 0, Some("a kind of objects"));
    check(
        &[[0, 2, 8, 0, 0, u32::MAX - 7, 0]],
        0,
        Some("fewer processes on a node"),
    );
    check(
        &[[0, 2, 8, 0, 0, 0, u32::MAX - 7]],
        0,
        Some("fewer processes on a node"),
    );
    check(&[[0, 2, 8, 0, 0, 0, u32::MAX - 8]], 0, None);
    // The second run begins three nodes before the end of the first.
    check(
        &[[0, 4, 8, 0, 0, 0, 0], [u32::MAX - 2, 1, 8, 0, 0, 0, 0]],
        0,
        Some("each node once in an app"),
    );
}

#[test]
fn ranks_by_object_are_of_runs_on_objects_and_all_apps_are_counted() {
    // The kind of objects plus one; whether the pattern has objects; the order of ranks.
    let check = |kind: u32, objects: bool, order: u32, expected: Result<u64, &str>| {
        let write = |writer: &mut Writer| {
            writer.table([[0, 2, 8, 0, kind, 0, 0]]);
            writer.number(order);
        };
        let patterns = [(PatternFacts { procs: 8, objects }, PatternId::from_row(0))];
        let mut ranks = 5;
        let read = reads(write, |reader| {
            inside::read_app(reader, &patterns, 4, &mut ranks)
        });
        assert_eq!(read.map(|_| ranks), expected, "{kind} {objects} {order}");
    };
    for order in [1, 3] {
        let refused = Err("objects, by which ranks are ordered");
        check(1, true, order, Ok(21));
        check(0, true, order, refused);
        check(1, false, order, refused);
    }
    check(0, false, 2, Ok(21));
}

#[test]
fn listed_ranks_ascend_from_the_first_and_end_with_the_last() {
    const ORDER: &str = "listed ranks in order";
    let run = PlacedRun {
        nodes: NodeRange { first: 0, count: 1 },
        procs: 3,
        pattern: PatternId::from_row(0),
        kind: None,
        own_before: 0,
        used_before: 0,
    };
    let check = |ranks: &[u32], locals: &[u32], expected| {
        let list: Vec<ListedRun> = ranks
            .iter()
            .zip(locals)
            .map(|(&rank, &local)| ListedRun {
                rank,
                node: 0,
                local,
            })
            .collect();
        let write = |writer: &mut Writer| inside::write_listed(writer, &list);
        let read = reads(write, |reader| inside::read_listed(reader, &[run], 3));
        assert_eq!(read.err(), expected, "{ranks:?} {locals:?}");
    };
    check(&[0], &[0], None);
    check(&[0, 1], &[2, 0], None);
    check(&[1], &[0], Some(ORDER));
    check(&[0, 0], &[0, 1], Some(ORDER));
    check(&[0, 3], &[0, 0], Some(ORDER));
}

#[test]
fn a_stretch_of_a_pattern_says_what_each_process_gets() {
    const SAYS: &str = "runs that say what each process gets";
    // Processes, the first run of the cycle, counts, objects plus one.
    let check = |procs: u32, cycle: Option<u32>, counts: &[u32], object: u32, expected| {
        let write = |writer: &mut Writer| {
            writer.number(procs);
            writer.maybe(cycle);
            writer.size(counts.len());
            writer.column(counts.iter().copied());
            writer.column(vec![object; counts.len()]);
            writer.column(vec![0; counts.len()]);
            // No GPUs.
            writer.number(0_u32);
        };
        let read = reads(write, |reader| inside::read_segment(reader, &[]));
        assert_eq!(
            read.err(),
            expected,
            "{procs} {cycle:?} {counts:?} {object}"
        );
    };
    check(3, None, &[1, 2], 0, None);
    check(4, None, &[1, 2], 0, Some(SAYS));
    check(4, Some(1), &[1, 2], 0, None);
    check(4, Some(2), &[1, 2], 0, Some(SAYS));
    check(3, None, &[3, 0], 0, Some("runs of processes on objects"));
    check(3, None, &[3], OBJECTS_MAX, None);
    check(
        3,
        None,
        &[3],
        OBJECTS_MAX + 1,
        Some("runs of processes on objects"),
    );
}

#[test]
fn arguments_are_of_apps_in_order_and_as_many_as_are_counted() {
    const COUNTED: &str = "as many arguments as are counted";
    const BEHIND: &str = "an app after the one before";
    // Apps; for each: its number, how many arguments, their lengths: all are empty.
    let check = |told: &[u32], expected| {
        let mut table = AppTable::default();
        table.push_hole();
        table.push_hole();
        let read = reads(numbers(told), |reader| {
            inside::read_arguments(reader, &mut table)
        });
        assert_eq!(read.err(), expected, "{told:?}");
    };
    check(&[2, 0, 1, 0, 1, 2, 0, 0], None);
    check(&[1, 0, 0], Some(COUNTED));
    check(&[1, 0, 2, 0], Some(COUNTED));
    check(&[1, 2, 1, 0], Some(BEHIND));
    check(&[2, 1, 1, 0, 0, 1, 0], Some(BEHIND));
    check(&[2, 1, 1, 0, 1, 1, 0], Some(BEHIND));
}

#[test]
fn sections_ascend_and_the_local_node_is_of_the_pool() {
    let passes = PASSES;
    let sections = |told: &[u32]| {
        let mut table = AppTable::default();
        let read = reads(numbers(told), |reader| {
            let mut world = World::default();
            inside::sections(reader, &mut table, &mut [], &mut world)
        });
        read.err()
    };
    assert_eq!(sections(&[]), None);
    assert_eq!(sections(&[passes, 0]), None);
    assert_eq!(
        sections(&[passes, 0, passes, 0]),
        Some("a section after the one before")
    );
    // The number of the node plus one; 0: no node.
    let local = |told: u32| reads(numbers(&[told]), |reader| inside::local(reader, 4)).err();
    assert_eq!((local(0), local(4)), (None, None));
    assert_eq!(local(5), Some("a node of the pool"));
}

#[test]
fn a_settled_policy_is_one_of_the_table() {
    let policy = |told: u32| {
        let table = AppTable::default();
        reads(numbers(&[told]), |reader| inside::policy(reader, &table)).err()
    };
    assert_eq!(
        (policy(0), policy(1)),
        (None, Some("a policy that there is"))
    );
}

#[test]
fn nothing_stands_behind_what_is_broadcast() {
    let check = |behind: &[u32], expected| {
        let mut writer = Writer::default();
        Plan::default().write_names(&mut writer);
        Plan::default().write_places(&mut writer, Edition::Plain);
        numbers(behind)(&mut writer);
        let bytes = writer.seal(FrameKind::Broadcast, Edition::Plain);
        let read = Plan::from_broadcast_bytes(&bytes).map(drop);
        assert_eq!(read.map_err(|bad| bad.expected), expected, "{behind:?}");
    };
    check(&[], Ok(()));
    check(&[0], Err("the end"));
}

#[test]
fn a_group_of_a_column_has_values_and_stays_within_it() {
    const GROUP: &str = "a group of 1 to 256 values within its column";
    // Twice the number of values in a group, plus one if they share one step; then the steps, doubled.
    let column = |told: &[u32]| reads(numbers(told), |reader| reader.column(2));
    assert_eq!(column(&[4, 2, 4]), Ok(vec![1, 3]));
    assert_eq!(column(&[5, 2]), Ok(vec![1, 2]));
    assert_eq!(column(&[0, 4, 2, 4]), Err(GROUP));
    assert_eq!(column(&[6, 2, 2, 2]), Err(GROUP));
    assert_eq!(column(&[2 * 257, 2, 2]), Err(GROUP));
}

#[test]
fn another_version_is_told_at_its_byte() {
    for (kind, version) in [
        (FrameKind::Whole, 9),
        (FrameKind::Broadcast, 5),
        (FrameKind::Slice, 0),
    ] {
        let mut bytes = Writer::default().seal(kind, Edition::Plain);
        bytes[8] = version;
        let bad = Reader::open(&bytes, kind).map(drop).unwrap_err();
        assert_eq!((bad.offset, bad.expected), (8, "version 1 to 4"));
    }
}

#[test]
fn what_was_not_expected_is_told_at_its_byte() {
    let mut writer = Writer::default();
    numbers(&[1, 300, 2, 9])(&mut writer);
    let bytes = writer.seal(FrameKind::Whole, Edition::Plain);
    let mut reader = Reader::open(&bytes, FrameKind::Whole).unwrap();
    for most in [1, 300, 2] {
        assert!(reader.number(most, "a number").is_ok());
    }
    // Magic, kind, version and length are 17 bytes; 300 takes two.
    let bad = reader.number(8, "eight at most").unwrap_err();
    assert_eq!((bad.offset, bad.expected), (21, "eight at most"));
}

#[test]
fn remarks_come_back() {
    let remarks = Remarks {
        sources: Vec::new(),
        notes: vec![Remark {
            class: "no-effect".to_owned(),
            text: "a word".to_owned(),
            facts: stowplan_engine::error::note::Facts {
                app: Some(1),
                nodes: "n[0-3]".to_owned(),
                count: 1 << 40,
                ranks: "0-3".to_owned(),
            },
        }],
        reading: None,
    };
    let bytes = Plan::default().to_bytes_with(&remarks);
    assert_eq!(Plan::from_bytes_with(&bytes).unwrap().1, remarks);
    assert_eq!(
        Plan::default().to_bytes(),
        Plan::default().to_bytes_with(&Remarks::default())
    );
}
