//! The relay: a request as bytes. Anything that does not travel is lost in every test, too. Source: `per-app` 4.
//!
//! ```text
//! seal      of "STOWREQ" (`seal.rs`)
//! payload   policies      the job's three, each one more than its number; 0: there is none
//!           apps          each one more than its processes; 1: they are not given, 0: a hole
//!           labels        app, program, arguments, environment, directory
//!           attributes    owner, key, source, type, value
//!           unknown keys  owner, name, type, value
//! ```
//! An owner is the app's number plus one, or 0 for the job. Numbers have seven bits per byte, low bits first; texts and lists follow their
//! lengths. This is how postcard writes them. They are read by hand, so that an error names the byte and a number has only one form.

use super::attributes::{Attribute, Scope, Source, Value, key_name};
use super::keys;
use super::policy::{BindPolicy, Flags, MapPolicy, RankPolicy};
use super::request::{AppRow, Label, SpawnRequest, Unknown, owner};
use super::seal::{SEAL_BYTES, Sealed};
use super::set::{check_attribute, is_readable};
use super::wire::{RequestReader, WireError};
use crate::count::ProcCount;
use crate::error::spec::Owner;
use crate::error::{Note, SpecError};
use crate::id::Id as _;
use crate::limit::{APPS_MAX, RANKS_MAX, REQUEST_BYTES_MAX};
use crate::table::apps::AppId;

const SEALED: Sealed = Sealed {
    magic: b"STOWREQ",
    foreign: "this is no packed request",
    most: (REQUEST_BYTES_MAX, "the request is beyond 64 MiB"),
};

/// A policy of the job, which is packed apart from the job's attributes.
struct JobPolicy {
    key: u16,
    source: Source,
    /// Its name in a note.
    name: &'static str,
    /// The fault of a number that is no such policy.
    refusal: &'static str,
}

/// In the order in which they are packed.
const POLICIES: [JobPolicy; 3] = [
    JobPolicy {
        key: keys::APP_MAPBY,
        source: Source::Map,
        name: "the mapping",
        refusal: "this is no mapping policy",
    },
    JobPolicy {
        key: keys::APP_RANKBY,
        source: Source::Rank,
        name: "the ranking",
        refusal: "this is no ranking policy",
    },
    JobPolicy {
        key: keys::APP_BINDTO,
        source: Source::Bind,
        name: "the binding",
        refusal: "this is no binding policy",
    },
];

/// Whether this number is a policy. An app's policy may not have flags that only the job may have.
fn is_policy(owner: Owner, source: Source, bits: u16) -> bool {
    let job_only = Flags::NOOVERSUBSCRIBE.bits();
    match source {
        Source::Map => {
            let allowed = owner == Owner::Job || bits & job_only == 0;
            allowed && MapPolicy::of_bits(bits).is_some()
        }
        Source::Rank => RankPolicy::of_bits(bits).is_some(),
        Source::Bind => BindPolicy::of_bits(bits).is_some(),
        Source::Own => false,
    }
}

impl SpawnRequest {
    /// The request as bytes. Only attributes and unknown keys of scope `Global` travel. Equal requests give equal
    /// bytes.
    ///
    /// # Errors
    /// `bad-request` when the payload passes 64 MiB; `bad-value` for an app with zero processes.
    ///
    /// Cost: linear in the request.
    pub fn pack(&self) -> Result<Vec<u8>, SpecError> {
        self.check_counts()?;
        let travels = |row: &&Attribute| row.scope == Scope::Global;
        let policies = POLICIES.map(|policy| {
            let row = self.attributes.get(Owner::Job, policy.key);
            match row.filter(travels).map(|row| &row.value) {
                Some(Value::Uint16(bits)) => u32::from(*bits) + 1,
                Some(_) | None => 0,
            }
        });
        let apps = self.apps.values().iter().map(|app| match app {
            AppRow::Hole => 0,
            AppRow::App { np } => np.map_or(1, |np| u64::from(np.0) + 1),
        });
        let labels = self.labels.iter().map(|(app, label)| (app.row(), label));
        let attributes = self.attributes.iter().filter(travels);
        let attributes = attributes
            .filter(|row| !row.is_policy_of_job())
            .map(|row| (number_of(row.owner), row.key, row.source as u8, &row.value));
        let unknown = self.unknown.iter().filter(|row| row.scope == Scope::Global);
        let unknown = unknown.map(|row| (number_of(row.owner), &row.name, &row.ty, &row.value));
        let payload = (
            policies,
            apps.collect::<Vec<u64>>(),
            labels.collect::<Vec<_>>(),
            attributes.collect::<Vec<_>>(),
            unknown.collect::<Vec<_>>(),
        );
        let payload = postcard::to_allocvec(&payload).expect("a Vec takes every byte");
        Ok(SEALED.seal(&payload)?)
    }

