//! What infos say, word by word with its places, and what stands against each other inside one info or among several.
//! Not relayed: it serves messages, and the words that an app may not say.

use super::attributes::{Scope, Value};
use super::keys;
use super::request::Unknown;
use crate::error::SpecError;
use crate::error::at::At;
use crate::error::spec::{Owner, Said};
use crate::text::cursor::ranges_text;
use crate::text::mapping::pattern_text;
use crate::text::said::{BindSaid, Conflict, MapSaid, MapValue, RankSaid, TextPlace, Texts};

/// A single value: an attribute given by its own name.
#[derive(Clone, Debug)]
pub(super) struct Single {
    pub(super) key: u16,
    pub(super) value: Value,
    pub(super) place: TextPlace,
    pub(super) scope: Scope,
}

/// What one info says.
#[derive(Clone, Debug, Default)]
pub(super) struct Info {
    pub(super) map: Option<(Box<MapSaid>, Option<Scope>)>,
    pub(super) rank: Option<(RankSaid, Option<Scope>)>,
    pub(super) bind: Option<(Box<BindSaid>, Option<Scope>)>,
    pub(super) singles: Vec<Single>,
    pub(super) unknown: Vec<Unknown>,
}

/// What was said, word by word with its places: not relayed, it serves messages, and the words that an app may not say.
#[derive(Clone, Debug, Default)]
pub struct Spoken {
    pub(super) texts: Texts,
    pub(super) job: Info,
    /// Ascending by app.
    pub(super) apps: Vec<(u32, Info)>,
}

impl Info {
    /// The first contradiction inside this info.
    pub(super) fn contradiction(&mut self, owner: Owner) -> Option<Conflict> {
        let modes = [
            (keys::APP_HWT_CPUS, keys::JOB_HWT_CPUS),
            (keys::APP_CORE_CPUS, keys::JOB_CORE_CPUS),
        ]
        .map(|(app, job)| self.single(app, job).map(|single| single.place));
        let opposites = MapSaid {
            hwtcpus: modes[0].or(self.map.as_ref().and_then(|(said, _)| said.hwtcpus)),
            corecpus: modes[1].or(self.map.as_ref().and_then(|(said, _)| said.corecpus)),
            ..MapSaid::default()
        };
        if let Some((said, _)) = &mut self.map {
            said.judge_opposites();
            if let Some(conflict) = &said.conflict {
                return Some(conflict.clone());
            }
        }
        if let Some((said, _)) = &mut self.bind {
            said.judge_opposites();
            if let Some(conflict) = &said.conflict {
                return Some(conflict.clone());
            }
        }
        let mut opposites = opposites;
        opposites.judge_opposites();
        if opposites.conflict.is_some() {
            return opposites.conflict;
        }
        self.two_values(owner)
            .or_else(|| self.both_inheritances(owner))
    }

    fn single(&self, app_key: u16, job_key: u16) -> Option<&Single> {
        self.singles
            .iter()
            .find(|single| single.key == app_key || single.key == job_key)
    }

    /// One thing said by a directive and by its own name, with two values.
    fn two_values(&self, owner: Owner) -> Option<Conflict> {
        let map = self.map.as_ref().map(|(said, _)| said);
        let mut said: Vec<((u16, u16), Value, TextPlace)> = Vec::new();
        if let Some(map) = map {
            if let Some(file) = &map.file {
                said.push((
                    (keys::APP_MAP_FILE, keys::JOB_FILE),
                    Value::String(file.value.clone()),
                    file.place,
                ));
            }
            match map
                .policy
                .as_ref()
                .map(|policy| (&policy.value.value, policy.place))
            {
                Some((MapValue::List(ranges), place)) => {
                    said.push((
                        (keys::APP_CPUSET, keys::JOB_CPUSET),
                        Value::String(ranges_text(ranges)),
                        place,
                    ));
                }
                Some((MapValue::Device(device), place)) => {
                    let keys = (keys::APP_DIST_DEVICE, keys::JOB_DIST_DEVICE);
                    said.push((keys, Value::String(device.clone()), place));
                }
                // On an app, these are superseded, whatever they say.
                Some((MapValue::Pattern { per, on }, place)) if owner == Owner::Job => {
                    said.push((
                        (keys::JOB_PPR, keys::JOB_PPR),
                        Value::String(pattern_text(*per, *on)),
                        place,
                    ));
                }
                Some(_) | None => {}
            }
            if let Some(pe) = map.pe.as_ref().filter(|_| owner == Owner::Job) {
                let keys = (keys::JOB_PES_PER_PROC, keys::JOB_PES_PER_PROC);
                said.push((keys, Value::Uint16(pe.value), pe.place));
            }
        }
        if let Some(limit) = self.bind.as_ref().and_then(|(said, _)| said.limit.as_ref()) {
            let keys = (keys::APP_BINDING_LIMIT, keys::JOB_BINDING_LIMIT);
            said.push((keys, Value::Uint16(limit.value), limit.place));
        }
        said.into_iter().find_map(|((app, job), value, place)| {
            let single = self
                .single(app, job)
                .filter(|single| single.value != value)?;
            Some(Conflict {
                first: ("the directive".to_owned(), place),
                second: (super::attributes::key_name(single.key), single.place),
                why: "one thing cannot have two values",
            })
        })
    }

