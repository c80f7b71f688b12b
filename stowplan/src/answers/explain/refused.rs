//! A job that was refused for lack of room: what is missing, and the nearest jobs that fit. Each of these is planned before it
//! is shown. The lines of help below a refusal are chosen in `remedies.rs`.

use super::again::Planning;
use super::change::{Changed, joined, name, put, split_map};
use super::host_slots::{entries, with_slots};
use crate::job::error::JobError;
use crate::job::options::Meaning;
use crate::job::our_words::in_our_words;
use crate::job::words::{AppWords, CommandLine};
use crate::launchers::script::shell;
use serde::Serialize;
use std::cell::RefCell;
use std::collections::HashMap;
use stowplan_engine::error::place::PlaceError;
use stowplan_engine::error::{MapError, SpecError};

/// Jobs that are shown at most.
const NEAREST: usize = 5;
/// The most slots of a node that are tried.
const SLOTS_MAX: u32 = 1 << 16;

/// Classes of room, objects and cpus: other words may avoid these refusals.
pub(super) const CLASSES: &[&str] = &[
    "nodes-full",
    "not-enough-slots",
    "no-processes",
    "out-of-resource",
    "ppr-too-many",
    "object-not-found",
    "bind-target-not-found",
    "no-available-cpus",
    "not-enough-cpus",
    "bind-limit",
    "span-packages",
    "pe-exceeds-object",
    "pe-list-conflict",
    "pe-list-exhausted",
    "seq-too-few-entries",
    "rankfile-missing-rank",
    "seq-cpu-taken",
    "rankfile-cpu-taken",
    "not-enough-gpus",
];

/// Whether other words may avoid refusals of this class.
#[must_use]
pub fn is_open(class: &str) -> bool {
    CLASSES.contains(&class)
}

/// The refusal.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Refusal {
    /// Its class.
    pub class: &'static str,
    /// The message that `map` prints.
    pub message: String,
}

/// What is missing, with numbers if there are any.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Missing {
    /// The resource.
    pub what: String,
    /// How many are asked for.
    pub asked: Option<u64>,
    /// How many there are.
    pub there: Option<u64>,
}

/// The answer for a refused job; as JSON it is one line.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Answer {
    /// The refusal.
    pub refused: Refusal,
    /// What is missing.
    pub missing: Missing,
    /// Jobs that fit.
    pub nearest: Vec<Changed>,
}

/// Explains why a job was refused; `None` if the class is not one of room, objects or cpus.
///
/// Cost: about twenty plans for each number that is searched for, and one plan for each other word.
#[must_use]
pub fn explain_refused(
    words: &[String],
    error: &JobError,
    planning: &Planning<'_>,
) -> Option<Answer> {
    let class = error.class();
    if !CLASSES.contains(&class) {
        return None;
    }
    let words = in_our_words(words)?;
    let line = CommandLine::read(&words);
    let mut search = Search::new(&line, planning);
    search.all(app_of(error).min(line.apps.len().saturating_sub(1)));
    Some(Answer {
        refused: Refusal {
            class,
            message: error.message(),
        },
        missing: missing(error),
        nearest: search.found,
    })
}

impl Answer {
    /// A page for people.
    #[must_use]
    pub fn page(&self) -> Vec<String> {
        let mut lines = vec![format!(
            "refused  {}: {}",
            self.refused.class, self.refused.message
        )];
        let count = |number: Option<u64>| number.map_or_else(|| "-".into(), |n| n.to_string());
        if self.missing.asked.is_some() || self.missing.there.is_some() {
            lines.push(format!(
                "missing  {}: asked {}, there {}",
                self.missing.what,
                count(self.missing.asked),
                count(self.missing.there)
            ));
        }
        for near in &self.nearest {
            let gives_up = near.gives_up.unwrap_or("");
            lines.push(format!("fits     {gives_up}{}", near.change));
            lines.push(format!("         stowplan map {}", shell(&near.words)));
        }
        if self.nearest.is_empty() {
            lines.push("no change of one option was found that mends it".to_owned());
        }
        lines
    }
}

/// A job of which one option at a time is changed.
pub(super) struct Search<'s> {
    line: &'s CommandLine,
    planning: &'s Planning<'s>,
    found: Vec<Changed>,
    /// Whether jobs that were planned fit: what a search finds is offered next.
    planned: RefCell<HashMap<Vec<String>, bool>>,
}

impl<'s> Search<'s> {
    pub(super) fn new(line: &'s CommandLine, planning: &'s Planning<'s>) -> Self {
        Self {
            line,
            planning,
            found: Vec::new(),
            planned: RefCell::default(),
        }
    }

