//! Words that are valid alone and wrong together, checked on each app's options. Source: `semantics` 2.4, 2.5.

use super::dedupe::AppOptions;
use super::options::{DecidedBy, Options, target_mode};
use crate::error::at::{At, AtText};
use crate::error::spec::{Owner, Said, WordFault};
use crate::error::{MapError, SpecError};
use crate::id::Id as _;
use crate::limit::RANKS_MAX;
use crate::policy::{BindTo, MapBy, ObjKind, RankBy};
use crate::spawn::Spoken;
use crate::spawn::policy::Flags;
use crate::spawn::request::SpawnRequest;
use crate::table::topologies::Topologies;
use crate::text::mapping::pattern_text;
use crate::text::said::Directive;
use crate::text::words::Qualifier;

/// Map by hwthread with bind to core. If there are cores, the target is above the map; if there are none, core means hwthread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ByCores {
    /// The refusal if any topology of the job has cores.
    pub with_cores: SpecError,
    /// The refusal if none has cores and there is another reason to refuse.
    pub without_cores: Option<SpecError>,
}

impl ByCores {
    /// # Errors
    /// The refusal that holds for these topologies.
    pub(crate) fn check(&self, topologies: &Topologies) -> Result<(), MapError> {
        let has_cores = |topology| topologies.count(topology, ObjKind::Core) > 0;
        let refusal = if topologies.ids().any(has_cores) {
            Some(&self.with_cores)
        } else {
            self.without_cores.as_ref()
        };
        refusal.map_or(Ok(()), |error| Err(error.clone().into()))
    }
}

/// The options of one app, to be checked.
pub(crate) struct JudgedOptions<'a> {
    /// The app.
    pub(crate) app: u32,
    /// Its options.
    pub(crate) options: &'a Options,
    /// The words, for messages.
    pub(crate) spoken: &'a Spoken,
}

impl JudgedOptions<'_> {
    fn owner(&self, by: DecidedBy) -> Owner {
        match by {
            DecidedBy::Job => Owner::Job,
            DecidedBy::App => Owner::App(self.app),
        }
    }
    pub(super) fn map_owner(&self) -> Owner {
        if self.options.own_map {
            Owner::App(self.app)
        } else {
            Owner::Job
        }
    }
    fn policy_at<P>(&self, said: Option<&Directive<P>>) -> Option<At> {
        let policy = said?.policy.as_ref()?;
        Some(self.spoken.at(policy.place))
    }
    fn map_word(&self) -> String {
        let map = self.options.map();
        if let MapBy::Ppr { per, on } = map {
            format!("ppr:{}", pattern_text(per, on))
        } else {
            map.word().to_owned()
        }
    }
    /// The policy in force, and where it was said.
    pub(super) fn said_map(&self) -> Said {
        let at = |owner| self.policy_at(self.spoken.map(owner));
        Said {
            word: self.map_word(),
            at: at(self.map_owner()).or_else(|| at(Owner::Job)),
        }
    }
    pub(super) fn said_bind(&self, bind: BindTo, by: DecidedBy) -> Said {
        Said {
            word: format!("bind to {}", bind.word()),
            at: self.policy_at(self.spoken.bind(self.owner(by))),
        }
    }
    /// The PE in force, and where it was said.
    fn said_pe(&self) -> Option<Said> {
        let pe = self.options.pe?;
        Some(Said {
            word: format!("pe={}", pe.cpus),
            at: self.spoken.place(self.owner(pe.by), Qualifier::Pe),
        })
    }
    pub(super) fn contradiction<T>(
        &self,
        first: Said,
        second: Said,
        why: &'static str,
    ) -> Result<T, SpecError> {
        Err(SpecError::ContradictingQualifiers {
            owner: Owner::App(self.app),
            first,
            second,
            why,
        })
    }

    /// # Errors
    /// `contradicting-qualifiers`.
    fn check_contradictions(&self) -> Result<(), SpecError> {
        let options = self.options;
        let map = options.map();
        if map == MapBy::Lsf {
            return Ok(());
        }
        self.check_gpus()?;
        if let MapBy::Mpibind(_) = map {
            return self.check_mpibind();
        }
        if options.flags.has(Flags::SPAN)
            && !matches!(map, MapBy::Object(_) | MapBy::Dist | MapBy::Device(_))
        {
            let span = Said {
                word: "span".to_owned(),
                at: self.spoken.place(self.map_owner(), Qualifier::Span),
            };
            let why = "span goes round the objects of all nodes, this map has none";
            return self.contradiction(span, self.said_map(), why);
        }
        let listed = matches!(map, MapBy::Rankfile | MapBy::PeList);
        if let Some(pe) = self.said_pe().filter(|_| listed) {
            return self.contradiction(pe, self.said_map(), "the cpus are listed already");
        }
        if map == MapBy::Rankfile && options.file.is_none() {
            let file = Said {
                word: "no file=PATH".to_owned(),
                at: None,
            };
            return self.contradiction(self.said_map(), file, "a rankfile must be named");
        }
        let Some((bind, by)) = options
            .bind_said
            .filter(|(bind, _)| target_mode(*bind).is_none())
        else {
            return Ok(());
        };
        let list = (map == MapBy::PeList).then(|| self.said_map());
        let why = "cpus of their own bind processes to cores or hwthreads";
        match self.said_pe().or(list) {
            Some(cpus) => self.contradiction(cpus, self.said_bind(bind, by), why),
            None => Ok(()),
        }
    }

    /// # Errors
    /// `bind-above-map`: the job's target is above the job's map. An app's own target may be any object.
    fn check_heights(&self) -> Result<(), SpecError> {
        let options = self.options;
        let Some((BindTo::Object(bind), DecidedBy::Job)) = options.bind_said else {
            return Ok(());
        };
        match options.map().object_kind() {
            // Targets for a device are looked for inside the cpus near it.
            Some(map) if map.is_device() => Ok(()),
            Some(map) if !options.own_map && bind.height() < map.height() => {
                Err(SpecError::BindAboveMap {
                    app: self.app,
                    map: map.word(),
                    bind: bind.word(),
                    at: self.policy_at(self.spoken.bind(Owner::Job)),
                })
            }
            Some(_) | None => Ok(()),
        }
    }

    /// # Errors
    /// `rank-needs-object`: fill or span with a map that has no objects.
    fn check_ranking(&self) -> Result<(), SpecError> {
        let map = self.options.map();
        match self.options.rank_said {
            Some((rank @ (RankBy::Fill | RankBy::Span), by))
                if !map.is_listed() && map.object_kind().is_none() =>
            {
                Err(SpecError::RankNeedsObject {
                    app: self.app,
                    rank: rank.word(),
                    map: self.map_word(),
                    at: self.policy_at(self.spoken.rank(self.owner(by))),
                })
            }
            Some(_) | None => Ok(()),
        }
    }

    /// # Errors
    /// `pe-exceeds-object`, if the words alone decide it.
    fn check_pe(&self) -> Result<(), SpecError> {
        let options = self.options;
        let pe = options.pe.filter(|pe| pe.cpus > 1);
        match (pe, options.map().object_kind()) {
            (Some(pe), Some(kind)) if options.one_cpu_objects() => {
                Err(SpecError::PeExceedsObject {
                    app: self.app,
                    pe: pe.cpus,
                    kind: kind.word(),
                    cpus: 1,
                    at: self.said_pe().and_then(|said| said.at),
                })
            }
            (_, _) => Ok(()),
        }
    }
}

