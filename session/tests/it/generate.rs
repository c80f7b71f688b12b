//! Random events: most name things that exist, some name things that do not.

use super::model::Model;
use std::borrow::Cow;
use std::collections::BTreeSet;
use stowplan_session::{
    Attr, Config, Event, EventValue, FEATURES, Features, Name, SessionLimits, ToolRole,
};

/// A sequence of numbers that depends only on its seed.
#[derive(Clone, Debug)]
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }
    pub(super) fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
    /// A number from 0 to below `sides`.
    pub(super) fn below(&mut self, sides: usize) -> usize {
        usize::try_from(self.roll() % sides as u64).unwrap()
    }
    pub(super) fn one_in(&mut self, sides: usize) -> bool {
        self.below(sides) == 0
    }
    pub(super) fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}

pub(super) const NODES: [&str; 6] = ["n0", "n1", "n2", "n3", "n4", "n5"];
pub(super) const TOOLS: [&str; 3] = ["t0", "t1", "t2"];
const GRANTED: [&str; 8] = ["g0", "g1", "g2", "g3", "g4", "g5", "g6", "g7"];
const JOBS: [&str; 12] = [
    "j0", "j1", "j2", "j3", "j4", "j5", "j6", "j7", "j8", "j9", "j10", "j11",
];
const IDS: [&str; 6] = ["a0", "a1", "a2", "t0.2", "j1.3", "nothing"];
const REQS: [&str; 3] = ["r0", "r1", "r2"];
const LONG: &str = "a-name-longer-than-the-limit-of-this-dvm";

/// Makes events for a model, and remembers the words it made.
#[derive(Debug)]
pub(super) struct Generator {
    pub(super) dice: Dice,
    words: BTreeSet<&'static str>,
}