    /// The job with one option added or changed, if it can be planned.
    pub(super) fn tried(&self, app: usize, meaning: Meaning, value: &str) -> Option<Changed> {
        put(self.line, app, meaning, value).filter(|changed| self.fits(changed))
    }

    /// The job of an app with PE, unbound in place of its cpus, if it can be planned: as many cpus for each as it likes.
    pub(super) fn unbound_without_pe(&self, app: usize) -> Option<String> {
        let (map, both) = self.unbound(app)?;
        self.fits(&both).then_some(map)
    }

    /// The mapping of an app without its PE, and the whole job with it, unbound.
    fn unbound(&self, app: usize) -> Option<(String, Changed)> {
        let (head, qualifiers) = self.map(app);
        let kept: Vec<String> = qualifiers
            .iter()
            .filter(|word| !is_pe(word))
            .cloned()
            .collect();
        if kept.len() == qualifiers.len() {
            return None;
        }
        let without = joined(&head, &kept);
        let map = put(self.line, app, Meaning::MapBy, &without)?;
        let bind = put(&CommandLine::read(&map.words), app, Meaning::BindTo, "none")?;
        let own = format!("{} {without}", name(Meaning::MapBy));
        let change = format!("{own} {}", bind.change);
        Some((without, Changed { change, ..bind }))
    }