/// Checks the options of all apps, class by class and within a class app by app. Equal options are checked for the first app
/// that has them. `promoted`: the result of checking the job's words.
///
/// # Errors
/// The first combination that is refused. A refusal that depends on whether there are cores is returned as `Ok`.
pub(crate) fn check_rows(
    request: &SpawnRequest,
    options: &AppOptions,
    spoken: &Spoken,
    promoted: Result<(), SpecError>,
) -> Result<Option<ByCores>, SpecError> {
    let rows = || {
        options.distinct().map(|(app, options)| JudgedOptions {
            app: app.number(),
            options,
            spoken,
        })
    };
    rows().try_for_each(|row| row.check_contradictions())?;
    promoted?;
    let mut above = None;
    for row in rows() {
        match row.check_heights() {
            Err(
                error @ SpecError::BindAboveMap {
                    map: "hwthread",
                    bind: "core",
                    ..
                },
            ) => {
                _ = above.get_or_insert(error);
            }
            judged => judged?,
        }
    }
    let later = rows()
        .try_for_each(|row| row.check_ranking())
        .and_then(|()| rows().try_for_each(|row| row.check_pe()))
        .and_then(|()| check_size(request));
    let Some(with_cores) = above else {
        return later.map(|()| None);
    };
    Ok(Some(ByCores {
        with_cores,
        without_cores: later.err(),
    }))
}

/// # Errors
/// `bad-directive`: dist without a device.
pub(crate) fn check_devices(options: &AppOptions) -> Result<(), SpecError> {
    let lacks = |options: &Options| options.map_word == MapBy::Dist && options.device.is_none();
    let Some((app, _)) = options.distinct().find(|(_, options)| lacks(options)) else {
        return Ok(());
    };
    let text = AtText::Value {
        app: Some(app.number()),
        option: "map-by".to_owned(),
        value: "dist".to_owned(),
    };
    Err(SpecError::BadDirective {
        at: At {
            text,
            start: 0,
            end: 4,
        },
        word: "dist".to_owned(),
        fault: WordFault::MissingValue {
            form: "dist:DEVICE",
        },
    })
}

/// # Errors
/// `job-too-large` if the given process counts add up to more than the most ranks.
fn check_size(request: &SpawnRequest) -> Result<(), SpecError> {
    let counts = request.apps().iter().filter_map(|(_, row)| row.np());
    let asked: u64 = counts.map(|np| u64::from(np.0)).sum();
    if asked > u64::from(RANKS_MAX) {
        return Err(SpecError::JobTooLarge {
            what: "processes",
            asked,
            limit: u64::from(RANKS_MAX),
        });
    }
    Ok(())
}