    /// A note for each attribute and unknown key that [`SpawnRequest::pack`] leaves out.
    #[must_use]
    pub fn local_notes(&self) -> Vec<Note> {
        let attributes = self.attributes.iter().map(|row| {
            let policy = POLICIES.iter().find(|policy| policy.key == row.key);
            let key = match policy.filter(|_| row.is_policy_of_job()) {
                Some(policy) => policy.name.to_owned(),
                None => key_name(row.key),
            };
            (row.scope, row.owner, key)
        });
        let unknown = self.unknown.iter();
        let unknown = unknown.map(|row| (row.scope, row.owner, row.name.clone()));
        attributes
            .chain(unknown)
            .filter(|(scope, ..)| *scope == Scope::Local)
            .map(|(_, owner, key)| Note::LocalAttribute { key, owner })
            .collect()
    }

    /// Reads a request from bytes, which are not trusted.
    ///
    /// # Errors
    /// `bad-request` with the byte offset: the bytes are no request, truncated, damaged, of another version, or have
    /// rows that no setter makes.
    ///
    /// Cost: linear in the bytes, in time and memory.
    pub fn unpack(bytes: &[u8]) -> Result<Self, SpecError> {
        Ok(read(bytes)?)
    }
}

impl From<WireError> for SpecError {
    fn from(error: WireError) -> Self {
        Self::BadPackedRequest {
            offset: error.offset as u64,
            fault: error.fault,
        }
    }
}

fn number_of(owner: Owner) -> u64 {
    owner.app().map_or(0, |app| u64::from(app) + 1)
}

fn read(bytes: &[u8]) -> Result<SpawnRequest, WireError> {
    let payload = SEALED.open(bytes)?;
    let mut from = RequestReader::new(payload, SEAL_BYTES);
    let mut request = SpawnRequest::new();
    read_policies(&mut from, &mut request)?;
    read_apps(&mut from, &mut request)?;
    read_attributes(&mut from, &mut request)?;
    read_unknown(&mut from, &mut request)?;
    if !from.is_done() {
        return Err(from.fail("bytes follow the request"));
    }
    Ok(request)
}

fn read_policies(
    from: &mut RequestReader<'_>,
    request: &mut SpawnRequest,
) -> Result<(), WireError> {
    let mut bits = [None; POLICIES.len()];
    for slot in &mut bits {
        let number = from.number(1 << 16)?.checked_sub(1);
        *slot = number.and_then(|bits| u16::try_from(bits).ok());
    }
    for (policy, bits) in POLICIES.into_iter().zip(bits) {
        let Some(bits) = bits else { continue };
        if !is_policy(Owner::Job, policy.source, bits) {
            return Err(from.fail(policy.refusal));
        }
        request.attributes.set(Attribute {
            owner: Owner::Job,
            key: policy.key,
            value: Value::Uint16(bits),
            scope: Scope::Global,
            source: policy.source,
        });
    }
    Ok(())
}