    /// Why a job has less than what was asked, if its mapping lacks the PE that was asked for.
    fn given_up(&self, app: usize, value: &str) -> Option<&'static str> {
        let (_, asked) = self.map(app);
        let (_, now) = split_map(value);
        let lacks = asked.iter().any(|word| is_pe(word) && !now.contains(word));
        lacks.then_some("fewer cpus for each: ")
    }

    fn fits(&self, changed: &Changed) -> bool {
        let plan = || (self.planning)(&changed.words).is_ok();
        let mut planned = self.planned.borrow_mut();
        *planned.entry(changed.words.clone()).or_insert_with(plan)
    }

    fn offer(&mut self, app: usize, meaning: Meaning, value: &str) {
        if self.found.len() >= NEAREST {
            return;
        }
        let mut changed = put(self.line, app, meaning, value);
        if let (Meaning::MapBy, Some(changed)) = (meaning, &mut changed) {
            changed.gives_up = self.given_up(app, value);
        }
        let fresh = |changed: &Changed| !self.found.iter().any(|known| known == changed);
        if let Some(changed) = changed.filter(|changed| fresh(changed) && self.fits(changed)) {
            self.found.push(changed);
        }
    }

    pub(super) fn value(&self, app: usize, meaning: Meaning) -> Option<&'s str> {
        let own = self.line.apps.get(app)?.value(meaning);
        own.or_else(|| self.line.apps.first()?.value(meaning))
    }

    /// What an app says of its mapping, or else the first app; old spellings are spelled out.
    pub(super) fn map(&self, app: usize) -> (String, Vec<String>) {
        let own = self.line.apps.get(app).and_then(AppWords::map_said);
        let said = own.or_else(|| self.line.apps.first()?.map_said());
        split_map(&said.unwrap_or_default())
    }

    /// Tries more slots, fewer processes, other qualifiers and other words.
    fn all(&mut self, app: usize) {
        self.more_slots(app);
        self.fewer_processes(app);
        let (head, mut qualifiers) = self.map(app);
        // Files belong to the policy that reads them.
        qualifiers.retain(|word| !word.to_ascii_lowercase().starts_with("file="));
        // Oversubscribing is the job's: it stands on the first app, beside what that app says.
        let (first, said) = self.map(0);
        self.offer(0, Meaning::MapBy, &with(&first, &said, "oversubscribe"));
        self.offer(app, Meaning::MapBy, &with(&head, &qualifiers, "hwtcpus"));
        self.bindings(app);
        let unbound = self.unbound(app).map(|(_, both)| both);
        if let Some(unbound) = unbound.filter(|both| self.fits(both)) {
            self.found.push(unbound);
        }
        self.smaller_pe(app);
        for kind in [
            "slot", "core", "numa", "package", "node", "l3cache", "hwthread",
        ] {
            self.offer(app, Meaning::MapBy, &joined(kind, &qualifiers));
            self.offer(app, Meaning::MapBy, kind);
        }
        if let Some(["ppr", count, object]) = head.split(':').collect::<Vec<_>>().first_chunk::<3>()
            && let Ok(count) = count.parse::<u32>()
        {
            let counts = (1..=6).map(|shift| count.saturating_mul(1 << shift));
            for count in counts.chain((1..count.min(64)).rev()) {
                self.offer(
                    app,
                    Meaning::MapBy,
                    &joined(&format!("ppr:{count}:{object}"), &qualifiers),
                );
            }
        }
    }

    fn bindings(&mut self, app: usize) {
        let bind = self
            .value(app, Meaning::BindTo)
            .unwrap_or("core")
            .to_owned();
        let (target, own) = split_map(&bind);
        let mut overload: Vec<String> = own
            .iter()
            .filter(|word| !opposes(word, "overload-allowed"))
            .cloned()
            .collect();
        overload.push("overload-allowed".to_owned());
        let unlimited: Vec<String> = own
            .iter()
            .filter(|word| !word.to_ascii_lowercase().starts_with("limit"))
            .cloned()
            .collect();
        if unlimited.len() < own.len() {
            self.offer(app, Meaning::BindTo, &joined(&target, &unlimited));
        }
        self.offer(app, Meaning::BindTo, &joined(&target, &overload));
        for bind in ["none", "core", "numa", "package", "hwthread"] {
            self.offer(app, Meaning::BindTo, bind);
        }
    }

    fn smaller_pe(&mut self, app: usize) {
        if let Some(map) = self.largest_pe(app) {
            self.offer(app, Meaning::MapBy, &map);
        }
    }

    /// The map value of an app with the largest `pe` that fits, below the one it has.
    pub(super) fn largest_pe(&self, app: usize) -> Option<String> {
        let (head, qualifiers) = self.map(app);
        let pe = qualifiers.iter().find(|word| is_pe(word))?;
        let pe = pe[3..].parse::<u32>().ok()?;
        let with = |pe: u32| {
            let words: Vec<String> = qualifiers
                .iter()
                .map(|word| match is_pe(word) {
                    true => format!("pe={pe}"),
                    false => word.clone(),
                })
                .collect();
            joined(&head, &words)
        };
        let largest = largest(1, pe.saturating_sub(1), |pe| {
            put(self.line, app, Meaning::MapBy, &with(pe)).is_some_and(|job| self.fits(&job))
        });
        largest.map(with)
    }

    /// Offers the fewest slots on each node that are enough.
    fn more_slots(&mut self, app: usize) {
        if let Some((owner, hosts, _)) = self.enough_slots(app) {
            self.offer(owner, Meaning::Host, &hosts);
        }
    }

    /// The app that gives the host list, its list with the fewest slots on each node that are enough, and whether every entry
    /// had a count.
    pub(super) fn enough_slots(&self, app: usize) -> Option<(usize, String, bool)> {
        let owner = [app, 0].into_iter().find(|&app| {
            self.line
                .apps
                .get(app)
                .is_some_and(|own| own.value(Meaning::Host).is_some())
        });
        let owner = owner?;
        let hosts = self.line.apps[owner].value(Meaning::Host)?;
        let fits = |slots: u32| {
            put(self.line, owner, Meaning::Host, &with_slots(hosts, slots))
                .is_some_and(|job| self.fits(&job))
        };
        let enough = (0..=SLOTS_MAX.ilog2())
            .map(|shift| 1 << shift)
            .find(|&slots| fits(slots))?;
        let mut slots = enough;
        let mut below = enough / 2;
        while slots - below > 1 {
            let middle = u32::midpoint(slots, below);
            if fits(middle) {
                slots = middle;
            } else {
                below = middle;
            }
        }
        let counted = entries(hosts).iter().all(|entry| entry.count.is_some());
        Some((owner, with_slots(hosts, slots), counted))
    }

    /// Offers the most processes that fit.
    fn fewer_processes(&mut self, app: usize) {
        let asked = self.given_processes(app);
        let most = asked.map_or(1, |asked| asked.saturating_sub(1));
        if let Some(procs) = self.most_processes(app, most) {
            self.offer(app, Meaning::Np, &procs.to_string());
        }
    }

    /// The `-n` of an app.
    pub(super) fn given_processes(&self, app: usize) -> Option<u32> {
        let own = self.line.apps.get(app)?;
        own.value(Meaning::Np)?.parse().ok()
    }

    /// The most processes of an app that fit, at most `most`.
    pub(super) fn most_processes(&self, app: usize, most: u32) -> Option<u32> {
        largest(1, most, |procs| {
            self.tried(app, Meaning::Np, &procs.to_string()).is_some()
        })
    }
}

