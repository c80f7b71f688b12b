//! Everything that the infos of a job and its apps say, judged word by word as it comes, then made a request: the one
//! way in, for the command line and for programmatic requests. Source: `per-app` 3, 11.

use super::attributes::{Scope, Source, Value};
use super::keys;
use super::request::{AppRow, Label, NP_RANGE, SpawnRequest, Unknown, owner};
use super::set::{located, own_string};
pub use super::spoken::Spoken;
use super::spoken::{Info, Single};
use crate::count::ProcCount;
use crate::error::at::{At, AtText};
use crate::error::spec::Owner;
use crate::error::{Note, SpecError};
use crate::limit::{HOST_PRODUCT_MAX, RANKS_MAX};
use crate::policy::GpuShare;
use crate::table::apps::AppId;
use crate::text::cursor::ranges_text;
use crate::text::directive::{read_bind, read_rank};
use crate::text::hostlist::{HostError, HostFault, TOO_MANY_NAMES, read_hosts};
use crate::text::mapping::{
    MapForm, keep_flag, keep_policy, pattern_text, read_list, read_map, read_pattern,
};
use crate::text::mpibind::{options_text, read_options};
use crate::text::said::{MapChoice, SaidAt, TextPlace};
use crate::text::words::MapQualifier;
use std::collections::HashSet;
use std::sync::Arc;

/// Collects what is said.
#[derive(Clone, Debug, Default)]
pub struct Intake {
    spoken: Spoken,
    request: SpawnRequest,
    /// Host lists that brackets make longer than their text, and how many entries more these come to.
    bracketed: HashSet<Arc<str>>,
    beyond: usize,
}

/// What an intake comes to.
#[derive(Clone, Debug)]
pub struct Taken {
    /// The request, not yet relayed.
    pub request: SpawnRequest,
    /// The words, for messages and for the judgement of words that are the job's alone.
    pub spoken: Spoken,
    /// What is worth a note.
    pub notes: Vec<Note>,
}

/// A request as it came out of the relay.
#[derive(Clone, Debug)]
pub struct Relayed {
    /// The request.
    pub request: SpawnRequest,
    /// The words as said, for messages.
    pub spoken: Spoken,
    /// What is worth a note.
    pub notes: Vec<Note>,
}

impl Taken {
    /// Packs the request and unpacks it again: a mapper is fed nothing else, so that what does not travel is lost here too.
    ///
    /// # Errors
    /// `bad-request` beyond 64 MiB.
    pub fn relay(self) -> Result<Relayed, SpecError> {
        let mut notes = self.notes;
        notes.extend(self.request.local_notes());
        let request = SpawnRequest::unpack(&self.request.pack()?)?;
        Ok(Relayed {
            request,
            spoken: self.spoken,
            notes,
        })
    }
}

