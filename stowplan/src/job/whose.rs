//! Which policy, and whose.

use stowplan_engine::error::spec::Owner;
use stowplan_engine::spawn::intake::DirectiveForm;
use stowplan_engine::text::mapping::MapForm;

/// The owner of a policy.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Whose {
    /// The job's.
    Job,
    /// An app's own.
    App(u32),
}

/// Which policy.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// `--map-by`.
    Map,
    /// `--rank-by`.
    Rank,
    /// `--bind-to`.
    Bind,
}

impl Whose {
    pub(crate) const fn owner(self) -> Owner {
        match self {
            Self::Job => Owner::Job,
            Self::App(app) => Owner::App(app),
        }
    }
    pub(crate) const fn app(self) -> Option<u32> {
        match self {
            Self::Job => None,
            Self::App(app) => Some(app),
        }
    }
}

impl Kind {
    pub(crate) const fn option(self) -> &'static str {
        match self {
            Self::Map => "--map-by",
            Self::Rank => "--rank-by",
            Self::Bind => "--bind-to",
        }
    }
    pub(crate) const fn form(self) -> DirectiveForm {
        match self {
            Self::Map => DirectiveForm::Map(MapForm::Whole),
            Self::Rank => DirectiveForm::Rank,
            Self::Bind => DirectiveForm::Bind,
        }
    }
}