/// A mapping with one more qualifier, without those that say the opposite.
fn with(head: &str, qualifiers: &[String], word: &str) -> String {
    let kept = qualifiers.iter().filter(|own| !opposes(own, word));
    let mut words: Vec<String> = kept.cloned().collect();
    words.push(word.to_owned());
    joined(head, &words)
}

/// Whether a qualifier says the opposite of another one, or the same.
pub(super) fn opposes(own: &str, word: &str) -> bool {
    let own = own.to_ascii_lowercase();
    match word {
        "oversubscribe" => own.starts_with("oversub") || own.starts_with("nooversub"),
        "overload-allowed" => own.starts_with("overload") || own.starts_with("no-overload"),
        "hwtcpus" => own.starts_with("hwt") || own.starts_with("core"),
        _ => false,
    }
}

fn is_pe(word: &str) -> bool {
    word.to_ascii_lowercase().starts_with("pe=")
}

/// The largest number that fits, if the smallest fits.
fn largest(least: u32, most: u32, fits: impl Fn(u32) -> bool) -> Option<u32> {
    if most < least || !fits(least) {
        return None;
    }
    let (mut known, mut beyond) = (least, most + 1);
    while beyond - known > 1 {
        let middle = u32::midpoint(known, beyond);
        if fits(middle) {
            known = middle;
        } else {
            beyond = middle;
        }
    }
    Some(known)
}

/// The app that is refused; the first if none is named.
pub(super) fn app_of(error: &JobError) -> usize {
    let app = error.app().and_then(|app| usize::try_from(app).ok());
    app.unwrap_or(0)
}

/// What a refusal says is missing, with its numbers.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "an error without numbers is told by its class"
)]
pub(super) fn missing(error: &JobError) -> Missing {
    let told = |what: &str, asked: Option<u64>, there: Option<u64>| Missing {
        what: what.to_owned(),
        asked,
        there,
    };
    let JobError::Map(error) = error else {
        return told(error.class(), None, None);
    };
    let error = match error {
        MapError::Place(error) => error,
        MapError::Spec(SpecError::PeExceedsObject { pe, cpus, .. }) => {
            let (pe, cpus) = (u64::from(*pe), u64::from(*cpus));
            return told("cpus of one object", Some(pe), Some(cpus));
        }
        MapError::Spec(_) => return told(error.class(), None, None),
    };
    match error {
        PlaceError::NotEnoughSlots { asked, left, .. } => told("slots", Some(*asked), Some(*left)),
        PlaceError::NodesFull { slots, used, .. } => told("slots", Some(used + 1), Some(*slots)),
        PlaceError::EntryFull { slots, used, .. } => {
            told("slots", Some(u64::from(used + 1)), Some(u64::from(*slots)))
        }
        PlaceError::NoProcesses { slots, .. } => told("processes", Some(1), Some(*slots)),
        PlaceError::OutOfResource { asked, placed, .. } => told(
            "room below max_slots",
            Some(u64::from(*asked)),
            Some(*placed),
        ),
        PlaceError::PprTooMany { asked, placed, .. } => told(
            "places of the pattern",
            Some(u64::from(*asked)),
            Some(u64::from(*placed)),
        ),
        PlaceError::ObjectNotFound { kind, .. } | PlaceError::BindTargetNotFound { kind, .. } => {
            told(kind, Some(1), Some(0))
        }
        PlaceError::NoAvailableCpus { free, .. } => told("free cpus", None, Some(u64::from(*free))),
        PlaceError::NotEnoughCpus { asked, placed, .. } => told(
            "processes that find their cpus",
            Some(u64::from(*asked)),
            Some(*placed),
        ),
        PlaceError::SpanPackages {
            asked, packages, ..
        } => {
            let number = |text: &str| text.trim().parse::<u64>().ok();
            let largest = packages.split(',').filter_map(number).max();
            told(
                "cpus of one package",
                asked.strip_prefix("pe=").and_then(number),
                largest,
            )
        }
        PlaceError::PeListExhausted { asked, placed, .. } => told(
            "processes that the list holds",
            Some(u64::from(*asked)),
            Some(*placed),
        ),
        PlaceError::SeqTooFew { asked, entries, .. } => {
            told("entries", Some(u64::from(*asked)), Some(*entries))
        }
        PlaceError::PeExceedsObject { pe, largest, .. } => told(
            "cpus of one object",
            Some(u64::from(*pe)),
            Some(u64::from(*largest)),
        ),
        other => told(other.class(), None, None),
    }
}
