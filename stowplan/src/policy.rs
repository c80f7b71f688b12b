//! Policies, as typed choices or as text.

use crate::Error;
use crate::job::draft::{Kind, Said};
use std::fmt;
use std::marker::PhantomData;
use std::ops::RangeInclusive;
use std::str::FromStr;
use stowplan_engine::policy::{self, PprObject};
use stowplan_engine::text::said::MapChoice;

pub use stowplan_engine::policy::ObjKind;

/// A policy as it is given to a job or an app: a choice such as [`MapBy::Node`], or text, which may carry qualifiers.
///
/// ```
/// use stowplan::{Choice as _, MapBy, ObjKind, Policy};
/// let typed: Policy<MapBy> = MapBy::Object(ObjKind::Core).into();
/// let text: Policy<MapBy> = "core".into();
/// assert_eq!(typed, text);
/// let more: Policy<MapBy> = "core:pe=2:span".into();
/// assert_eq!(MapBy::Object(ObjKind::Core).with("pe=2:span"), more);
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Policy<C> {
    text: String,
    of: PhantomData<fn() -> C>,
}

/// The choice that a policy makes: how to map, how to rank, or what to bind to.
///
/// ```
/// use stowplan::{BindTo, Choice};
/// assert_eq!(BindTo::OPTION, "--bind-to");
/// ```
pub trait Choice: fmt::Display + sealed::Sealed {
    /// The option of the command line that sets it.
    /// ```
    /// # use stowplan::{Choice, MapBy};
    /// assert_eq!(MapBy::OPTION, "--map-by");
    /// ```
    const OPTION: &'static str;

    /// The choice, followed by qualifiers.
    /// ```
    /// # use stowplan::{BindTo, Choice as _, ObjKind};
    /// let policy = BindTo::Object(ObjKind::Core).with("if-supported");
    /// assert_eq!(policy.to_string(), "core:if-supported");
    /// ```
    #[must_use]
    fn with(&self, qualifiers: &str) -> Policy<Self>
    where
        Self: Sized,
    {
        format!("{self}:{qualifiers}").into()
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::MapBy {}
    impl Sealed for super::RankBy {}
    impl Sealed for super::BindTo {}
}

impl<C> Policy<C> {
    /// The text of the policy.
    /// ```
    /// # use stowplan::{MapBy, Policy};
    /// assert_eq!(Policy::<MapBy>::from("numa:span").as_str(), "numa:span");
    /// ```
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl<C> fmt::Display for Policy<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl<C> From<String> for Policy<C> {
    fn from(text: String) -> Self {
        Self {
            text,
            of: PhantomData,
        }
    }
}

impl<C> From<&String> for Policy<C> {
    fn from(text: &String) -> Self {
        text.clone().into()
    }
}

impl<C> From<&str> for Policy<C> {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl<C: Choice> From<C> for Policy<C> {
    fn from(choice: C) -> Self {
        choice.to_string().into()
    }
}

/// Where the processes of an app go.
///
/// ```
/// use stowplan::{MapBy, ObjKind};
/// assert_eq!("core".parse::<MapBy>()?, MapBy::Object(ObjKind::Core));
/// assert_eq!("ppr:2:node".parse::<MapBy>()?, MapBy::PerNode(2));
/// assert_eq!(MapBy::PerObject(4, ObjKind::Numa).to_string(), "ppr:4:numa");
/// assert_eq!("croe".parse::<MapBy>().unwrap_err().class(), "bad-directive");
/// # Ok::<(), stowplan::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum MapBy {
    /// Fill each node's slots before the next node.
    Slot,
    /// One process on each node in turn.
    Node,
    /// Processes dealt over NUMA nodes, then over the objects inside, with threads and GPUs: the rule of LLNL's mpibind.
    Mpibind,
    /// One process on each object of a kind in turn.
    Object(ObjKind),
    /// This many processes on each node.
    PerNode(u32),
    /// This many processes on each object of a kind.
    PerObject(u32, ObjKind),
    /// These cpus, in this order.
    PeList(Vec<RangeInclusive<u32>>),
    /// One process for each line of a file: the app's hostfile, or the file of `file=NAME`.
    Seq,
    /// Each process where a rankfile says. Needs `file=NAME`.
    Rankfile,
    /// By NUMA node, starting with the NUMA nodes nearest to a device.
    Dist(Option<String>),
}

/// In which order processes get their ranks.
///
/// ```
/// use stowplan::RankBy;
/// assert_eq!("fill".parse::<RankBy>()?, RankBy::Fill);
/// # Ok::<(), stowplan::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum RankBy {
    /// Node by node.
    Slot,
    /// One process on each node in turn.
    Node,
    /// Node by node, object by object.
    Fill,
    /// One process on each object of all nodes in turn.
    Span,
}

/// What processes are bound to.
///
/// ```
/// use stowplan::{BindTo, ObjKind};
/// assert_eq!("package".parse::<BindTo>()?, BindTo::Object(ObjKind::Package));
/// assert_eq!(BindTo::None.to_string(), "none");
/// # Ok::<(), stowplan::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum BindTo {
    /// Nothing.
    None,
    /// An object of a kind.
    Object(ObjKind),
}

