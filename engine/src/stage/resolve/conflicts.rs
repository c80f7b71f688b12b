//! Words that are right alone and wrong together, judged on each app's options. Source: `semantics` 2.4, 2.5.

use super::dedupe::AppOptions;
use super::options::{DecidedBy, Options, mapped_kind};
use crate::error::at::At;
use crate::error::spec::WordFault;
use crate::error::spec::{Owner, Said};
use crate::error::{MapError, SpecError};
use crate::id::Id as _;
use crate::limit::RANKS_MAX;
use crate::policy::MapKind;
use crate::policy::ObjKind;
use crate::spawn::intake::Spoken;
use crate::spawn::policy::Flags;
use crate::spawn::request::{AppRow, SpawnRequest};
use crate::table::topologies::Topologies;
use crate::text::said::TextPlace;
use crate::text::words::{BindWord, RankWord};

/// Map by hwthread and bind to core: above the map where there are cores; where there are none, core means hwthread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ByCores {
    /// The refusal when a topology of the job has cores.
    pub with_cores: SpecError,
    /// The refusal when none has, if there is another reason.
    pub without_cores: Option<SpecError>,
}

impl ByCores {
    /// # Errors
    /// The refusal that these topologies decide.
    pub(crate) fn judge(&self, topologies: &Topologies) -> Result<(), MapError> {
        let has_cores = |topology| topologies.count(topology, ObjKind::Core) > 0;
        let refusal = if topologies.ids().any(has_cores) {
            Some(&self.with_cores)
        } else {
            self.without_cores.as_ref()
        };
        refusal.map_or(Ok(()), |error| Err(error.clone().into()))
    }
}

/// One app's options, to be judged.
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
    pub(super) fn at(&self, place: Option<TextPlace>) -> Option<At> {
        place.and_then(|place| self.spoken.at(place))
    }
    fn map_word(&self) -> String {
        match (self.options.kind, self.options.pattern) {
            (MapKind::Ppr, Some((per, on))) => {
                format!("ppr:{}", crate::text::mapping::pattern_text(per, on))
            }
            (kind, _) => kind.word().to_owned(),
        }
    }
    /// The policy in force, where it was said.
    pub(super) fn said_map(&self) -> Said {
        let policy = |owner| {
            self.spoken
                .map(owner)
                .and_then(|said| said.policy.as_ref())
                .map(|said| said.place)
        };
        Said {
            word: self.map_word(),
            at: self.at(policy(self.map_owner()).or_else(|| policy(Owner::Job))),
        }
    }
    pub(super) fn said_bind(&self, word: BindWord, by: DecidedBy) -> Said {
        let owner = self.owner(by);
        let place = self
            .spoken
            .bind(owner)
            .and_then(|said| said.policy.as_ref())
            .map(|said| said.place);
        Said {
            word: format!("bind to {}", word.word()),
            at: self.at(place),
        }
    }
    fn pe_place(&self) -> Option<At> {
        let owner = self.options.pe.map(|pe| self.owner(pe.by))?;
        self.at(self
            .spoken
            .map(owner)
            .and_then(|said| said.pe.as_ref())
            .map(|said| said.place))
    }

    /// # Errors
    /// `contradicting-qualifiers`.
    pub(crate) fn judge_contradictions(&self) -> Result<(), SpecError> {
        let options = self.options;
        let fail = |first: Said, second: Said, why| {
            Err(SpecError::ContradictingQualifiers {
                owner: Owner::App(self.app),
                first,
                second,
                why,
            })
        };
        if options.lsf {
            return Ok(());
        }
        self.judge_gpus()?;
        if options.kind == MapKind::Mpibind {
            return self.judge_mpibind();
        }
        let objects = matches!(options.kind, MapKind::Object(_) | MapKind::Dist);
        if options.flags.has(Flags::SPAN) && !objects {
            let place = self.spoken.map(self.map_owner()).and_then(|said| said.span);
            let span = Said {
                word: "span".to_owned(),
                at: self.at(place),
            };
            return fail(
                span,
                self.said_map(),
                "span goes round the objects of all nodes, this map has none",
            );
        }
        let listed = matches!(options.kind, MapKind::Rankfile | MapKind::PeList);
        if let Some(pe) = options.pe.filter(|_| listed) {
            let said = Said {
                word: format!("pe={}", pe.cpus),
                at: self.pe_place(),
            };
            return fail(said, self.said_map(), "the cpus are listed already");
        }
        if options.kind == MapKind::Rankfile && options.file.is_none() {
            let file = Said {
                word: "no file=PATH".to_owned(),
                at: None,
            };
            return fail(self.said_map(), file, "a rankfile must be named");
        }
        let cpus = |word| matches!(word, BindWord::Object(ObjKind::Core | ObjKind::Hwthread));
        if let Some((word, by)) = options.bind_said.filter(|(word, _)| !cpus(*word)) {
            let why = "cpus of their own bind processes to cores or hwthreads";
            if let Some(pe) = options.pe {
                let said = Said {
                    word: format!("pe={}", pe.cpus),
                    at: self.pe_place(),
                };
                return fail(said, self.said_bind(word, by), why);
            }
            if options.kind == MapKind::PeList {
                return fail(self.said_map(), self.said_bind(word, by), why);
            }
        }
        Ok(())
    }

    /// # Errors
    /// `bind-above-map`: the job's target above the job's map. An app's own target may be any.
    pub(crate) fn judge_heights(&self) -> Result<(), SpecError> {
        let options = self.options;
        let Some((BindWord::Object(bind), DecidedBy::Job)) = options.bind_said else {
            return Ok(());
        };
        let map =
            mapped_kind(options.kind, options.pattern.map(|(_, on)| on)).filter(|_| !options.lsf);
        match map {
            // What is above a GPU's cpus is looked for inside them.
            Some(ObjKind::Gpu) => Ok(()),
            Some(map) if !options.own_map && bind.height() < map.height() => {
                Err(SpecError::BindAboveMap {
                    app: self.app,
                    map: map.word(),
                    bind: bind.word(),
                    at: self.said_bind(BindWord::Object(bind), DecidedBy::Job).at,
                })
            }
            Some(_) | None => Ok(()),
        }
    }

    /// # Errors
    /// `rank-needs-object`: fill or span where the map has no objects.
    pub(crate) fn judge_ranking(&self) -> Result<(), SpecError> {
        let options = self.options;
        let Some((word @ (RankWord::Fill | RankWord::Span), by)) = options.rank_said else {
            return Ok(());
        };
        let listed = options.lsf || options.kind.is_listed();
        if listed || mapped_kind(options.kind, options.pattern.map(|(_, on)| on)).is_some() {
            return Ok(());
        }
        let place = self
            .spoken
            .rank(self.owner(by))
            .and_then(|said| said.policy.as_ref())
            .map(|said| said.place);
        Err(SpecError::RankNeedsObject {
            app: self.app,
            rank: word.word(),
            map: self.map_word(),
            at: self.at(place),
        })
    }

    /// # Errors
    /// `pe-exceeds-object`, as far as words decide it.
    pub(crate) fn judge_pe(&self) -> Result<(), SpecError> {
        let options = self.options;
        let (Some(pe), false) = (options.pe.filter(|pe| pe.cpus > 1), options.lsf) else {
            return Ok(());
        };
        let kind = mapped_kind(options.kind, options.pattern.map(|(_, on)| on));
        match kind.filter(|_| options.one_cpu_objects()) {
            None => Ok(()),
            Some(kind) => Err(SpecError::PeExceedsObject {
                app: self.app,
                pe: pe.cpus,
                kind: kind.word(),
                cpus: 1,
                at: self.pe_place(),
            }),
        }
    }
}

