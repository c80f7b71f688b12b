//! What all infos say, word by word with places, and contradictions between infos. It is not relayed: it serves
//! messages, and the check for words that an app may not use.

use super::info::Info;
use crate::error::SpecError;
use crate::error::at::At;
use crate::error::spec::{Owner, Said};
use crate::policy::{BindTo, RankBy};
use crate::text::said::{Directive, INHERITANCE, MapChoice, OVERSUBSCRIPTION, TextPlace, Texts};
use crate::text::words::Qualifier;
use std::collections::BTreeMap;

/// What was said, word by word with places. It is not relayed: it serves messages, and the check for words that an app
/// may not use.
#[derive(Clone, Debug, Default)]
pub struct Spoken {
    pub(super) texts: Texts,
    pub(super) infos: BTreeMap<Owner, Info>,
}

impl Spoken {
    /// What an owner's mapping directives say.
    #[must_use]
    pub fn map(&self, owner: Owner) -> Option<&Directive<MapChoice>> {
        self.infos.get(&owner).map(|info| &info.map)
    }
    /// What an owner's ranking directives say.
    #[must_use]
    pub fn rank(&self, owner: Owner) -> Option<&Directive<RankBy>> {
        self.infos.get(&owner).map(|info| &info.rank)
    }
    /// What an owner's binding directives say.
    #[must_use]
    pub fn bind(&self, owner: Owner) -> Option<&Directive<BindTo>> {
        self.infos.get(&owner).map(|info| &info.bind)
    }
    /// The place of a qualifier in an owner's directives.
    pub(crate) fn place(&self, owner: Owner, qualifier: Qualifier) -> Option<At> {
        let place = self.infos.get(&owner)?.place(qualifier)?;
        Some(self.at(place))
    }
    /// A place with its text.
    #[must_use]
    pub fn at(&self, place: TextPlace) -> At {
        self.texts.at(place)
    }
    /// A qualifier with its place.
    fn said(&self, qualifier: Qualifier, place: TextPlace) -> Said {
        Said {
            word: qualifier.word().to_owned(),
            at: Some(self.at(place)),
        }
    }
    /// The first mapping directive that names a policy, with its owner.
    #[must_use]
    pub fn names_a_map(&self) -> Option<(Owner, Said)> {
        self.infos.iter().find_map(|(owner, info)| {
            let policy = info.map.policy.as_ref()?;
            let said = Said {
                word: policy.value.map.word().to_owned(),
                at: Some(self.at(policy.place)),
            };
            Some((*owner, said))
        })
    }

    /// Refuses opposite words of the job in the directives of two infos.
    ///
    /// # Errors
    /// `contradicting-qualifiers`.
    pub fn check_opposites(&self) -> Result<(), SpecError> {
        for pair in [OVERSUBSCRIPTION, INHERITANCE] {
            let first = |word| {
                let mut infos = self.infos.iter();
                infos.find_map(|(owner, info)| Some((*owner, self.said(word, info.place(word)?))))
            };
            let [one, other] = pair.words().map(first);
            if let (Some((owner, first)), Some((other, second))) = (one, other) {
                return Err(SpecError::ContradictingQualifiers {
                    owner: owner.max(other),
                    first,
                    second,
                    why: "a job has one answer",
                });
            }
        }
        Ok(())
    }

    /// Refuses words that only the job may use in an app's own directives.
    ///
    /// # Errors
    /// `app-forbidden-qualifier` for the first such word.
    pub fn check_forbidden(&self) -> Result<(), SpecError> {
        for (owner, info) in &self.infos {
            if let (Owner::App(app), Some((word, place))) = (*owner, info.job_only()) {
                let word = self.said(word, place);
                return Err(SpecError::AppForbiddenQualifier { app, word });
            }
        }
        Ok(())
    }
}
