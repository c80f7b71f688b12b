//! A full-size DVM and a stream of events for it: the mix of reservations "What it costs".

use stowplan_session::{
    Config, Event, EventValue, Frames, Initial, Journal, Name, Payload, State, Status, payload,
    scan, step,
};

/// Nodes of one reservation.
const EACH: usize = 8;

/// Where the nodes of a reservation come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// The scheduler adds them: they join and depart.
    Granted,
    /// They are startup nodes: they leave the default session and revert.
    Carved,
}

/// An event that owns its words.
#[derive(Clone, Debug)]
pub enum Said {
    /// A job starts in the default session.
    Spawn(String),
    /// A job ends.
    End(String),
    /// A reservation is asked for.
    New,
    /// It is granted, under this id.
    Grant(u64, Vec<String>, String),
    /// It is released.
    Release(String),
    /// A job asks to use a reservation that is not its own.
    Rejected(String, String),
}

impl Said {
    /// The event.
    #[must_use]
    pub fn event(&self) -> Event<'_> {
        match self {
            Self::Spawn(job) => Event::Spawn {
                from: "tool",
                job,
                target: EventValue::Absent,
                hosts: EventValue::Absent,
            },
            Self::End(ns) => Event::JobEnd { ns },
            Self::New => Event::Alloc {
                from: "owner:1",
                directive: EventValue::Text("PMIX_ALLOC_NEW"),
                attrs: vec![("PMIX_ALLOC_TIME", EventValue::Text("60"))],
            },
            Self::Grant(req, nodes, id) => Event::Grant {
                req: *req,
                nodes: EventValue::Texts(nodes.iter().map(String::as_str).collect()),
                alloc_id: EventValue::Text(id),
            },
            Self::Release(id) => Event::Alloc {
                from: "owner:1",
                directive: EventValue::Text("PMIX_ALLOC_RELEASE"),
                attrs: vec![("PMIX_ALLOC_ID", EventValue::Text(id))],
            },
            Self::Rejected(from, target) => Event::Spawn {
                from,
                job: "never",
                target: EventValue::Text(target),
                hosts: EventValue::Absent,
            },
        }
    }
}

/// A DVM with `nodes` nodes, a tenth as many live reservations of eight nodes, and as many live jobs as nodes.
#[derive(Debug)]
pub struct Mix {
    /// The initial state of the DVM.
    pub initial: Initial,
    /// Its configuration.
    pub config: Config,
    /// Its state after the setup.
    pub state: State,
    /// The events that led from the initial state to this state.
    pub setup: Vec<Said>,
    jobs: Vec<String>,
    reserved: Vec<(String, Vec<String>)>,
    free: Vec<Vec<String>>,
    source: Source,
    made: usize,
    requests: u64,
    dice: u64,
}

impl Mix {
    /// Builds the DVM, event by event.
    ///
    /// # Panics
    /// When an event that must succeed does not.
    #[must_use]
    pub fn new(nodes: usize, source: Source) -> Self {
        let reservations = nodes / 10;
        let startup = match source {
            Source::Granted => nodes - reservations * EACH,
            Source::Carved => nodes,
        };
        let name = |at: usize| Name::new(&format!("node{at:06}"));
        let initial = Initial {
            nodes: (0..startup).map(name).collect(),
            tools: vec!["tool".into(), "owner".into()],
            scheduler: Some("sched".into()),
        };
        let mut config = Config::default();
        config.limits.max_namespaces = u64::MAX;
        config.limits.max_nodes = u64::MAX;
        config.limits.max_allocations = u64::MAX;
        let state = State::new(config, &initial).expect("made well-formed");
        let (jobs, reserved, free) = (Vec::new(), Vec::new(), Vec::new());
        let mut mix = Self {
            initial,
            config,
            state,
            setup: Vec::new(),
            jobs,
            reserved,
            free,
            source,
            made: 0,
            requests: 0,
            dice: 1,
        };
        if source == Source::Carved {
            // A tenth more nodes than are reserved at any time, so that there is always something to carve.
            let blocks = reservations + reservations / 10;
            mix.free = (0..blocks)
                .map(|block| {
                    (0..EACH)
                        .map(|at| name(block * EACH + at).to_string())
                        .collect()
                })
                .collect();
        }
        let mut state = mix.state.clone();
        let mut setup = Vec::new();
        for _ in 0..reservations {
            setup.push(Said::New);
            setup.push(mix.grant());
        }
        for _ in 0..nodes {
            setup.push(mix.spawn());
        }
        for said in &setup {
            let (status, _) = step(&mut state, &said.event());
            assert!(!status.is_error(), "{said:?}: {}", status.name());
        }
        mix.state = state;
        mix.setup = setup;
        mix
    }