/// Judges the options of all apps, by class and within a class by app: equal options by the first app that has them.
/// `promoted`: what was found of the job's words.
///
/// # Errors
/// The first combination that is refused. What hangs on whether there are cores is given back.
pub(crate) fn judge_rows(
    request: &SpawnRequest,
    options: &AppOptions,
    spoken: &Spoken,
    promoted: Result<(), SpecError>,
) -> Result<Option<ByCores>, SpecError> {
    let rows = || {
        options.distinct().map(|(app, options)| JudgedOptions {
            app: u32::try_from(app.row()).unwrap_or(u32::MAX),
            options,
            spoken,
        })
    };
    rows().try_for_each(|row| row.judge_contradictions())?;
    promoted?;
    let mut above = None;
    for row in rows() {
        match row.judge_heights() {
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
        .try_for_each(|row| row.judge_ranking())
        .and_then(|()| rows().try_for_each(|row| row.judge_pe()))
        .and_then(|()| judge_size(request));
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
pub(crate) fn judge_devices(options: &AppOptions) -> Result<(), SpecError> {
    for (app, options) in options.distinct() {
        if options.kind == MapKind::Dist && options.device.is_none() {
            let text = crate::error::at::AtText::Value {
                app: u32::try_from(app.row()).ok(),
                option: "map-by".to_owned(),
                value: "dist".to_owned(),
            };
            return Err(SpecError::BadDirective {
                at: crate::error::At {
                    text,
                    start: 0,
                    end: 4,
                },
                word: "dist".to_owned(),
                fault: WordFault::MissingValue {
                    form: "dist:DEVICE",
                },
            });
        }
    }
    Ok(())
}

/// # Errors
/// `job-too-large` when the counts that are given pass what ranks count.
fn judge_size(request: &SpawnRequest) -> Result<(), SpecError> {
    let np = |row: &AppRow| match row {
        AppRow::App { np: Some(np) } => u64::from(np.0),
        AppRow::App { np: None } | AppRow::Hole => 0,
    };
    let asked: u64 = request.apps().iter().map(|(_, row)| np(row)).sum();
    if asked > u64::from(RANKS_MAX) {
        return Err(SpecError::JobTooLarge {
            what: "processes",
            asked,
            limit: u64::from(RANKS_MAX),
        });
    }
    Ok(())
}
