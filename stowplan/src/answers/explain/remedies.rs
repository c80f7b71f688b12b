//! What to type instead: lines below a refusal. Each is planned before it is shown. What would move a
//! rank that has a place is in `instead.rs`.

use super::again::Planning;
use super::change::{joined, name, split_map};
use super::refused::{CLASSES, Search, app_of, missing, opposes};
use crate::job::error::JobError;
use crate::job::options::Meaning;
use crate::job::our_words::in_our_words;
use crate::job::words::CommandLine;
use crate::launchers::script::shell;
use stowplan_engine::error::MapError;
use stowplan_engine::error::phrases::Counted;
use stowplan_engine::error::place::PlaceError;

/// Lines that are shown at most.
const TOLD: usize = 3;

/// A change of one app that makes a refused job work.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Remedy {
    /// What it changes, with a colon and a space behind it; may be empty.
    pub lead: &'static str,
    /// The app, from 0.
    pub app: usize,
    /// The options, with their values.
    pub set: Vec<(Meaning, String)>,
}

impl Remedy {
    /// The options with their values as typed into a shell.
    #[must_use]
    pub fn typed(&self) -> String {
        let each = self.set.iter().map(|(meaning, value)| {
            format!("{} {}", name(*meaning), shell(std::slice::from_ref(value)))
        });
        let each: Vec<String> = each.collect();
        match self.app {
            0 => each.join(" "),
            app => format!("{} on app {app}", each.join(" ")),
        }
    }
}

impl std::fmt::Display for Remedy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.lead, self.typed())
    }
}

/// Changes that would make a refused job work. Empty if the class is not one of
/// room, objects or cpus, or if no change of one option helps.
///
/// Cost: some dozens of plans. `planning` may refuse jobs when it reaches a limit; a job that it refuses is not shown.
#[must_use]
pub fn remedies(words: &[String], error: &JobError, planning: &Planning<'_>) -> Vec<Remedy> {
    if !CLASSES.contains(&error.class()) {
        return Vec::new();
    }
    let Some(words) = in_our_words(words) else {
        return Vec::new();
    };
    let line = CommandLine::read(&words);
    let app = app_of(error).min(line.apps.len().saturating_sub(1));
    let mut told = Told {
        search: Search::new(&line, planning),
        app,
        lines: Vec::new(),
    };
    told.by_class(error);
    told.lines
}

struct Told<'s> {
    search: Search<'s>,
    app: usize,
    lines: Vec<Remedy>,
}

