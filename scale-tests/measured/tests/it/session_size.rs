//! How much the tables of a DVM hold, and how much an event allocates, counted in a process of its own. Source: reservations "What
//! it costs".

use crate::child::again;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region};
use stowplan_scale_tests::size::is_long;
use stowplan_session::{Config, Event, EventValue, Initial, Name, State, Status, step};

/// Tells the child what to count.
const WHAT: &str = "STOWPLAN_CHILD_SESSION";

/// Runs one count in a process of its own and gives its numbers.
fn counted(what: &str) -> Vec<i64> {
    again("session_size::counted_here", (WHAT, what), "held ")
}

/// The body of the child process, not a promise: without words it does nothing.
#[test]
fn counted_here() {
    let Ok(what) = std::env::var(WHAT) else {
        return;
    };
    let (what, size) = what.split_once(' ').unwrap();
    let size = size.parse().unwrap();
    let numbers = match what {
        "tables" => tables(size),
        _ => events(size),
    };
    let words: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    println!("held {}", words.join(" "));
}

fn config() -> Config {
    let mut config = Config::default();
    config.limits.max_nodes = u64::MAX;
    config.limits.max_allocations = u64::MAX;
    config.limits.max_namespaces = u64::MAX;
    config
}

fn node(at: usize) -> String {
    format!("node{at:06}")
}

/// A DVM of this many startup nodes, with a tool, an owner and a scheduler.
fn begin(nodes: usize) -> State {
    let initial = Initial {
        nodes: (0..nodes).map(|at| Name::new(&node(at))).collect(),
        tools: vec!["tool".into(), "owner".into()],
        scheduler: Some("sched".into()),
    };
    State::new(config(), &initial).unwrap()
}

fn spawn<'a>(job: &'a str, target: EventValue<'a>, hosts: EventValue<'a>) -> Event<'a> {
    let from = "owner";
    Event::Spawn {
        from,
        job,
        target,
        hosts,
    }
}

