//! Goes through a script from its beginning: sets its variables, and finds the lines of launchers.

use super::arithmetic;
use super::commands::{Command, Item, Joined};
use super::substitution::{Here, name_of};
use super::variables::{Around, Opens, Value, Variables};
use crate::job::batch::text::{Span, Text};
use crate::job::line;
use std::collections::HashMap;
use stowplan_engine::error::SpecError;
use stowplan_engine::limit::SCRIPT_WORD_BYTES_MAX;

/// The most lines of launchers that are told apart.
pub(super) const LINES_MAX: usize = 1000;

/// Bytes of a line with its values put in: what Linux gives the words of a command.
const LINE_BYTES_MAX: usize = 2 << 20;

/// The line of a launcher in a script.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// From the launcher's word to the last word.
    pub(super) span: Span,
    /// The launcher's word, without its folder.
    pub(super) launcher: String,
}

/// A line with its variables put in.
#[derive(Clone, Debug)]
pub(super) struct Line {
    /// The launcher's word and all behind it.
    pub(super) words: Vec<String>,
    /// The variables that the script gives the launcher.
    pub(super) variables: Vec<(String, String)>,
    /// Exported variables that are not known and concern the threads of the program alone, each with what sets it.
    pub(super) left_out: Vec<(String, Span)>,
}

/// A script that is read.
#[derive(Debug)]
pub(super) struct Script<'t> {
    pub(super) text: &'t Text<'t>,
    pub(super) items: Vec<Item>,
}

/// Words that run the command behind them, with the values that they take before it.
const AROUND: &[&str] = &[
    "command", "eval", "exec", "nohup", "stdbuf", "time", "env", "timeout",
];

/// Commands that set the variables that they name.
const SETTERS: &[&str] = &["read", "mapfile", "readarray", "getopts", "let"];

/// How variables begin that launchers read, or that say where ranks and threads go.
const OF_LAUNCHERS: &[&str] = &[
    "FLUX_", "HYDRA_", "I_MPI_", "MPIEXEC_", "MPICH_", "OMPI_", "PALS_", "PMIX_", "PRTE_",
    "SLURM_", "SRUN_",
];
const OF_THREADS: &[&str] = &["GOMP_", "KMP_", "OMP_"];

impl Script<'_> {
    /// The lines of launchers, in order.
    ///
    /// # Errors
    /// `bad-script` for more lines than are told apart.
    pub(super) fn lines(&self, around: &Around) -> Result<Vec<Found>, SpecError> {
        let mut found = Vec::new();
        let mut walk = Walk::new(self, around);
        while let Some(at) = walk.next_line() {
            if found.len() == LINES_MAX {
                let what = format!("more than {LINES_MAX} lines of launchers");
                return Err(self.text.bad(at.span, &what));
            }
            found.push(at);
        }
        Ok(found)
    }

    /// One of the lines, with its variables put in.
    ///
    /// # Errors
    /// `unknown-variable` at a variable or a substitution of the line that is not known.
    pub(super) fn line(&self, number: usize, around: &Around) -> Result<Line, SpecError> {
        let mut walk = Walk::new(self, around);
        for _ in 0..number {
            walk.next_line();
        }
        walk.next_line();
        walk.read_line()
    }

    /// For each item, the item that closes its block.
    fn closing(&self) -> Vec<usize> {
        let mut closing = vec![self.items.len(); self.items.len()];
        let mut open = Vec::new();
        for (at, item) in self.items.iter().enumerate() {
            match item {
                Item::Enter(_) => open.push(at),
                Item::Leave => {
                    if let Some(opened) = open.pop() {
                        closing[opened] = at;
                    }
                }
                Item::Over(..) | Item::Next | Item::Command(_) => {}
            }
        }
        closing
    }

    /// The items that set each name.
    fn setters(&self) -> HashMap<String, Vec<usize>> {
        let mut setters: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, item) in self.items.iter().enumerate() {
            let words: &[Span] = match item {
                Item::Over(name, _) => std::slice::from_ref(name),
                Item::Command(command) => &command.words,
                Item::Enter(_) | Item::Next | Item::Leave => &[],
            };
            for word in words {
                let name = name_of(self.text.of(*word));
                if !name.is_empty() {
                    let rows = setters.entry(name.to_owned()).or_default();
                    if rows.last() != Some(&at) {
                        rows.push(at);
                    }
                }
            }
        }
        setters
    }
}