impl Generator {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            dice: Dice::new(seed),
            words: BTreeSet::new(),
        }
    }

    /// A word for the whole test. Each distinct word is kept once.
    fn word(&mut self, text: &str) -> &'static str {
        if let Some(word) = self.words.get(text) {
            return word;
        }
        let word: &'static str = Box::leak(text.to_owned().into_boxed_str());
        self.words.insert(word);
        word
    }

    pub(super) fn config(&mut self) -> Config {
        let mut available = Features::none();
        for row in FEATURES {
            if !self.dice.one_in(6) {
                available = available.with(row.1);
            }
        }
        let mut limits = SessionLimits {
            max_name: 24,
            max_targets: 3,
            ..SessionLimits::default()
        };
        if self.dice.one_in(3) {
            limits.max_nodes = 9;
            limits.max_allocations = 3;
            limits.max_pending = 3;
            limits.max_namespaces = 9;
        }
        let next_session_id = if self.dice.one_in(12) {
            u32::MAX - 6
        } else {
            1
        };
        Config {
            available,
            limits,
            next_session_id,
        }
    }

    pub(super) fn event(&mut self, model: &Model) -> Event<'static> {
        match self.dice.below(1000) {
            0..330 => self.alloc(model),
            330..540 => self.grant(model),
            540..560 => Event::Deny {
                req: self.request(model),
                status: self.status(),
            },
            560..750 => self.spawn(model),
            750..850 => Event::JobEnd {
                ns: self.space(model),
            },
            850..880 => {
                let role = if self.dice.one_in(3) {
                    ToolRole::Scheduler
                } else {
                    ToolRole::Tool
                };
                Event::ToolAttach {
                    ns: self
                        .dice
                        .pick(&["t0", "t1", "t2", "sched", "j3", "", "a:b", LONG]),
                    role,
                }
            }
            880..895 => Event::ToolDetach {
                ns: self.space(model),
            },
            895..910 => Event::NodeDown {
                node: self.node(model),
            },
            910..935 => Event::NodeUp {
                node: self.node(model),
            },
            935..965 => Event::Warn {
                alloc_id: self.id(model),
                time_remaining: 7,
            },
            965..998 => Event::Reclaim {
                alloc_id: self.id(model),
                reason: None,
            },
            _ if self.dice.one_in(4) => Event::DvmEnd,
            _ => self.alloc(model),
        }
    }

    fn status(&mut self) -> &'static str {
        self.dice.pick(&[
            "PMIX_ERR_OUT_OF_RESOURCE",
            "PMIX_ERR_NOT_FOUND",
            "PMIX_SUCCESS",
            "nonsense",
        ])
    }

    fn space(&mut self, model: &Model) -> &'static str {
        let there: Vec<String> = model
            .spaces
            .values()
            .map(|space| space.name.clone())
            .collect();
        if there.is_empty() || self.dice.one_in(12) {
            return self.dice.pick(&["nobody", "", "t0", "j0"]);
        }
        let at = self.dice.below(there.len());
        self.word(&there[at])
    }

    fn from(&mut self, model: &Model) -> &'static str {
        let name = self.space(model);
        if self.dice.one_in(5) {
            let rank = self.dice.pick(&[
                "1",
                "4",
                "0000000007",
                "4294967295",
                "4294967296",
                "",
                "x",
                "00000000001",
            ]);
            return self.word(&format!("{name}:{rank}"));
        }
        name
    }

    fn id(&mut self, model: &Model) -> &'static str {
        let there: Vec<String> = model
            .allocs
            .values()
            .map(|alloc| alloc.id.clone())
            .collect();
        if there.is_empty() || self.dice.one_in(10) {
            return self.dice.pick(&IDS);
        }
        let at = self.dice.below(there.len());
        self.word(&there[at])
    }

    fn node(&mut self, model: &Model) -> &'static str {
        let there: Vec<String> = model.nodes.keys().cloned().collect();
        if there.is_empty() || self.dice.one_in(10) {
            return self.dice.pick(&GRANTED);
        }
        let at = self.dice.below(there.len());
        self.word(&there[at])
    }

    fn request(&mut self, model: &Model) -> u64 {
        let there: Vec<u64> = model.pending.keys().copied().collect();
        if there.is_empty() || self.dice.one_in(12) {
            self.dice.roll() % 20
        } else {
            self.dice.pick(&there)
        }
    }

    fn spawn(&mut self, model: &Model) -> Event<'static> {
        let mut job = self.dice.pick(&JOBS);
        if self.dice.one_in(40) {
            job = self.dice.pick(&["", "a:b", LONG]);
        }
        let target = match self.dice.below(12) {
            0..4 => EventValue::Absent,
            4..8 => EventValue::Text(self.id(model)),
            8 => EventValue::Text(""),
            9..11 => {
                let length = self.dice.below(5);
                EventValue::Texts(
                    (0..length)
                        .map(|_| {
                            if self.dice.one_in(3) {
                                ""
                            } else {
                                self.id(model)
                            }
                        })
                        .collect(),
                )
            }
            _ => self.odd(),
        };
        let hosts = match self.dice.below(8) {
            0..4 => EventValue::Absent,
            4..7 => {
                let length = self.dice.below(3);
                EventValue::Texts((0..length).map(|_| self.node(model)).collect())
            }
            _ => self.odd(),
        };
        Event::Spawn {
            from: self.from(model),
            job,
            target,
            hosts,
        }
    }

    fn odd(&mut self) -> EventValue<'static> {
        match self.dice.below(6) {
            0 => EventValue::Absent,
            1 => EventValue::Bool(true),
            2 => EventValue::Int(5),
            3 => EventValue::Text(""),
            4 => EventValue::Texts(Vec::new()),
            _ => EventValue::Other(Cow::Borrowed("{}")),
        }
    }

    fn grant(&mut self, model: &Model) -> Event<'static> {
        let nodes = match self.dice.below(30) {
            0 => self.odd(),
            1 => EventValue::Texts(vec!["g0", "g0"]),
            2 => EventValue::Texts(vec![LONG]),
            _ => {
                let length = self.dice.below(5);
                let node = |_| {
                    if self.dice.one_in(3) {
                        self.dice.pick(&NODES)
                    } else {
                        self.dice.pick(&GRANTED)
                    }
                };
                let distinct: BTreeSet<&str> = (0..length).map(node).collect();
                EventValue::Texts(distinct.into_iter().collect())
            }
        };
        let alloc_id = match self.dice.below(10) {
            0..6 => EventValue::Absent,
            6..9 => EventValue::Text(self.dice.pick(&IDS)),
            _ => self.odd(),
        };
        Event::Grant {
            req: self.request(model),
            nodes,
            alloc_id,
        }
    }

    fn alloc(&mut self, model: &Model) -> Event<'static> {
        let directive = match self.dice.below(40) {
            0..20 => "PMIX_ALLOC_NEW",
            20..27 => "PMIX_ALLOC_EXTEND",
            27..34 => "PMIX_ALLOC_RELEASE",
            34..37 => "PMIX_ALLOC_REAQUIRE",
            37..39 => "PMIX_ALLOC_REQ_CANCEL",
            _ => "PMIX_ALLOC_EXTERNAL",
        };
        let attrs = self.attrs(model, directive);
        let directive = if self.dice.one_in(100) {
            self.odd()
        } else {
            EventValue::Text(directive)
        };
        Event::Alloc {
            from: self.from(model),
            directive,
            attrs,
        }
    }

    fn attrs(&mut self, model: &Model, directive: &str) -> Vec<Attr<'static>> {
        let mut attrs = Vec::new();
        let ids = if directive == "PMIX_ALLOC_NEW" { 20 } else { 2 };
        if self.dice.one_in(ids) {
            attrs.push(("PMIX_ALLOC_ID", EventValue::Text(self.id(model))));
        }
        if self.dice.one_in(3) {
            attrs.push(("PMIX_ALLOC_REQ_ID", EventValue::Text(self.dice.pick(&REQS))));
        }
        if self.dice.one_in(4) {
            attrs.push(("PMIX_ALLOC_TARGET", EventValue::Text(self.space(model))));
        }
        if self.dice.one_in(4) {
            attrs.push(("PMIX_ALLOC_SHARE", EventValue::Bool(!self.dice.one_in(3))));
        }
        if self.dice.one_in(2) {
            let disposition = match self.dice.below(8) {
                0..6 => EventValue::Text(self.dice.pick(&[
                    "NONE",
                    "CHILD",
                    "DEFAULT",
                    "CHILD_DEFAULT",
                    "OTHER",
                ])),
                _ => EventValue::Int(i128::from(self.dice.roll() % 6)),
            };
            attrs.push(("PMIX_ALLOC_INHERITANCE", disposition));
        }
        if self.dice.one_in(5) {
            attrs.push((
                "PMIX_ALLOC_WARN_TIMEOUT",
                EventValue::Int(i128::from(self.dice.roll() % (1 << 33))),
            ));
        }
        if self.dice.one_in(3) {
            let length = self.dice.below(4);
            attrs.push((
                "PMIX_ALLOC_NODE_LIST",
                EventValue::Texts((0..length).map(|_| self.node(model)).collect()),
            ));
        }
        if self.dice.one_in(5) {
            attrs.push(("PMIX_ALLOC_LEND", EventValue::Text("60")));
        }
        if self.dice.one_in(12) {
            let key = self.dice.pick(&[
                "PMIX_ALLOC_ID",
                "PMIX_ALLOC_REQ_ID",
                "PMIX_ALLOC_TARGET",
                "PMIX_ALLOC_SHARE",
                "PMIX_ALLOC_INHERITANCE",
                "PMIX_ALLOC_WARN_TIMEOUT",
                "PMIX_ALLOC_NODE_LIST",
                "PMIX_ALLOC_LEND",
                "PMIX_ALLOC_TIME",
            ]);
            attrs.push((key, self.odd()));
        }
        attrs
    }
}

/// Names as the engine keeps them.
pub(super) fn names(list: &[&str]) -> Vec<Name> {
    list.iter().map(|name| Name::new(name)).collect()
}