    /// A stream of the mix: spawn 40 %, job end 40 %, NEW + grant + release 15 %, rejected 5 %.
    pub fn stream(&mut self, events: usize) -> Vec<Said> {
        let mut stream = Vec::with_capacity(events + 20);
        while stream.len() < events {
            for _ in 0..8 {
                stream.push(self.spawn());
                stream.push(self.end());
            }
            stream.push(Said::New);
            stream.push(self.grant());
            stream.push(self.release());
            let target = self.reserved[0].0.clone();
            stream.push(Said::Rejected(self.jobs[0].clone(), target));
        }
        stream
    }

    fn roll(&mut self, sides: usize) -> usize {
        self.dice = self
            .dice
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.dice >> 33).expect("31 bits") % sides
    }
    fn spawn(&mut self) -> Said {
        self.made += 1;
        let job = format!("prterun-{}", self.made);
        self.jobs.push(job.clone());
        Said::Spawn(job)
    }
    fn end(&mut self) -> Said {
        let at = self.roll(self.jobs.len());
        Said::End(self.jobs.swap_remove(at))
    }
    fn grant(&mut self) -> Said {
        self.made += 1;
        self.requests += 1;
        let made = self.made;
        let nodes = match self.source {
            Source::Granted => (0..EACH).map(|at| format!("grant{made}-{at}")).collect(),
            Source::Carved => {
                let at = self.roll(self.free.len());
                self.free.swap_remove(at)
            }
        };
        let id = format!("slurm-{made}");
        self.reserved.push((id.clone(), nodes.clone()));
        Said::Grant(self.requests, nodes, id)
    }
    fn release(&mut self) -> Said {
        let at = self.roll(self.reserved.len());
        let (id, nodes) = self.reserved.swap_remove(at);
        if self.source == Source::Carved {
            self.free.push(nodes);
        }
        Said::Release(id)
    }
}

/// A journal of a stream, as bytes.
///
/// # Panics
/// Never: a store in memory takes every event that fits a frame.
#[must_use]
pub fn written(mix: &Mix, stream: &[Said]) -> Vec<u8> {
    let mut state = mix.state.clone();
    let mut journal = Journal::begin(Vec::new(), &mix.config, &mix.initial).expect("in memory");
    for said in stream {
        journal
            .submit(&mut state, &said.event())
            .expect("in memory");
    }
    journal.commit().expect("in memory");
    journal.into_store()
}

/// The events of a journal. Their words are in the journal's bytes, one event after the other, as when a launcher reads them from
/// its peers. Neither making nor finding them is measured.
#[must_use]
pub fn events(bytes: &[u8]) -> Vec<Event<'_>> {
    let found = scan(bytes);
    Frames::new(bytes, &found)
        .filter_map(|frame| match payload(&frame) {
            Ok(Payload::Event(event, _)) => Some(event),
            Ok(Payload::Open(..) | Payload::Snapshot(..)) | Err(_) => None,
        })
        .collect()
}

/// Applies events. Gives how many were refused.
pub fn run(state: &mut State, events: &[Event<'_>]) -> usize {
    let mut refused = 0;
    for event in events {
        let (status, effects) = step(state, event);
        std::hint::black_box(&effects);
        refused += usize::from(status != Status::Success && status != Status::InProgress);
    }
    refused
}