/// `NAME=value` or `NAME+=value`.
struct Assignment<'t> {
    name: &'t str,
    value: Span,
    adds: Adds,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Adds {
    Yes,
    No,
}

/// A place in a script.
struct Walk<'t> {
    script: &'t Script<'t>,
    variables: Variables,
    closing: Vec<usize>,
    /// The next item.
    at: usize,
    /// The line that was found last: its item and its first word, with variables set for it alone.
    found: Option<(usize, usize)>,
    own: Vec<(String, Value, Span)>,
}

impl<'t> Walk<'t> {
    fn new(script: &'t Script<'t>, around: &Around) -> Self {
        Self {
            script,
            variables: Variables::new(around.clone(), script.setters()),
            closing: script.closing(),
            at: 0,
            found: None,
            own: Vec::new(),
        }
    }

    fn here(&self, item: usize) -> Here<'_> {
        Here {
            text: self.script.text,
            variables: &self.variables,
            item,
        }
    }

    /// Goes on to the next line of a launcher, and leaves it set up to be read.
    fn next_line(&mut self) -> Option<Found> {
        while let Some(item) = self.script.items.get(self.at) {
            let at = self.at;
            self.at += 1;
            match item {
                Item::Enter(block) => self.variables.enter(*block, (at, self.closing[at])),
                Item::Over(name, words) => self.over(at, *name, words),
                Item::Next => self.variables.next(),
                Item::Leave => self.variables.leave(),
                Item::Command(command) => {
                    let found = self.command(at, command);
                    if found.is_some() {
                        return found;
                    }
                    if self.ends(command) {
                        self.at = self.script.items.len();
                    }
                }
            }
        }
        None
    }

    /// Whether nothing behind a command runs.
    fn ends(&self, command: &Command) -> bool {
        let first = command.words.first().map(|word| self.script.text.of(*word));
        let exits = first == Some("exit") && command.joined == Joined::Alone;
        exits && self.variables.is_outside()
    }

    /// The variable of a loop: its value if it takes one alone.
    fn over(&mut self, at: usize, name: Span, words: &[Span]) {
        let text = self.script.text;
        let values: Option<Vec<String>> = words
            .iter()
            .take(2)
            .map(|word| self.here(at).words(*word).ok())
            .collect::<Option<Vec<_>>>()
            .map(|values| values.into_iter().flatten().collect());
        let value = match values.as_deref() {
            Some([one]) if words.len() == 1 => Value::Known(one.clone()),
            _ => Value::Open(Opens::Here(name, "it takes the values of a loop")),
        };
        self.variables.set(text.of(name), value, name);
    }

    fn assignment(&self, word: Span) -> Option<Assignment<'t>> {
        let text = self.script.text.of(word);
        let name = name_of(text);
        let rest = text.get(name.len()..)?;
        let (adds, sign) = match rest.strip_prefix("+=") {
            Some(_) => (Adds::Yes, 2),
            None => (Adds::No, 1),
        };
        if name.is_empty() || !rest.starts_with(['=', '+']) || rest.len() < sign {
            return None;
        }
        (rest.starts_with('=') || adds == Adds::Yes).then_some(Assignment {
            name,
            value: Span {
                start: word.start + name.len() + sign,
                end: word.end,
            },
            adds,
        })
    }

    /// What an assignment gives.
    fn assigned(&self, at: usize, assignment: &Assignment<'_>, word: Span) -> Value {
        if self.script.text.of(assignment.value).starts_with('(') {
            return Value::Open(Opens::Here(word, "lists of values are not read here"));
        }
        let Ok(mut value) = self.here(at).value(assignment.value) else {
            return Value::Open(self.open(at, assignment.value, word));
        };
        if assignment.adds == Adds::Yes {
            match self.variables.value(assignment.name, at) {
                Value::Known(before) => value.insert_str(0, &before),
                Value::Unset => {}
                Value::Open(why) => return Value::Open(why),
            }
        }
        if value.len() > SCRIPT_WORD_BYTES_MAX {
            return Value::Open(Opens::Here(word, "it is too long"));
        }
        Value::Known(value)
    }

    /// Why a value is not known.
    fn open(&self, at: usize, value: Span, setter: Span) -> Opens {
        let mut names = arithmetic::names(self.script.text.of(value));
        let root = names.find_map(|name| match self.variables.value(name, at) {
            Value::Open(Opens::Through(_, root)) => Some(root),
            Value::Open(_) => Some(name.to_owned()),
            Value::Known(_) | Value::Unset => None,
        });
        match root {
            Some(root) => Opens::Through(setter, root),
            None => Opens::Here(setter, "no shell is started here"),
        }
    }

    /// Sets a variable as a command does that stands so beside others.
    fn set(&mut self, at: usize, (name, value, word): (&str, Value, Span), joined: Joined) {
        let same = self.variables.value(name, at) == value;
        match joined {
            Joined::Apart => {}
            Joined::Maybe if !same => {
                let why = "it is set where it may run or not";
                let open = Value::Open(Opens::Here(word, why));
                self.variables.set(name, open, word);
            }
            Joined::Alone | Joined::Maybe => self.variables.set(name, value, word),
        }
    }

    /// Runs a command as far as it sets variables; a line of a launcher is found.
    fn command(&mut self, at: usize, command: &Command) -> Option<Found> {
        let text = self.script.text;
        let mut first = 0;
        let mut own = Vec::new();
        while let Some(&word) = command.words.get(first)
            && let Some(assignment) = self.assignment(word)
        {
            let value = self.assigned(at, &assignment, word);
            own.push((assignment.name.to_owned(), value, word));
            first += 1;
        }
        let Some(&word) = command.words.get(first) else {
            for (name, value, word) in own {
                self.set(at, (&name, value, word), command.joined);
            }
            return None;
        };
        let rest = &command.words[first + 1..];
        match text.of(word) {
            "export" | "declare" | "typeset" | "local" | "readonly" | "setenv" => {
                self.declared(at, text.of(word), rest, command.joined);
                None
            }
            "unset" => {
                for name in rest {
                    let unset = (text.of(*name), Value::Unset, *name);
                    self.set(at, unset, command.joined);
                }
                None
            }
            word if SETTERS.contains(&word) => {
                for setter in rest {
                    let why = "this command sets it";
                    let open = Value::Open(Opens::Here(*setter, why));
                    self.set(
                        at,
                        (name_of(text.of(*setter)), open, *setter),
                        command.joined,
                    );
                }
                None
            }
            _ => self.launcher(at, command, first, own),
        }
    }

    /// `export NAME=value`, `setenv NAME value` and their like.
    fn declared(&mut self, at: usize, word: &str, rest: &[Span], joined: Joined) {
        let text = self.script.text;
        let flag = |word: &Span| text.of(*word).starts_with('-') && text.of(*word).contains('x');
        let exports = matches!(word, "export" | "setenv") || rest.iter().any(flag);
        if let ("setenv", [name, value]) = (word, rest) {
            let known = self
                .here(at)
                .value(*value)
                .map_or_else(|_| Value::Open(self.open(at, *value, *value)), Value::Known);
            self.set(at, (text.of(*name), known, *name), joined);
        }
        for word in rest {
            let assignment = self.assignment(*word);
            let name = match &assignment {
                Some(own) => own.name,
                None => name_of(text.of(*word)),
            };
            if let Some(own) = &assignment {
                let value = self.assigned(at, own, *word);
                self.set(at, (name, value, *word), joined);
            }
            if exports && !name.is_empty() {
                self.variables.export(name);
            }
        }
    }

    /// A command that may be a launcher's line, with variables set before it for it alone.
    fn launcher(
        &mut self,
        at: usize,
        command: &Command,
        mut first: usize,
        mut own: Vec<(String, Value, Span)>,
    ) -> Option<Found> {
        let text = self.script.text;
        loop {
            let word = *command.words.get(first)?;
            let plain = text.of(word).rsplit('/').next().unwrap_or_default();
            let behind = text.of(*command.words.get(first.saturating_sub(1))?);
            let of_wrapper =
                first > 0 && (behind.starts_with("timeout") || behind.starts_with('-'));
            if AROUND.contains(&plain) || text.of(word).starts_with('-') {
                first += 1;
            } else if let Some(assignment) = self.assignment(word) {
                let value = self.assigned(at, &assignment, word);
                own.push((assignment.name.to_owned(), value, word));
                first += 1;
            } else if of_wrapper
                && text
                    .of(word)
                    .starts_with(|sign: char| sign.is_ascii_digit())
            {
                first += 1;
            } else {
                break;
            }
        }
        let words = command.words[first..].iter().take(2);
        let words = words.map(|word| self.here(at).words(*word).unwrap_or_default());
        let words: Vec<String> = words.flatten().collect();
        let cut = line::cut(&words).filter(|cut| cut.ours.is_empty())?;
        let launcher = cut.command[0].rsplit('/').next().unwrap_or_default();
        self.found = Some((at, first));
        self.own = own;
        Some(Found {
            span: Span {
                start: command.words[first].start,
                end: command.words.last()?.end,
            },
            launcher: launcher.to_owned(),
        })
    }

    /// The line that was found last, with its variables put in.
    fn read_line(self) -> Result<Line, SpecError> {
        let text = self.script.text;
        let Some((at, first)) = self.found else {
            return Err(text.bad_whole("no launcher's line is in it"));
        };
        let Some(Item::Command(command)) = self.script.items.get(at) else {
            return Err(text.bad_whole("no launcher's line is in it"));
        };
        let mut words = Vec::new();
        let mut bytes = 0;
        for word in &command.words[first..] {
            let more = self.here(at).words(*word)?;
            bytes += more.iter().map(|word| word.len() + 1).sum::<usize>();
            if bytes > LINE_BYTES_MAX {
                let what =
                    format!("with its values, the line has more than {LINE_BYTES_MAX} bytes");
                return Err(text.bad(*word, &what));
            }
            words.extend(more);
        }
        let mut line = Line {
            words,
            variables: Vec::new(),
            left_out: Vec::new(),
        };
        let exported = self.variables.exported(at);
        let exported = exported.map(|(name, value)| (name.to_owned(), value));
        let mut all: Vec<(String, Value)> = exported.collect();
        all.extend(
            self.own
                .iter()
                .map(|(name, value, _)| (name.clone(), value.clone())),
        );
        for (name, value) in all {
            let begins = |heads: &[&str]| heads.iter().any(|head| name.starts_with(head));
            match value {
                Value::Known(value) => line.variables.push((name, value)),
                Value::Open(Opens::Here(span, why)) if begins(OF_LAUNCHERS) => {
                    let help = vec![format!("say its value: --env {name}=…")];
                    let what = format!(
                        "${name} is not known, and {} may read it: {why}",
                        line.words[0]
                    );
                    return Err(text.refused("unknown-variable", span, &what, help));
                }
                Value::Open(Opens::Through(span, root)) if begins(OF_LAUNCHERS) => {
                    let help = vec![format!("say its value: --env {root}=…")];
                    let what = format!(
                        "${name}: ${root} in it is not known, and {} may read it",
                        line.words[0]
                    );
                    return Err(text.refused("unknown-variable", span, &what, help));
                }
                Value::Open(Opens::Here(span, _) | Opens::Through(span, _))
                    if begins(OF_THREADS) =>
                {
                    line.left_out.push((name, span));
                }
                Value::Open(_) | Value::Unset => {}
            }
        }
        Ok(line)
    }
}
