//! Jobs of different ages, with nodes that came and went between them: which jobs use a node that fails.

use stowplan_session::{Config, Event, EventValue, Initial, State, Status, ToolRole, check, step};

fn spawn(state: &mut State, job: &'static str) {
    let spawn = Event::Spawn {
        from: "t",
        job,
        target: EventValue::Absent,
        hosts: EventValue::Absent,
    };
    assert_eq!(step(state, &spawn).0, Status::Success);
}

fn new(state: &mut State, req: u64, nodes: &[&'static str], id: &'static str) {
    let ask = Event::Alloc {
        from: "t",
        directive: EventValue::Text("PMIX_ALLOC_NEW"),
        attrs: Vec::new(),
    };
    step(state, &ask);
    let grant = Event::Grant {
        req,
        nodes: EventValue::Texts(nodes.to_vec()),
        alloc_id: EventValue::Text(id),
    };
    assert_eq!(step(state, &grant).0, Status::Success);
}

fn release(state: &mut State, id: &'static str) -> Vec<String> {
    let release = Event::Alloc {
        from: "t",
        directive: EventValue::Text("PMIX_ALLOC_RELEASE"),
        attrs: vec![("PMIX_ALLOC_ID", EventValue::Text(id))],
    };
    let (status, effects) = step(state, &release);
    assert_eq!(status, Status::Success);
    check(state).unwrap();
    let mut killed: Vec<String> = effects.killed.iter().map(ToString::to_string).collect();
    killed.sort();
    killed
}

/// Two loose nodes become a reservation and depart together. The first was in the default session from the first job to the third,
/// the other during the second job only: the span of the second node lies within that of the first.
#[test]
fn a_span_within_another_is_no_error() {
    let initial = Initial {
        nodes: vec!["n0".into()],
        tools: vec!["t".into()],
        scheduler: Some("s".into()),
    };
    let mut state = State::new(Config::default(), &initial).unwrap();
    let loose = |state: &mut State, req: u64, node: &'static str, ns: &'static str| {
        let role = ToolRole::Tool;
        step(state, &Event::ToolAttach { ns, role });
        let directive = EventValue::Text("PMIX_ALLOC_NEW");
        let attrs = vec![("PMIX_ALLOC_SHARE", EventValue::Bool(true))];
        let ask = Event::Alloc {
            from: ns,
            directive,
            attrs,
        };
        step(state, &ask);
        let grant = Event::Grant {
            req,
            nodes: EventValue::Texts(vec![node]),
            alloc_id: EventValue::Absent,
        };
        step(state, &grant);
        assert_eq!(step(state, &Event::ToolDetach { ns }).0, Status::Success);
    };
    loose(&mut state, 1, "g0", "x");
    spawn(&mut state, "first");
    loose(&mut state, 2, "g1", "y");
    spawn(&mut state, "second");
    new(&mut state, 3, &["g1"], "r");
    spawn(&mut state, "third");
    let extend = Event::Alloc {
        from: "t",
        directive: EventValue::Text("PMIX_ALLOC_EXTEND"),
        attrs: vec![("PMIX_ALLOC_ID", EventValue::Text("r"))],
    };
    step(&mut state, &extend);
    let grant = Event::Grant {
        req: 4,
        nodes: EventValue::Texts(vec!["g0"]),
        alloc_id: EventValue::Absent,
    };
    assert_eq!(step(&mut state, &grant).0, Status::Success);
    spawn(&mut state, "fourth");
    check(&state).unwrap();
    assert_eq!(release(&mut state, "r"), ["first", "second", "third"]);
}

/// Carving a node kills none of its jobs. When the node fails inside the reservation, the jobs that had it are killed.
#[test]
fn a_carved_node_that_fails_kills_those_who_had_it() {
    let initial = Initial {
        nodes: ["n0", "n1", "n2"].map(Into::into).to_vec(),
        tools: vec!["t".into()],
        scheduler: Some("s".into()),
    };
    let mut state = State::new(Config::default(), &initial).unwrap();
    spawn(&mut state, "before");
    new(&mut state, 1, &["n1"], "a");
    spawn(&mut state, "during");
    assert!(release(&mut state, "a").is_empty());
    spawn(&mut state, "after");
    new(&mut state, 2, &["n0", "n1"], "b");
    spawn(&mut state, "last");
    check(&state).unwrap();
    let (_, effects) = step(&mut state, &Event::NodeDown { node: "n1" });
    let mut killed: Vec<String> = effects.killed.iter().map(ToString::to_string).collect();
    killed.sort();
    assert_eq!(killed, ["after", "before"]);
    check(&state).unwrap();
    let (_, effects) = step(&mut state, &Event::NodeDown { node: "n0" });
    assert_eq!(effects.killed, ["during".into()]);
    check(&state).unwrap();
}