fn read_apps(from: &mut RequestReader<'_>, request: &mut SpawnRequest) -> Result<(), WireError> {
    let apps = from.count()?;
    if apps > APPS_MAX as usize {
        return Err(from.fail("these are more apps than a job may have"));
    }
    for _ in 0..apps {
        let number = from.number(u64::from(RANKS_MAX) + 1)?;
        request.apps.push(match number {
            0 => AppRow::Hole,
            1 => AppRow::App { np: None },
            np => AppRow::App {
                np: u32::try_from(np - 1).ok().map(ProcCount),
            },
        });
    }
    let labels = from.count()?;
    for _ in 0..labels {
        let row = from.number(apps as u64)?;
        let app = read_app_id(from, request, row)?;
        let last = request.labels.last_key_value();
        if last.is_some_and(|(last, _)| *last >= app) {
            return Err(from.fail("labels are out of order"));
        }
        let label = Label {
            cmd: from.text()?.to_owned(),
            argv: from.texts()?,
            env: from.texts()?,
            cwd: from.text()?.to_owned(),
        };
        request.labels.insert(app, label);
    }
    Ok(())
}

/// The app of a row, which must exist and must not be a hole.
fn read_app_id(
    from: &RequestReader<'_>,
    request: &SpawnRequest,
    row: u64,
) -> Result<AppId, WireError> {
    let row = usize::try_from(row)
        .ok()
        .filter(|&row| row < request.apps.len());
    let app = row
        .map(AppId::from_row)
        .ok_or_else(|| from.fail("there is no such app"))?;
    match request.apps[app] {
        AppRow::Hole => Err(from.fail("a hole holds nothing")),
        AppRow::App { .. } => Ok(app),
    }
}

fn read_owner(from: &mut RequestReader<'_>, request: &SpawnRequest) -> Result<Owner, WireError> {
    match from.number(request.apps.len() as u64)? {
        0 => Ok(Owner::Job),
        number => read_app_id(from, request, number - 1).map(owner),
    }
}

fn read_attributes(
    from: &mut RequestReader<'_>,
    request: &mut SpawnRequest,
) -> Result<(), WireError> {
    let rows = from.count()?;
    let mut last = None;
    for _ in 0..rows {
        let owner = read_owner(from, request)?;
        let key = from.fitting()?;
        if last.is_some_and(|last| last >= (owner, key)) {
            return Err(from.fail("attributes are out of order, or one is there twice"));
        }
        last = Some((owner, key));
        let source = Source::ALL.get(usize::from(from.byte()?));
        let Some(&source) = source else {
            return Err(from.fail("this is no source of an attribute"));
        };
        let value = match from.byte()? {
            0 => Value::Bool(from.number(1)? == 1),
            1 => Value::Uint16(from.fitting()?),
            2 => Value::Uint32(from.fitting()?),
            3 => Value::String(from.text()?.to_owned()),
            _ => return Err(from.fail("this is no type of an attribute")),
        };
        let attribute = Attribute {
            owner,
            key,
            value,
            scope: Scope::Global,
            source,
        };
        if !is_sound(&attribute) {
            return Err(from.fail("this attribute cannot be what it says"));
        }
        request.attributes.set(attribute);
    }
    Ok(())
}

/// Whether a setter could have stored this.
fn is_sound(attribute: &Attribute) -> bool {
    let &Attribute {
        owner,
        key,
        ref value,
        source,
        ..
    } = attribute;
    if let Some(policy) = POLICIES.iter().find(|policy| policy.key == key) {
        let Value::Uint16(bits) = *value else {
            return false;
        };
        return owner != Owner::Job && source == policy.source && is_policy(owner, source, bits);
    }
    let stored = keys::key(key).is_some() || source == Source::Own;
    let readable = match value {
        Value::String(text) => is_readable(key, text),
        Value::Bool(_) | Value::Uint16(_) | Value::Uint32(_) => true,
    };
    stored && readable && check_attribute(owner, key, value).is_ok()
}

fn read_unknown(from: &mut RequestReader<'_>, request: &mut SpawnRequest) -> Result<(), WireError> {
    let rows = from.count()?;
    for _ in 0..rows {
        let owner = read_owner(from, request)?;
        if request
            .unknown
            .last()
            .is_some_and(|last| last.owner > owner)
        {
            return Err(from.fail("unknown keys are out of order"));
        }
        let (name, ty, value) = (
            from.text()?.to_owned(),
            from.text()?.to_owned(),
            from.text()?.to_owned(),
        );
        request.unknown.push(Unknown {
            owner,
            name,
            ty,
            value,
            scope: Scope::Global,
        });
    }
    Ok(())
}
