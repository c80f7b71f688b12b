//! Takes what the infos of a job and its apps say, judges it word by word, and makes a request. This is the only way
//! in, for the command line and for programmatic requests. Source: `per-app` 3, 11.

use super::attributes::{Attribute, Scope, Source, Value, key_name};
pub use super::info::DirectiveForm;
use super::info::{Info, SaidValue};
use super::keys;
use super::request::{AppRow, Label, NP_RANGE, SpawnRequest, Unknown, owner};
use super::set::read_value;
pub use super::spoken::Spoken;
use crate::count::ProcCount;
use crate::error::at::AtText;
use crate::error::spec::Owner;
use crate::error::{Note, SpecError};
use crate::limit::{HOST_PRODUCT_MAX, RANKS_MAX};
use crate::table::apps::AppId;
use crate::text::hostlist::{HostError, HostFault, TOO_MANY_NAMES, read_hosts};
use crate::text::said::TextPlace;
use std::collections::HashSet;
use std::sync::Arc;

/// Collects what the infos say.
#[derive(Clone, Debug, Default)]
pub struct Intake {
    spoken: Spoken,
    request: SpawnRequest,
    /// Host lists that have more entries than bytes, because of brackets. `beyond`: how many more, summed over these
    /// lists.
    bracketed: HashSet<Arc<str>>,
    beyond: usize,
}

/// The result of an intake.
#[derive(Clone, Debug)]
pub struct Taken {
    /// The request.
    pub request: SpawnRequest,
    /// The words as they were said: for messages, and to judge words that only the job may use.
    pub spoken: Spoken,
    /// Notes.
    pub notes: Vec<Note>,
}

impl Taken {
    /// Packs the request and unpacks it again. A mapper gets nothing else, so anything that does not travel is lost here too.
    ///
    /// # Errors
    /// `bad-request` beyond 64 MiB.
    pub fn relay(mut self) -> Result<Self, SpecError> {
        self.notes.extend(self.request.local_notes());
        self.request = SpawnRequest::unpack(&self.request.pack()?)?;
        Ok(self)
    }
}

