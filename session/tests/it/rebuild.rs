//! A state made from its image: nothing is missing, and no forged image gets through.

use super::generate::Generator;
use super::picture;
use super::random::begin;
use serde::{Deserialize, Serialize};
use stowplan_session::{
    Config, Dvm, Image, Inheritance, Name, NodeOrigin, SpaceKind, State, Wanted, check, step,
};

/// A snapshot as journals have had it since layout 2, in plain types. What points at a row has its place in the list.
#[derive(Serialize, Deserialize)]
struct Layout {
    dvm: Dvm,
    next_request: u64,
    next_session_id: u32,
    next_node: u32,
    scheduler: Option<u32>,
    nodes: Vec<Node>,
    allocations: Vec<Alloc>,
    namespaces: Vec<Space>,
    pending: Vec<Request>,
    pasts: u32,
    last_is_present: bool,
    sets: Vec<Vec<(u32, u32)>>,
}

#[derive(Serialize, Deserialize)]
struct Node {
    id: u32,
    name: Name,
    origin: NodeOrigin,
    up: bool,
    alloc: Option<u32>,
    pasts: Vec<(u32, u32)>,
}

#[derive(Serialize, Deserialize)]
struct Alloc {
    id: Name,
    session_id: u32,
    owner: Name,
    owner_live: bool,
    shared: bool,
    inheritance: Inheritance,
    warn_timeout: Option<u32>,
    requestor: Option<(u32, u32)>,
    req_ns: Option<u32>,
    req_id: Option<Name>,
    lent: Vec<Name>,
    roots: Vec<u32>,
}

#[derive(Serialize, Deserialize)]
struct Space {
    name: Name,
    kind: SpaceKind,
    parent: Option<u32>,
    live: bool,
    sessions: Vec<Option<u32>>,
    uses: Option<Uses>,
}

#[derive(Serialize, Deserialize)]
enum Uses {
    Past(u32),
    Set(u32),
}

#[derive(Serialize, Deserialize)]
struct Request {
    request: u64,
    from: (u32, u32),
    wanted: Wanted,
    record: Option<(Name, u32)>,
    req_id: Option<Name>,
    owner: Name,
    target: Option<Name>,
    target_gone: bool,
    shared: bool,
    inheritance: Option<Inheritance>,
    warn_timeout: Option<u32>,
}

impl Layout {
    fn of(state: &State) -> Self {
        let bytes = postcard::to_allocvec(&state.image()).unwrap();
        let layout: Self = postcard::from_bytes(&bytes).unwrap();
        assert_eq!(layout.bytes(), bytes, "layout 2 to the byte");
        layout
    }
    fn bytes(&self) -> Vec<u8> {
        postcard::to_allocvec(self).unwrap()
    }
}

#[test]
fn a_state_rebuilt_from_its_image_behaves_the_same_ever_after() {
    let mut generator = Generator::new(3);
    for _ in 0..40 {
        let config = generator.config();
        let (mut state, mut model, _) = begin(config);
        let mut other = State::from_image(config, state.image()).unwrap();
        for _ in 0..120 {
            let event = generator.event(&model);
            model.step(&event);
            let (status, effects) = step(&mut state, &event);
            let (same, again) = step(&mut other, &event);
            assert_eq!(status, same, "{event:?}");
            assert_eq!(
                picture::facts(&state, &effects),
                picture::facts(&other, &again),
                "{event:?}"
            );
            assert_eq!(state.canonical(), other.canonical(), "{event:?}");
            other = State::from_image(config, state.image()).unwrap();
            assert_eq!(state.canonical(), other.canonical(), "{event:?}");
        }
    }
}

/// When any one number or name of an image is changed, the result is a sound state or none: never a panic, never a broken state.
#[test]
fn a_forged_image_gives_a_sound_state_or_none() {
    let mut generator = Generator::new(5);
    let (mut state, mut model, _) = begin(Config::default());
    for _ in 0..150 {
        let event = generator.event(&model);
        model.step(&event);
        step(&mut state, &event);
    }
    let config = Config::default();
    let mut refused = 0;
    for _ in 0..4000 {
        let mut image = Layout::of(&state);
        let dice = &mut generator.dice;
        let place = u32::try_from(dice.below(12)).unwrap();
        match dice.below(11) {
            0 => image.scheduler = Some(place),
            1 => image.next_request = u64::from(place),
            2 if !image.nodes.is_empty() => {
                let at = dice.below(image.nodes.len());
                image.nodes[at].alloc = Some(place);
            }
            3 if !image.nodes.is_empty() => {
                let at = dice.below(image.nodes.len());
                image.nodes.remove(at);
            }
            4 if !image.allocations.is_empty() => {
                let at = dice.below(image.allocations.len());
                image.allocations[at].roots = vec![place];
                image.allocations[at].owner_live = dice.one_in(2);
            }
            5 if !image.allocations.is_empty() => {
                let at = dice.below(image.allocations.len());
                image.allocations[at].session_id = place;
            }
            6 => {
                let at = dice.below(image.namespaces.len());
                image.namespaces[at].parent = Some(place);
                image.namespaces[at].live = dice.one_in(2);
            }
            7 => {
                let at = dice.below(image.namespaces.len());
                image.namespaces[at].sessions.push(Some(place));
            }
            8 if !image.pending.is_empty() => {
                let at = dice.below(image.pending.len());
                image.pending[at].from.0 = place;
                image.pending[at].target_gone = dice.one_in(2);
            }
            9 if !image.pending.is_empty() => {
                let at = dice.below(image.pending.len());
                image.pending[at].record = dice.one_in(2).then(|| ("a".into(), place));
            }
            _ => image
                .sets
                .iter_mut()
                .for_each(|set| set.push((place, u32::MAX - place))),
        }
        let image: Image = postcard::from_bytes(&image.bytes()).unwrap();
        match State::from_image(config, image) {
            Ok(state) => check(&state).unwrap(),
            Err(_) => refused += 1,
        }
    }
    assert!(
        refused > 1000,
        "{refused} refusals are too few to say anything"
    );
}