impl Choice for MapBy {
    const OPTION: &'static str = "--map-by";
}
impl Choice for RankBy {
    const OPTION: &'static str = "--rank-by";
}
impl Choice for BindTo {
    const OPTION: &'static str = "--bind-to";
}

impl fmt::Display for MapBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Slot => f.write_str("slot"),
            Self::Node => f.write_str("node"),
            Self::Object(kind) => f.write_str(kind.word()),
            Self::PerNode(per) => write!(f, "ppr:{per}:node"),
            Self::PerObject(per, kind) => write!(f, "ppr:{per}:{}", kind.word()),
            Self::Seq => f.write_str("seq"),
            Self::Rankfile => f.write_str("rankfile"),
            Self::Mpibind => f.write_str("mpibind"),
            Self::Dist(None) => f.write_str("dist"),
            Self::Dist(Some(device)) => write!(f, "dist:{device}"),
            Self::PeList(ranges) => {
                let mut lead = "pe-list=";
                for range in ranges {
                    write!(f, "{lead}{}", range.start())?;
                    if range.end() != range.start() {
                        write!(f, "-{}", range.end())?;
                    }
                    lead = ",";
                }
                Ok(())
            }
        }
    }
}

impl fmt::Display for RankBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Slot => "slot",
            Self::Node => "node",
            Self::Fill => "fill",
            Self::Span => "span",
        })
    }
}

impl fmt::Display for BindTo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "none",
            Self::Object(kind) => kind.word(),
        })
    }
}

/// Reads the choice from a text without qualifiers. A text with qualifiers belongs in a [`Policy`].
fn said(kind: Kind, text: &str) -> Result<Said, Error> {
    let said = crate::job::draft::read_policy(kind, text)?;
    if said.qualified {
        let sentence =
            format!("{text:?}: qualifiers are no part of the choice; give the text itself");
        return Err(Error::told("bad-qualifier", &sentence));
    }
    Ok(said)
}

fn nothing(text: &str) -> Error {
    let sentence = format!("{text:?} names no policy");
    Error::told("bad-directive", &sentence)
}

impl FromStr for MapBy {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let said = said(Kind::Map, text)?.map.ok_or_else(|| nothing(text))?;
        let MapChoice { map, list, device } = said;
        Ok(match map {
            policy::MapBy::Slot => Self::Slot,
            policy::MapBy::Node => Self::Node,
            policy::MapBy::Object(kind) => Self::Object(kind),
            policy::MapBy::Ppr { per, on } => match on {
                PprObject::Node => Self::PerNode(per),
                PprObject::Kind(kind) => Self::PerObject(per, kind),
                PprObject::Devices(_) => {
                    let sentence = format!("{text:?}: devices go with the text into a Policy");
                    return Err(Error::told("bad-qualifier", &sentence));
                }
            },
            policy::MapBy::PeList => {
                let ranges = list.into_iter().map(|(first, last)| first..=last);
                Self::PeList(ranges.collect())
            }
            policy::MapBy::Seq => Self::Seq,
            policy::MapBy::Rankfile => Self::Rankfile,
            policy::MapBy::Dist => Self::Dist(device),
            policy::MapBy::Device(_) => {
                let sentence = format!("{text:?}: devices go with the text into a Policy");
                return Err(Error::told("bad-qualifier", &sentence));
            }
            policy::MapBy::MPIBIND => Self::Mpibind,
            policy::MapBy::Mpibind(_) => {
                let sentence =
                    format!("{text:?} has options, which go with the text into a Policy");
                return Err(Error::told("bad-qualifier", &sentence));
            }
            policy::MapBy::Lsf | policy::MapBy::Given => return Err(nothing(text)),
        })
    }
}

impl FromStr for RankBy {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match said(Kind::Rank, text)?.rank.ok_or_else(|| nothing(text))? {
            policy::RankBy::Slot => Ok(Self::Slot),
            policy::RankBy::Node => Ok(Self::Node),
            policy::RankBy::Fill => Ok(Self::Fill),
            policy::RankBy::Span => Ok(Self::Span),
            policy::RankBy::Listed => Err(nothing(text)),
        }
    }
}

impl FromStr for BindTo {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match said(Kind::Bind, text)?.bind.ok_or_else(|| nothing(text))? {
            policy::BindTo::Nothing => Ok(Self::None),
            policy::BindTo::Object(kind) => Ok(Self::Object(kind)),
            policy::BindTo::BySize => Err(nothing(text)),
        }
    }
}