impl Intake {
    /// An empty intake.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
    /// Starts from a finished request, to change it. The words that it was made from are no longer known.
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
    /// Removes what the directives of an owner say about mapping, ranking or binding.
    pub fn forget(&mut self, owner: Owner, form: DirectiveForm) {
        let info = self.info(owner);
        let source = match form {
            DirectiveForm::Map(_) => {
                info.map = Default::default();
                Source::Map
            }
            DirectiveForm::Rank => {
                info.rank = Default::default();
                Source::Rank
            }
            DirectiveForm::Bind => {
                info.bind = Default::default();
                Source::Bind
            }
        };
        self.request.attributes.remove_source(owner, source);
    }
    /// Removes an attribute of an app, such as its host lists or its hostfiles.
    pub fn forget_key(&mut self, app: AppId, key: u16) {
        self.request.attributes.remove(owner(app), key);
    }
    /// Adds an app. Anything said about it must come before the next app.
    pub fn push_app(&mut self, label: Label) -> AppId {
        let app = self.request.push_app(None, "");
        if label != Label::default() {
            self.set_label(app, label);
        }
        app
    }
    /// Adds a hole.
    pub fn push_hole(&mut self) {
        self.request.push_hole();
    }
    /// Keeps and relays a key that nobody said, without a note.
    pub fn keep(&mut self, unknown: Unknown) {
        self.request.push_unknown(unknown);
    }
    /// Names the program of an app.
    pub fn set_label(&mut self, app: AppId, label: Label) {
        self.request.labels.insert(app, label);
    }
    /// Adds a text that holds words. Returns its row.
    pub fn text(&mut self, text: AtText) -> u32 {
        self.spoken.texts.push(text)
    }
    fn content(&self, row: u32) -> Arc<str> {
        self.spoken.texts.content(row)
    }
    fn info(&mut self, owner: Owner) -> &mut Info {
        self.spoken.infos.entry(owner).or_default()
    }
    /// Adds what a text says about mapping, ranking or binding.
    ///
    /// # Errors
    /// The first wrong word, with its place.
    pub fn directive(
        &mut self,
        owner: Owner,
        form: DirectiveForm,
        row: u32,
        scope: Scope,
    ) -> Result<(), SpecError> {
        let text = self.content(row);
        let read = self.info(owner).read(form, &text, row, scope);
        read.map_err(|error| error.located(&self.spoken.texts))
    }
    /// Sets the number of processes of an app from digits. `max`: the largest that the front end takes.
    ///
    /// # Errors
    /// `bad-value` when it is not a number from 1 on; `job-too-large` beyond what ids count; `bad-value` beyond `max`.
    pub fn np(&mut self, app: AppId, row: u32, max: u32) -> Result<(), SpecError> {
        let text = self.content(row);
        let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let asked = digits.then(|| text.parse::<u64>().unwrap_or(u64::MAX));
        let asked = asked.filter(|&asked| asked > 0);
        let np = asked.and_then(|asked| u32::try_from(asked).ok());
        match (asked, np.filter(|&np| np <= max)) {
            (_, Some(np)) => {
                let np = Some(ProcCount(np));
                self.request.apps[app] = AppRow::App { np };
                Ok(())
            }
            (Some(asked), None) if max >= RANKS_MAX => Err(SpecError::JobTooLarge {
                what: "processes",
                asked,
                limit: u64::from(RANKS_MAX),
            }),
            (_, None) => Err(SpecError::BadValue {
                at: self.spoken.at(self.spoken.texts.whole(row)),
                asked: text.to_string(),
                range: NP_RANGE,
            }),
        }
    }
    /// Adds a host list to an app, behind its earlier ones.
    ///
    /// # Errors
    /// `bad-hostlist`, or `job-too-large` for more nodes than ids count.
    pub fn hosts(&mut self, app: AppId, row: u32, scope: Scope) -> Result<(), SpecError> {
        let text = self.content(row);
        if let Err(error) = self.read_hosts(&text) {
            let at = self.spoken.at(TextPlace::of(row, error.start, error.end));
            let entry = text.get(error.start..error.end).unwrap_or_default();
            let entry = entry.to_owned();
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
    /// Reads a host list. The entries that brackets make are limited over the whole request; a repeated list counts
    /// once.
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
    /// Adds a hostfile to an app, behind its earlier ones.
    pub fn hostfile(&mut self, app: AppId, path: &str, scope: Scope) {
        self.join(app, keys::APP_HOSTFILE, path.to_owned(), scope);
    }
    fn join(&mut self, app: AppId, key: u16, text: String, scope: Scope) {
        let owner = owner(app);
        let joined = match self.request.attributes.string(owner, key) {
            None => text,
            Some(before) => format!("{before},{text}"),
        };
        self.request.attributes.set(Attribute {
            owner,
            key,
            value: Value::String(joined),
            scope,
            source: Source::Own,
        });
    }
    /// Adds an attribute by its own name, with the value that a text says. A bool is true, whatever the text. `key`:
    /// the owner's key, or the app's key for which the job has another.
    ///
    /// # Errors
    /// `bad-value`, `bad-directive` for a number or text that the key does not take.
    pub fn single(
        &mut self,
        owner: Owner,
        key: u16,
        row: u32,
        scope: Scope,
    ) -> Result<(), SpecError> {
        let key = keys::key_of(owner, key);
        let value = read_value(key, &self.content(row), row);
        let single = SaidValue {
            key,
            value: value.map_err(|error| error.located(&self.spoken.texts))?,
            scope,
            source: Source::Own,
            place: self.spoken.texts.whole(row),
        };
        self.info(owner).singles.push(single);
        Ok(())
    }
    /// Keeps a key that we do not know.
    pub fn unknown(&mut self, unknown: Unknown) {
        self.info(unknown.owner).unknown.push(unknown);
    }
    /// Makes the request from what was said.
    ///
    /// # Errors
    /// `contradicting-qualifiers`: the first contradiction inside one info, the job's before the apps'.
    ///
    /// Cost: linear in what was said.
    pub fn finish(self) -> Result<Taken, SpecError> {
        let Self {
            mut spoken,
            mut request,
            ..
        } = self;
        let mut notes = Vec::new();
        for (&owner, info) in &mut spoken.infos {
            if let Some(conflict) = info.contradiction(owner) {
                return Err(conflict.on(owner, &spoken.texts));
            }
            info.store(owner, &mut request.attributes);
            for single in &info.singles {
                if info.supersedes(single) {
                    notes.push(Note::NoEffect {
                        word: key_name(single.key),
                        owner,
                        why: "the app's mapping directive says all of it",
                    });
                } else if !request.attributes.has(owner, single.key) {
                    request.attributes.set(single.attribute(owner));
                }
            }
            for unknown in info.unknown.drain(..) {
                let key = unknown.name.clone();
                notes.push(Note::UnknownKey { key, owner });
                request.push_unknown(unknown);
            }
        }
        Ok(Taken {
            request,
            spoken,
            notes,
        })
    }
}