impl Told<'_> {
    fn by_class(&mut self, error: &JobError) {
        match error.class() {
            "not-enough-slots" | "nodes-full" | "no-processes" | "out-of-resource" => {
                self.count_of_its_own(error);
                self.slots();
                self.oversubscribed();
                self.fewer(error);
            }
            "ppr-too-many" => {
                self.slots();
                self.fewer(error);
                self.oversubscribed();
            }
            "pe-exceeds-object" | "span-packages" => {
                self.unbound_without_pe();
                self.maps();
                self.smaller_pe();
            }
            "object-not-found" => self.maps(),
            "bind-target-not-found" => self.bindings(&["core", "package", "none"]),
            "not-enough-cpus" | "no-available-cpus" | "bind-limit" => {
                self.hwthreads();
                self.bindings(&["none"]);
                self.shared_cpus();
                self.smaller_pe();
                self.fewer(error);
            }
            "pe-list-exhausted" | "pe-list-conflict" => {
                self.shared_cpus();
                self.fewer(error);
                self.maps();
            }
            "seq-too-few-entries" | "rankfile-missing-rank" => {
                self.fewer(error);
                self.maps();
            }
            _ => {
                self.bindings(&["none"]);
                self.maps();
            }
        }
    }

    /// Adds a line for an option, if the job can be planned with it.
    fn tell(&mut self, app: usize, meaning: Meaning, value: &str, lead: &'static str) {
        if self.lines.len() >= TOLD {
            return;
        }
        if self.search.tried(app, meaning, value).is_none() {
            return;
        }
        let set = vec![(meaning, value.to_owned())];
        if !self
            .lines
            .iter()
            .any(|line| (line.app, &line.set) == (app, &set))
        {
            self.lines.push(Remedy { lead, app, set });
        }
    }

    fn map(&self) -> (String, Vec<String>) {
        self.search.map(self.app)
    }

    /// For an app without `-n` that counts more processes than there are slots left: the largest `-n` that fits.
    fn count_of_its_own(&mut self, error: &JobError) {
        let JobError::Map(MapError::Place(PlaceError::NotEnoughSlots {
            counted: Counted::Counted,
            asked,
            ..
        })) = error
        else {
            return;
        };
        let most = u32::try_from(asked.saturating_sub(1)).unwrap_or(u32::MAX);
        if let Some(procs) = self.search.most_processes(self.app, most) {
            let lead = "it gives no -n and counts more than is left: ";
            self.tell(self.app, Meaning::Np, &procs.to_string(), lead);
        }
    }

    fn slots(&mut self) {
        let Some((owner, hosts, had)) = self.search.enough_slots(self.app) else {
            return;
        };
        let lead = if had {
            "more slots: "
        } else {
            "a bare host is one slot: "
        };
        self.tell(owner, Meaning::Host, &hosts, lead);
    }

    /// The job's word: it stands on the first app, beside what that app says.
    fn oversubscribed(&mut self) {
        let (head, qualifiers) = self.search.map(0);
        let mut words: Vec<String> = qualifiers;
        words.retain(|own| !opposes(own, "oversubscribe"));
        words.push("oversubscribe".to_owned());
        let lead = "more processes than slots: ";
        self.tell(0, Meaning::MapBy, &joined(&head, &words), lead);
    }

    fn fewer(&mut self, error: &JobError) {
        let asked = self.search.given_processes(self.app);
        let counted = missing(error)
            .asked
            .and_then(|asked| u32::try_from(asked).ok());
        let most = asked.or(counted).unwrap_or(1).saturating_sub(1);
        if let Some(procs) = self.search.most_processes(self.app, most) {
            self.tell(
                self.app,
                Meaning::Np,
                &procs.to_string(),
                "as many as fit: ",
            );
        }
    }

    /// Maps by other kinds of objects that the nodes have.
    fn maps(&mut self) {
        let (head, mut qualifiers) = self.map();
        // Files belong to the policy that reads them.
        qualifiers.retain(|word| !word.to_ascii_lowercase().starts_with("file="));
        for kind in ["numa", "package", "slot", "core", "l3cache", "hwthread"] {
            if !kind.eq_ignore_ascii_case(&head) {
                self.tell(self.app, Meaning::MapBy, &joined(kind, &qualifiers), "");
            }
        }
    }

    /// More cpus than an object or a package has are had by no binding at all.
    fn unbound_without_pe(&mut self) {
        if let Some(map) = self.search.unbound_without_pe(self.app) {
            self.lines.push(Remedy {
                lead: "as many cpus as it likes: ",
                app: self.app,
                set: vec![(Meaning::MapBy, map), (Meaning::BindTo, "none".to_owned())],
            });
        }
    }

    fn smaller_pe(&mut self) {
        if let Some(map) = self.search.largest_pe(self.app) {
            self.tell(self.app, Meaning::MapBy, &map, "fewer cpus for each: ");
        }
    }

    /// Twice as many cpus where a core has two hardware threads.
    fn hwthreads(&mut self) {
        let (head, mut words) = self.map();
        words.retain(|own| !opposes(own, "hwtcpus"));
        words.push("hwtcpus".to_owned());
        let lead = "each hardware thread is a cpu: ";
        self.tell(self.app, Meaning::MapBy, &joined(&head, &words), lead);
    }

    fn bindings(&mut self, targets: &[&str]) {
        for target in targets {
            let lead = if *target == "none" { "unbound: " } else { "" };
            self.tell(self.app, Meaning::BindTo, target, lead);
        }
    }

    fn shared_cpus(&mut self) {
        let bind = self.search.value(self.app, Meaning::BindTo).unwrap_or("");
        let (target, mut words) = split_map(bind);
        words.retain(|own| !opposes(own, "overload-allowed"));
        words.push("overload-allowed".to_owned());
        let value = joined(&target, &words);
        self.tell(self.app, Meaning::BindTo, &value, "sharing cpus: ");
    }
}
