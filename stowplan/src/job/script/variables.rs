//! The variables of a script, as far as their values are known.

use super::commands::Block;
use crate::job::batch::text::Span;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What is known of a variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Value {
    /// Its value.
    Known(String),
    /// It is set, and these bytes of the script or this system decide to what.
    Open(Opens),
    /// It is not set.
    Unset,
}

/// Why a value is not known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Opens {
    /// These bytes set it.
    Here(Span, &'static str),
    /// These bytes set it, by a variable that is not known.
    Through(Span, String),
    /// A batch system or the login sets it.
    Outside(&'static str),
}

/// Variables that stand around a script before it begins.
#[derive(Clone, Debug, Default)]
pub(super) struct Around {
    /// Those that were given beside it.
    pub(super) given: HashMap<String, String>,
    /// Those that the directives fix.
    pub(super) fixed: BTreeMap<String, String>,
    /// Systems that set variables, by how their names begin, and those of them that they set only where a directive says so.
    pub(super) systems: Vec<(
        &'static str,
        &'static [&'static str],
        &'static [&'static str],
    )>,
}

/// Variables that a login sets.
const OF_LOGIN: &[&str] = &[
    "HOME", "HOSTNAME", "LOGNAME", "OLDPWD", "PATH", "PWD", "RANDOM", "SECONDS", "SHELL", "TMPDIR",
    "UID", "USER",
];

/// A block that is open.
#[derive(Debug)]
struct Frame {
    block: Block,
    /// The item of the script that opened it, and the one that closes it.
    items: (usize, usize),
    /// What was known before of the names that this branch set.
    before: BTreeMap<String, Option<Value>>,
    /// All names that it set, and where.
    set: BTreeMap<String, Span>,
}

/// The variables at a place of a script.
#[derive(Debug)]
pub(super) struct Variables {
    around: Around,
    values: HashMap<String, Value>,
    exported: BTreeSet<String>,
    frames: Vec<Frame>,
    /// The items that set each name, in order.
    setters: HashMap<String, Vec<usize>>,
}

impl Variables {
    pub(super) fn new(around: Around, setters: HashMap<String, Vec<usize>>) -> Self {
        Self {
            around,
            values: HashMap::new(),
            exported: BTreeSet::new(),
            frames: Vec::new(),
            setters,
        }
    }

    /// What is known of a variable at an item of the script.
    pub(super) fn value(&self, name: &str, item: usize) -> Value {
        let own = match self.values.get(name) {
            Some(Value::Known(_)) if !self.is_steady(name, item) => {
                let span = Span { start: 0, end: 0 };
                Value::Open(Opens::Here(
                    span,
                    "it is set again where this may run once more",
                ))
            }
            Some(own) => own.clone(),
            None => return self.outside(name),
        };
        match (own, self.around.given.get(name)) {
            (Value::Open(_), Some(given)) => Value::Known(given.clone()),
            (own, _) => own,
        }
    }

    /// Whether no other value can be there when this place runs once more.
    fn is_steady(&self, name: &str, item: usize) -> bool {
        let Some(setters) = self.setters.get(name) else {
            return true;
        };
        let between = |from: usize, to: usize| {
            let first = setters.partition_point(|&own| own < from);
            setters.get(first).is_some_and(|&own| own < to)
        };
        self.frames.iter().all(|frame| match frame.block {
            Block::Group | Block::Subshell | Block::Choice => true,
            _ if frame.set.contains_key(name) => true,
            Block::Loop => !between(item + 1, frame.items.1),
            Block::Function => !between(frame.items.1, usize::MAX),
        })
    }

    fn outside(&self, name: &str) -> Value {
        if let Some(given) = self.around.given.get(name) {
            return Value::Known(given.clone());
        }
        if let Some(fixed) = self.around.fixed.get(name) {
            return Value::Known(fixed.clone());
        }
        for (system, begins, asked) in &self.around.systems {
            let own = begins.iter().any(|begin| name.starts_with(begin));
            if own && !asked.iter().any(|asked| name.starts_with(asked)) {
                return Value::Open(Opens::Outside(system));
            }
        }
        match OF_LOGIN.contains(&name) {
            true => Value::Open(Opens::Outside("the login")),
            false => Value::Unset,
        }
    }

    /// Sets a variable. `span`: what sets it.
    pub(super) fn set(&mut self, name: &str, value: Value, span: Span) {
        let before = self.values.insert(name.to_owned(), value);
        if let Some(frame) = self.frames.last_mut() {
            frame.set.insert(name.to_owned(), span);
            frame.before.entry(name.to_owned()).or_insert(before);
        }
    }

    /// Whether no block is open.
    pub(super) fn is_outside(&self) -> bool {
        self.frames.is_empty()
    }

    /// Gives a variable to the commands that are started.
    pub(super) fn export(&mut self, name: &str) {
        self.exported.insert(name.to_owned());
    }

    /// The variables that a command sees and the script says, each with what is known of it.
    pub(super) fn exported(&self, item: usize) -> impl Iterator<Item = (&str, Value)> {
        let own = self.exported.iter();
        let own = own.filter(|name| self.values.contains_key(*name));
        own.map(move |name| (name.as_str(), self.value(name, item)))
    }

    /// A block begins. `items`: the items that open and close it.
    pub(super) fn enter(&mut self, block: Block, items: (usize, usize)) {
        self.frames.push(Frame {
            block,
            items,
            before: BTreeMap::new(),
            set: BTreeMap::new(),
        });
    }

    /// Another branch of the block begins: nothing of the one before it has happened.
    pub(super) fn next(&mut self) {
        let before = match self.frames.last_mut() {
            Some(frame) => std::mem::take(&mut frame.before),
            None => BTreeMap::new(),
        };
        self.restore(before);
    }

    fn restore(&mut self, before: BTreeMap<String, Option<Value>>) {
        for (name, value) in before {
            match value {
                Some(value) => self.values.insert(name, value),
                None => self.values.remove(&name),
            };
        }
    }

    /// The innermost block ends.
    pub(super) fn leave(&mut self) {
        let Some(frame) = self.frames.pop() else {
            return;
        };
        match frame.block {
            Block::Group => {
                for (name, value) in frame.before {
                    let now = self.values.get(&name).cloned();
                    let span = frame.set[&name];
                    match value {
                        Some(value) => self.values.insert(name.clone(), value),
                        None => self.values.remove(&name),
                    };
                    self.set(&name, now.unwrap_or(Value::Unset), span);
                }
            }
            Block::Subshell => self.restore(frame.before),
            Block::Choice | Block::Loop | Block::Function => {
                self.restore(frame.before);
                for (name, span) in frame.set {
                    let why = "it is set where it may run or not";
                    self.set(&name, Value::Open(Opens::Here(span, why)), span);
                }
            }
        }
    }
}
