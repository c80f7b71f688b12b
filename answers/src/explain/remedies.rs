//! What to type instead: lines below a refusal. Each is planned before it is shown.

use super::again::Planning;
use super::change::{joined, shell, split_map};
use super::refused::{CLASSES, Search, app_of, missing};
use stowplan_engine::error::MapError;
use stowplan_engine::error::phrases::Counted;
use stowplan_engine::error::place::PlaceError;
use stowplan_job::error::JobError;
use stowplan_job::options::Meaning;
use stowplan_job::our_words::in_our_words;
use stowplan_job::words::CommandLine;

/// Lines that are shown at most.
const TOLD: usize = 3;

/// Options that would make a refused job work, each with its value as typed into a shell. Empty if the class is not one of
/// room, objects or cpus, or if no change of one option helps.
///
/// Cost: some dozens of plans. `planning` may refuse jobs when it reaches a limit; a job that it refuses is not shown.
#[must_use]
pub fn remedies(words: &[String], error: &JobError, planning: &Planning<'_>) -> Vec<String> {
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
    lines: Vec<String>,
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
            _ => {
                self.bindings(&["none"]);
                self.maps();
            }
        }
    }

    /// Adds a line for an option, if the job can be planned with it.
    fn tell(&mut self, app: usize, meaning: Meaning, value: &str, lead: &str) {
        if self.lines.len() >= TOLD {
            return;
        }
        let Some(job) = self.search.tried(app, meaning, value) else {
            return;
        };
        let name = job.change.split(' ').next().unwrap_or_default();
        let quoted = shell(&[value.to_owned()]);
        let on = match app {
            0 => String::new(),
            app => format!(" on app {app}"),
        };
        let option = format!("{name} {quoted}{on}");
        if !self.lines.iter().any(|line| line.ends_with(&option)) {
            self.lines.push(format!("{lead}{option}"));
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

    fn oversubscribed(&mut self) {
        let (head, qualifiers) = self.map();
        let mut words: Vec<String> = qualifiers;
        words.retain(|own| !own.to_ascii_lowercase().starts_with("nooversub"));
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
        if let Some(job) = self.search.unbound_without_pe(self.app) {
            self.lines
                .push(format!("as many cpus as it likes: {}", job.change));
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
        words.retain(|own| !own.to_ascii_lowercase().starts_with("nooverload"));
        words.push("overload-allowed".to_owned());
        let value = joined(&target, &words);
        self.tell(self.app, Meaning::BindTo, &value, "sharing cpus: ");
    }
}