impl Intake {
    /// Nothing said so far.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
    /// A request that was made already, to be changed: its words are not known any more.
    #[must_use]
    pub fn again(request: SpawnRequest) -> Self {
        Self {
            request,
            ..Self::default()
        }
    }
    /// The apps so far, holes counted.
    #[must_use]
    pub const fn apps(&self) -> &crate::id::Column<AppId, AppRow> {
        self.request.apps()
    }
    /// Takes back what was said of an owner's mapping.
    pub fn forget_map(&mut self, owner: Owner) {
        self.info(owner).map = None;
        self.request.attributes.remove_source(owner, Source::Map);
        if owner == Owner::Job {
            self.request.mapping = None;
        }
    }
    /// Takes back what was said of an owner's ranking.
    pub fn forget_rank(&mut self, owner: Owner) {
        self.info(owner).rank = None;
        self.request.attributes.remove_source(owner, Source::Rank);
        if owner == Owner::Job {
            self.request.ranking = None;
        }
    }
    /// Takes back what was said of an owner's binding.
    pub fn forget_bind(&mut self, owner: Owner) {
        self.info(owner).bind = None;
        self.request.attributes.remove_source(owner, Source::Bind);
        if owner == Owner::Job {
            self.request.binding = None;
        }
    }
    /// Takes back the host lists of an app.
    pub fn forget_hosts(&mut self, app: AppId) {
        self.request
            .attributes
            .remove(owner(app), keys::APP_DASH_HOST);
    }
    /// Takes back the hostfiles of an app.
    pub fn forget_hostfile(&mut self, app: AppId) {
        self.request
            .attributes
            .remove(owner(app), keys::APP_HOSTFILE);
    }
    /// Adds an app; what is said next of it must come before the next app.
    pub fn push_app(&mut self, label: Label) -> AppId {
        self.request.push_labelled(None, label)
    }
    /// Adds a hole.
    pub fn push_hole(&mut self) {
        self.request.push_hole();
    }
    /// Names the program of an app.
    pub fn set_label(&mut self, app: AppId, label: Label) {
        match self
            .request
            .labels
            .binary_search_by_key(&app, |(other, _)| *other)
        {
            Ok(row) => self.request.labels[row].1 = label,
            Err(row) => self.request.labels.insert(row, (app, label)),
        }
    }
    /// Adds a text that words stand in.
    pub fn text(&mut self, text: AtText) -> u32 {
        self.spoken.texts.push(text)
    }
    fn content(&self, row: u32) -> Arc<str> {
        self.spoken.texts.content(row)
    }
    /// The whole of a text as a place.
    fn whole(&self, row: u32) -> TextPlace {
        TextPlace {
            text: row,
            start: 0,
            end: u32::try_from(self.content(row).len()).unwrap_or(u32::MAX),
        }
    }
    fn at(&self, row: u32) -> At {
        let place = self.whole(row);
        self.spoken
            .texts
            .at(place)
            .unwrap_or_else(|| crate::text::lines::file_at(""))
    }
    fn info(&mut self, owner: Owner) -> &mut Info {
        let Owner::App(app) = owner else {
            return &mut self.spoken.job;
        };
        let apps = &mut self.spoken.apps;
        let row = match apps.binary_search_by_key(&app, |(other, _)| *other) {
            Ok(row) => row,
            Err(row) => {
                apps.insert(row, (app, Info::default()));
                row
            }
        };
        &mut apps[row].1
    }
    /// Adds what a text says of mapping.
    ///
    /// # Errors
    /// The first wrong word, with its place. `scope` is what the caller stated, `None` for nothing (then `Global`).
    pub fn map(
        &mut self,
        owner: Owner,
        form: MapForm,
        row: u32,
        scope: Option<Scope>,
    ) -> Result<(), SpecError> {
        let text = self.content(row);
        let info = self.info(owner);
        let (said, known) = info.map.get_or_insert_with(Default::default);
        *known = known.or(scope);
        let read = read_map(said, form, &text, row);
        read.map_err(|error| located(&self.spoken.texts, row, error))
    }
    /// Adds a mapping qualifier that an option or key stands for.
    pub fn map_flag(
        &mut self,
        owner: Owner,
        qualifier: MapQualifier,
        row: u32,
        scope: Option<Scope>,
    ) {
        let place = self.whole(row);
        let (said, known) = self.info(owner).map.get_or_insert_with(Default::default);
        *known = known.or(scope);
        keep_flag(said, qualifier, place);
    }
    /// Adds a mapping policy that an option stands for.
    pub fn map_choice(&mut self, owner: Owner, choice: MapChoice, row: u32) {
        let place = self.whole(row);
        let (said, _) = self.info(owner).map.get_or_insert_with(Default::default);
        keep_policy(
            said,
            SaidAt {
                value: choice,
                place,
            },
        );
    }
    /// Adds what a text says of ranking.
    ///
    /// # Errors
    /// As [`Intake::map`].
    pub fn rank(&mut self, owner: Owner, row: u32, scope: Option<Scope>) -> Result<(), SpecError> {
        let text = self.content(row);
        let (said, known) = self.info(owner).rank.get_or_insert_with(Default::default);
        *known = known.or(scope);
        let read = read_rank(said, &text, row);
        read.map_err(|error| located(&self.spoken.texts, row, error))
    }
    /// Adds what a text says of binding.
    ///
    /// # Errors
    /// As [`Intake::map`].
    pub fn bind(&mut self, owner: Owner, row: u32, scope: Option<Scope>) -> Result<(), SpecError> {
        let text = self.content(row);
        let (said, known) = self.info(owner).bind.get_or_insert_with(Default::default);
        *known = known.or(scope);
        let read = read_bind(said, &text, row);
        read.map_err(|error| located(&self.spoken.texts, row, error))
    }
    /// Sets the number of processes of an app from digits. `max`: the largest that the front end takes.
    ///
    /// # Errors
    /// `bad-value` when it is no number from 1; `job-too-large` beyond what ids count; `bad-value` beyond `max`.
    pub fn np(&mut self, app: AppId, row: u32, max: u32) -> Result<(), SpecError> {
        let text = self.content(row);
        let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let bad = |asked: String, at| {
            Err(SpecError::BadValue {
                at,
                asked,
                range: NP_RANGE,
            })
        };
        if !digits || text.bytes().all(|b| b == b'0') {
            return bad(text.to_string(), self.at(row));
        }
        let asked = text.parse::<u64>().unwrap_or(u64::MAX);
        match u32::try_from(asked) {
            Ok(np) if np <= max => {
                self.request.apps[app] = AppRow::App {
                    np: Some(ProcCount(np)),
                };
                Ok(())
            }
            Ok(_) | Err(_) if max < RANKS_MAX => bad(text.to_string(), self.at(row)),
            Ok(_) | Err(_) => Err(SpecError::JobTooLarge {
                what: "processes",
                asked,
                limit: u64::from(RANKS_MAX),
            }),
        }
    }
    /// Adds a host list of an app, behind those it has.
    ///
    /// # Errors
    /// `bad-hostlist`, or `job-too-large` for more nodes than ids count.
    pub fn hosts(&mut self, app: AppId, row: u32, scope: Scope) -> Result<(), SpecError> {
        let text = self.content(row);
        if let Err(error) = self.read_hosts(&text) {
            let place = TextPlace {
                text: row,
                start: u32::try_from(error.start).unwrap_or(u32::MAX),
                end: u32::try_from(error.end).unwrap_or(u32::MAX),
            };
            let at = self.spoken.texts.at(place).unwrap_or_else(|| self.at(row));
            let entry = text
                .get(error.start..error.end)
                .unwrap_or_default()
                .to_owned();
            return Err(match error.fault {
                HostFault::Syntax(fault) => SpecError::BadHostlist { at, entry, fault },
                HostFault::TooMany(asked) => SpecError::JobTooLarge {
                    what: "nodes",
                    asked,
                    limit: u64::from(crate::limit::NODES_MAX),
                },
            });
        }
        self.join(app, keys::APP_DASH_HOST, text.to_string(), scope);
        Ok(())
    }
    /// The entries that brackets make are limited for the whole request; a list that is said again counts once.
    fn read_hosts(&mut self, text: &Arc<str>) -> Result<(), HostError> {
        let beyond = read_hosts(text)?.len().saturating_sub(text.len());
        if beyond > 0 && self.bracketed.insert(Arc::clone(text)) {
            self.beyond += beyond;
        }
        if self.beyond > HOST_PRODUCT_MAX {
            return Err(HostError {
                start: 0,
                end: text.len(),
                fault: TOO_MANY_NAMES,
            });
        }
        Ok(())
    }
    /// Adds a hostfile of an app, behind those it has.
    pub fn hostfile(&mut self, app: AppId, path: &str, scope: Scope) {
        self.join(app, keys::APP_HOSTFILE, path.to_owned(), scope);
    }
    fn join(&mut self, app: AppId, key: u16, text: String, scope: Scope) {
        let owner = owner(app);
        let joined = match self.request.attributes.string(owner, key) {
            None => text,
            Some(before) => format!("{before},{text}"),
        };
        own_string(&mut self.request.attributes, owner, key, joined, scope);
    }
    /// Adds a single value. Numbers come as they were written: out of range is judged here.
    ///
    /// # Errors
    /// `bad-value`, `bad-directive`: a number or text that the key does not take.
    pub fn single(
        &mut self,
        owner: Owner,
        key: u16,
        value: Value,
        row: u32,
        scope: Scope,
    ) -> Result<(), SpecError> {
        let value = self.canonical(key, value, row)?;
        let place = self.whole(row);
        self.info(owner).singles.push(Single {
            key,
            value,
            place,
            scope,
        });
        Ok(())
    }
    /// A number of a single value from its digits.
    ///
    /// # Errors
    /// `bad-value` when it is not from 1 to 65535.
    pub fn small_number(&self, row: u32) -> Result<Value, SpecError> {
        let text = self.content(row);
        match text.parse::<u16>() {
            Ok(number) if number > 0 => Ok(Value::Uint16(number)),
            Ok(_) | Err(_) => Err(SpecError::BadValue {
                at: self.at(row),
                asked: text.to_string(),
                range: crate::text::directive::PE_RANGE,
            }),
        }
    }
    fn canonical(&self, key: u16, value: Value, row: u32) -> Result<Value, SpecError> {
        let located = |error| located(&self.spoken.texts, row, error);
        match (key, value) {
            (keys::APP_PPR | keys::JOB_PPR, Value::String(text)) => {
                let (per, on) = read_pattern(&text).map_err(located)?;
                Ok(Value::String(pattern_text(per, on)))
            }
            (keys::APP_CPUSET | keys::JOB_CPUSET, Value::String(text)) => Ok(Value::String(
                ranges_text(&read_list(&text).map_err(located)?),
            )),
            (keys::APP_GPUS | keys::JOB_GPUS, Value::String(text)) => {
                let text = text.to_ascii_lowercase();
                match GpuShare::of_text(&text) {
                    Some(_) => Ok(Value::String(text)),
                    None => Err(SpecError::BadValue {
                        at: self.at(row),
                        asked: self.content(row).to_string(),
                        range: "word of: split share none, or a number from 1 to 65535",
                    }),
                }
            }
            (keys::APP_MPIBIND | keys::JOB_MPIBIND, Value::String(text)) => {
                let options = read_options(&text).map_err(located)?;
                Ok(Value::String(options_text(options)))
            }
            (_, value) => Ok(value),
        }
    }
    /// Keeps a key that we do not know.
    pub fn unknown(&mut self, unknown: Unknown) {
        self.info(unknown.owner).unknown.push(unknown);
    }
    /// Makes the request of what was said.
    ///
    /// # Errors
    /// `contradicting-qualifiers`: the first contradiction inside one info, the job's before the apps'.
    ///
    /// Cost: linear in what was said.
    pub fn finish(mut self) -> Result<Taken, SpecError> {
        let mut notes = Vec::new();
        // Hosts were stored as they came. Owner by owner the table grows at its end, and nothing moves.
        let early = std::mem::take(&mut self.request.attributes);
        let mut job = std::mem::take(&mut self.spoken.job);
        self.request.attributes.take_rows(&early, Owner::Job);
        self.store(Owner::Job, &mut job, &mut notes)?;
        self.spoken.job = job;
        let mut apps = std::mem::take(&mut self.spoken.apps);
        let mut infos = apps.iter_mut().peekable();
        for app in self.request.apps.ids() {
            let owner = owner(app);
            self.request.attributes.take_rows(&early, owner);
            if let Some((_, info)) = infos.next_if(|(other, _)| owner.app() == Some(*other)) {
                self.store(owner, info, &mut notes)?;
            }
        }
        self.spoken.apps = apps;
        Ok(Taken {
            request: self.request,
            spoken: self.spoken,
            notes,
        })
    }
    fn store(
        &mut self,
        owner: Owner,
        info: &mut Info,
        notes: &mut Vec<Note>,
    ) -> Result<(), SpecError> {
        if let Some(conflict) = info.contradiction(owner) {
            let (first, second) = conflict.said(&self.spoken.texts);
            return Err(SpecError::ContradictingQualifiers {
                owner,
                first,
                second,
                why: conflict.why,
            });
        }
        if let Some((said, scope)) = &info.map {
            self.request
                .store_map(owner, said, scope.unwrap_or(Scope::Global));
        }
        if let Some((said, scope)) = &info.rank {
            self.request
                .store_rank(owner, said, scope.unwrap_or(Scope::Global));
        }
        if let Some((said, scope)) = &info.bind {
            self.request
                .store_bind(owner, said, scope.unwrap_or(Scope::Global));
        }
        for single in &info.singles {
            let superseded =
                matches!(single.key, keys::APP_PES_PER_PROC | keys::APP_PPR) && info.map.is_some();
            if superseded {
                notes.push(Note::NoEffect {
                    word: super::attributes::key_name(single.key),
                    owner,
                    why: "the app's mapping directive says all of it",
                });
            } else if !self.request.attributes.has(owner, single.key) {
                let source = Source::Own;
                self.request.attributes.set(
                    owner,
                    single.key,
                    single.value.clone(),
                    single.scope,
                    source,
                );
            }
        }
        for unknown in info.unknown.drain(..) {
            notes.push(Note::UnknownKey {
                key: unknown.name.clone(),
                owner,
            });
            self.request.push_unknown(unknown);
        }
        Ok(())
    }
}
