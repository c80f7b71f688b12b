//! What the directives of one info say, word by word, with the place of each word. No default is filled in here.

pub use super::texts::{TextPlace, Texts};
use super::words::Qualifier;
use crate::error::SpecError;
use crate::error::spec::{Owner, Said};
use crate::policy::MapBy;

/// A value with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SaidAt<T> {
    /// What was said.
    pub value: T,
    /// Where.
    pub place: TextPlace,
}

/// A map policy as said, with the values that the policy itself does not hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MapChoice {
    /// The policy.
    pub map: MapBy,
    /// The list of `pe-list=`: inclusive ranges in the order given. Empty for other policies.
    pub list: Vec<(u32, u32)>,
    /// The device of `dist:DEVICE`.
    pub device: Option<String>,
}

impl From<MapBy> for MapChoice {
    fn from(map: MapBy) -> Self {
        Self {
            map,
            list: Vec::new(),
            device: None,
        }
    }
}

/// The value of a qualifier.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Argument {
    /// No value: the word alone is enough.
    Nothing,
    /// A number; for a switch, 0 or 1.
    Number(u16),
    /// A path.
    Path(String),
}

/// A qualifier as said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SaidQualifier {
    /// Which.
    pub qualifier: Qualifier,
    /// Its value.
    pub argument: Argument,
    /// Where.
    pub place: TextPlace,
}

impl SaidQualifier {
    /// As people write it.
    fn word(&self) -> String {
        let word = self.qualifier.word();
        match &self.argument {
            Argument::Nothing => word.to_owned(),
            Argument::Number(number) => format!("{word}={number}"),
            Argument::Path(path) => format!("{word}={path}"),
        }
    }
}

/// Two words of one info that cannot stand together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conflict {
    /// The first.
    pub first: (String, TextPlace),
    /// The second.
    pub second: (String, TextPlace),
    /// Why.
    pub why: &'static str,
}

impl Conflict {
    /// The error for the words of an owner. `texts`: the texts that hold the words.
    #[must_use]
    pub(crate) fn on(self, owner: Owner, texts: &Texts) -> SpecError {
        let said = |(word, place): (String, TextPlace)| Said {
            word,
            at: Some(texts.at(place)),
        };
        SpecError::ContradictingQualifiers {
            owner,
            first: said(self.first),
            second: said(self.second),
            why: self.why,
        }
    }
}

pub(crate) const TWO_VALUES: &str = "one thing cannot have two values";

/// Qualifiers that say the opposite of each other, and why both cannot hold.
#[derive(Clone, Copy)]
pub(crate) struct Opposites(Qualifier, Qualifier, &'static str);

/// Whether cpus are hwthreads or cores.
pub(crate) const MODES: Opposites = Opposites(
    Qualifier::HwtCpus,
    Qualifier::CoreCpus,
    "cpus are threads or cores",
);
/// Whether a job takes policies from its parent.
pub(crate) const INHERITANCE: Opposites = Opposites(
    Qualifier::Inherit,
    Qualifier::NoInherit,
    "a job either inherits or does not",
);
/// Whether a node may hold more processes than slots.
pub(crate) const OVERSUBSCRIPTION: Opposites = Opposites(
    Qualifier::Oversubscribe,
    Qualifier::NoOversubscribe,
    "one allows what the other forbids",
);
/// Whether processes may share a cpu.
const OVERLOAD: Opposites = Opposites(
    Qualifier::OverloadAllowed,
    Qualifier::NoOverload,
    "one allows what the other forbids",
);

impl Opposites {
    /// Both words.
    pub(crate) const fn words(self) -> [Qualifier; 2] {
        [self.0, self.1]
    }
    /// The contradiction, if both words were said. `place`: gives the place of a word.
    pub(crate) fn check(self, place: impl Fn(Qualifier) -> Option<TextPlace>) -> Option<Conflict> {
        let said = |word: Qualifier| Some((word.word().to_owned(), place(word)?));
        Some(Conflict {
            first: said(self.0)?,
            second: said(self.1)?,
            why: self.2,
        })
    }
}

/// Whether a directive, an attribute or an unknown key travels with the request.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Scope {
    /// It travels.
    #[default]
    Global,
    /// It stays in the process that set it.
    Local,
}

impl Scope {
    /// The word that requests and listings use.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Local => "local",
        }
    }
}

/// What the mapping, ranking or binding directives of one info say. `P`: the type of the policy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Directive<P> {
    /// The policy.
    pub policy: Option<SaidAt<P>>,
    /// The qualifiers, each once, in the order said.
    pub qualifiers: Vec<SaidQualifier>,
    /// Whether it travels.
    pub scope: Scope,
    /// The first contradiction that was met while reading.
    conflict: Option<Box<Conflict>>,
}

impl<P> Default for Directive<P> {
    fn default() -> Self {
        Self {
            policy: None,
            qualifiers: Vec::new(),
            scope: Scope::Global,
            conflict: None,
        }
    }
}

impl<P> Directive<P> {
    /// Whether anything was said.
    #[must_use]
    pub fn is_said(&self) -> bool {
        self.policy.is_some() || !self.qualifiers.is_empty()
    }
    /// A qualifier, if it was said.
    #[must_use]
    pub fn qualifier(&self, qualifier: Qualifier) -> Option<&SaidQualifier> {
        self.qualifiers
            .iter()
            .find(|said| said.qualifier == qualifier)
    }
    /// The place of a qualifier, if it was said.
    #[must_use]
    pub fn place(&self, qualifier: Qualifier) -> Option<TextPlace> {
        self.qualifier(qualifier).map(|said| said.place)
    }
    /// Adds a qualifier. The first place is kept. A second, different value is a contradiction.
    pub(crate) fn keep(&mut self, said: SaidQualifier) {
        match self.qualifier(said.qualifier) {
            None => self.qualifiers.push(said),
            Some(first) if first.argument == said.argument => {}
            Some(first) => {
                let first = (first.word(), first.place);
                self.contradict(first, (said.word(), said.place), TWO_VALUES);
            }
        }
    }
    /// Keeps the first contradiction.
    pub(crate) fn contradict(
        &mut self,
        first: (String, TextPlace),
        second: (String, TextPlace),
        why: &'static str,
    ) {
        self.conflict
            .get_or_insert_with(|| Box::new(Conflict { first, second, why }));
    }
    /// The first contradiction inside this directive.
    #[must_use]
    pub(crate) fn contradiction(&self) -> Option<Conflict> {
        let opposites = [MODES, OVERSUBSCRIPTION, INHERITANCE, OVERLOAD];
        let met = self.conflict.as_deref().cloned();
        met.or_else(|| {
            opposites
                .into_iter()
                .find_map(|pair| pair.check(|word| self.place(word)))
        })
    }
}

impl Directive<MapChoice> {
    /// Adds a policy. A second, different policy is a contradiction.
    pub(crate) fn keep_policy(&mut self, policy: SaidAt<MapChoice>) {
        match &self.policy {
            None => self.policy = Some(policy),
            Some(first) if first.value == policy.value => {}
            Some(first) => {
                let first = ("one policy".to_owned(), first.place);
                let second = ("another".to_owned(), policy.place);
                self.contradict(first, second, "a mapping has one policy");
            }
        }
    }
}