    /// The job says both INHERIT and NOINHERIT itself; what apps ask is judged when it is promoted.
    fn both_inheritances(&self, owner: Owner) -> Option<Conflict> {
        let map = self.map.as_ref().map(|(said, _)| said);
        let by_key = |key| self.single(key, key).map(|single| single.place);
        let inherit = by_key(keys::JOB_INHERIT).or(map.and_then(|said| said.inherit))?;
        let noinherit = by_key(keys::JOB_NOINHERIT).or(map.and_then(|said| said.noinherit))?;
        (owner == Owner::Job).then(|| Conflict {
            first: ("inherit".to_owned(), inherit),
            second: ("noinherit".to_owned(), noinherit),
            why: "a job either inherits or does not",
        })
    }
}

impl Spoken {
    pub(super) fn infos(&self) -> impl Iterator<Item = (Owner, &Info)> {
        std::iter::once((Owner::Job, &self.job))
            .chain(self.apps.iter().map(|(app, info)| (Owner::App(*app), info)))
    }
    fn info(&self, owner: Owner) -> Option<&Info> {
        let Owner::App(app) = owner else {
            return Some(&self.job);
        };
        let row = self
            .apps
            .binary_search_by_key(&app, |(other, _)| *other)
            .ok()?;
        Some(&self.apps[row].1)
    }
    /// What an owner's mapping directives say.
    #[must_use]
    pub fn map(&self, owner: Owner) -> Option<&MapSaid> {
        self.info(owner)?
            .map
            .as_ref()
            .map(|(said, _)| said.as_ref())
    }
    /// What an owner's binding directives say.
    #[must_use]
    pub fn bind(&self, owner: Owner) -> Option<&BindSaid> {
        self.info(owner)?
            .bind
            .as_ref()
            .map(|(said, _)| said.as_ref())
    }
    /// What an owner's ranking directives say.
    #[must_use]
    pub fn rank(&self, owner: Owner) -> Option<&RankSaid> {
        self.info(owner)?.rank.as_ref().map(|(said, _)| said)
    }
    /// A place with its text.
    #[must_use]
    pub fn at(&self, place: TextPlace) -> Option<At> {
        self.texts.at(place)
    }
    /// Whether any mapping directive names a policy.
    #[must_use]
    pub fn names_a_map(&self) -> Option<(Owner, Said)> {
        self.infos().find_map(|(owner, info)| {
            let policy = info.map.as_ref()?.0.policy.as_ref()?;
            let word = policy.value.kind.word().to_owned();
            Some((
                owner,
                Said {
                    word,
                    at: self.at(policy.place),
                },
            ))
        })
    }

    /// Opposite words of the job in the strings of two infos.
    ///
    /// # Errors
    /// `contradicting-qualifiers`.
    pub fn judge_opposites(&self) -> Result<(), SpecError> {
        type Pick = fn(&MapSaid) -> Option<TextPlace>;
        let pairs: [(&str, Pick, &str, Pick); 2] = [
            (
                "oversubscribe",
                |said| said.oversubscribe,
                "nooversubscribe",
                |said| said.nooversubscribe,
            ),
            (
                "inherit",
                |said| said.inherit,
                "noinherit",
                |said| said.noinherit,
            ),
        ];
        for (one, pick_one, other, pick_other) in pairs {
            let first = |pick: Pick| {
                self.infos()
                    .find_map(|(owner, info)| Some((owner, pick(&info.map.as_ref()?.0)?)))
            };
            if let (Some((owner_one, place_one)), Some((owner_other, place_other))) =
                (first(pick_one), first(pick_other))
            {
                let said = |word: &str, place| Said {
                    word: word.to_owned(),
                    at: self.at(place),
                };
                return Err(SpecError::ContradictingQualifiers {
                    owner: owner_one.max(owner_other),
                    first: said(one, place_one),
                    second: said(other, place_other),
                    why: "a job has one answer",
                });
            }
        }
        Ok(())
    }

    /// The job's words in an app's own directives.
    ///
    /// # Errors
    /// `app-forbidden-qualifier` for the first.
    pub fn judge_forbidden(&self) -> Result<(), SpecError> {
        for (owner, info) in self.infos() {
            let Owner::App(app) = owner else { continue };
            let mut words = info
                .map
                .as_ref()
                .map(|(said, _)| said.forbidden())
                .unwrap_or_default();
            words.extend(
                info.bind
                    .as_ref()
                    .and_then(|(said, _)| said.report)
                    .map(|place| ("report", place)),
            );
            if let Some((word, place)) = words.first() {
                let word = Said {
                    word: (*word).to_owned(),
                    at: self.at(*place),
                };
                return Err(SpecError::AppForbiddenQualifier { app, word });
            }
        }
        Ok(())
    }
}