fn ask(directive: &'static str, key: &'static str, value: EventValue<'static>) -> Event<'static> {
    Event::Alloc {
        from: "owner",
        directive: EventValue::Text(directive),
        attrs: vec![(key, value)],
    }
}

fn done(state: &mut State, event: &Event<'_>) {
    let (status, _) = step(state, event);
    assert!(!status.is_error(), "{event:?}: {}", status.name());
}

/// Asks for nodes and gets them granted.
fn reserve(state: &mut State, request: u64, first: usize, id: &str) {
    done(
        state,
        &ask(
            "PMIX_ALLOC_NEW",
            "PMIX_ALLOC_WARN_TIMEOUT",
            EventValue::Int(i128::from(60)),
        ),
    );
    let names: Vec<String> = (first..first + 8).map(node).collect();
    let grant = Event::Grant {
        req: request,
        nodes: EventValue::Texts(names.iter().map(String::as_str).collect()),
        alloc_id: EventValue::Text(id),
    };
    done(state, &grant);
}

fn live(region: &Region<'_, std::alloc::System>) -> i64 {
    let change = region.change();
    i64::try_from(change.bytes_allocated).unwrap()
        - i64::try_from(change.bytes_deallocated).unwrap()
}

/// Bytes that the tables grow by: for nodes, then for jobs, then for reservations of eight startup nodes.
fn tables(size: usize) -> Vec<i64> {
    let region = Region::new(&INSTRUMENTED_SYSTEM);
    let mut state = begin(size);
    let nodes = live(&region);
    let region = Region::new(&INSTRUMENTED_SYSTEM);
    for at in 0..size {
        let job = format!("prterun-{at}");
        done(
            &mut state,
            &spawn(&job, EventValue::Absent, EventValue::Absent),
        );
    }
    let jobs = live(&region);
    let region = Region::new(&INSTRUMENTED_SYSTEM);
    for at in 0..size / 10 {
        reserve(&mut state, at as u64 + 1, at * 8, &format!("slurm-{at}"));
    }
    let records = live(&region);
    vec![nodes, jobs, records]
}

/// Section 13: 64 bytes a node, 200 a namespace, 400 an allocation without its sets. A carved reservation also leaves a span for
/// each of its nodes: during the span, running jobs had the node. That is 24 bytes a node.
#[test]
fn tables_hold_what_was_promised() {
    let sizes: &[u32] = if is_long() {
        &[100_000, 1_000_000]
    } else {
        &[100_000]
    };
    for &size in sizes {
        let held = counted(&format!("tables {size}"));
        let each = |at: usize, rows: u32| held[at] / i64::from(rows);
        let (node, job, record) = (each(0, size), each(1, size), each(2, size / 10));
        println!("at {size}: {node} bytes a node, {job} a job, {record} a reservation");
        assert!(node <= 64, "{node} bytes a node at {size}");
        assert!(job <= 200, "{job} bytes a job at {size}");
        assert!(record <= 400 + 8 * 24, "{record} bytes a record at {size}");
    }
}

/// Bytes that single events allocate the second time, after their tables have grown.
fn events(size: usize) -> Vec<i64> {
    let mut state = begin(size);
    let mut request = 0;
    for at in 0..size / 10 {
        request += 1;
        reserve(&mut state, request, at * 8, &format!("slurm-{at}"));
    }
    // Jobs start after the reservations, so that none of them uses their nodes or is killed with one.
    for at in 0..size {
        let job = format!("prterun-{at}");
        done(
            &mut state,
            &spawn(&job, EventValue::Absent, EventValue::Absent),
        );
    }
    let hosts: Vec<String> = (size - 4..size).map(node).collect();
    let hosts = || EventValue::Texts(hosts.iter().map(String::as_str).collect());
    let first: Vec<String> = (0..8).map(node).collect();
    let first: Vec<&str> = first.iter().map(String::as_str).collect();
    let (request, next) = (request + 1, request + 2);
    let again = |req: u64| Event::Grant {
        req,
        nodes: EventValue::Texts(first.clone()),
        alloc_id: EventValue::Text("again"),
    };
    let release =
        |id: &'static str| ask("PMIX_ALLOC_RELEASE", "PMIX_ALLOC_ID", EventValue::Text(id));
    let new = || ask("PMIX_ALLOC_NEW", "PMIX_ALLOC_TIME", EventValue::Text("60"));
    let end = |ns: &'static str| Event::JobEnd { ns };
    let rounds = [
        (
            spawn("a", EventValue::Absent, EventValue::Absent),
            Status::Success,
        ),
        (end("a"), Status::Success),
        (
            spawn("b", EventValue::Text("slurm-3"), EventValue::Absent),
            Status::Success,
        ),
        (end("b"), Status::Success),
        (spawn("c", EventValue::Absent, hosts()), Status::Success),
        (end("c"), Status::Success),
        (release("slurm-0"), Status::Success),
        (new(), Status::InProgress),
        (again(request), Status::Success),
        (release("again"), Status::Success),
        (new(), Status::InProgress),
        (again(next), Status::Success),
        (release("none"), Status::NotFound),
        (Event::NodeDown { node: "node000003" }, Status::Success),
        (Event::NodeUp { node: "node000003" }, Status::Success),
    ];
    let mut bytes = Vec::new();
    for (event, expected) in &rounds {
        let region = Region::new(&INSTRUMENTED_SYSTEM);
        let (status, _) = step(&mut state, event);
        let change = region.change();
        assert_eq!(status, *expected, "{event:?}");
        bytes.push(i64::try_from(change.bytes_allocated).unwrap());
    }
    bytes
}

/// No event copies a table or a bitmap of all nodes. In a DVM a hundred times larger it allocates the same, except when a table
/// happens to be full and grows.
#[test]
fn what_an_event_allocates_does_not_grow_with_the_tables() {
    let few = counted("events 1000");
    let many = counted("events 100000");
    println!("bytes of single events: {few:?} at 1,000 nodes, {many:?} at 100,000");
    for (at, (few, many)) in few.iter().zip(&many).enumerate() {
        assert!(*many <= few + 2048, "event {at}: {few} bytes, then {many}");
    }
}
