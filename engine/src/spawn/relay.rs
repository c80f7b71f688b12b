//! The relay: a request as bytes, so that what does not travel is lost in every test. Source: `per-app` 4.
//!
//! ```text
//! 8 bytes   "STOWREQ", then the version, 1
//! u32       length of the payload, little-endian
//! u32       CRC-32 of the payload
//! payload   three policies, job and app attributes, apps with their labels, unknown keys
//! ```

use super::attributes::{Attribute, Scope, Source, Value};
use super::keys::{self, KeyPlace, ValueType};
use super::policy::{BindPolicy, Flags, MapPolicy, RankPolicy};
use super::request::{AppRow, Label, Scoped, SpawnRequest, Unknown, owner};
use super::wire::{Reader, WireError, Writer};
use crate::count::ProcCount;
use crate::error::spec::Owner;
use crate::error::{Note, SpecError};
use crate::id::Id as _;
use crate::limit::{APPS_MAX, RANKS_MAX, REQUEST_BYTES_MAX};
use crate::table::apps::AppId;

const MAGIC: &[u8; 7] = b"STOWREQ";
const VERSION: u8 = 1;
const HEADER: usize = 16;

impl SpawnRequest {
    /// The request as bytes: only what is `Global` travels. Same request, same bytes.
    ///
    /// # Errors
    /// `bad-request` when the payload passes 64 MiB; `bad-value` for an app of no processes.
    ///
    /// Cost: linear in the request.
    pub fn pack(&self) -> Result<Vec<u8>, SpecError> {
        self.judge_counts()?;
        let mut out = Writer::default();
        let global = |scope: Scope| scope == Scope::Global;
        let policies = [
            self.mapping
                .filter(|m| global(m.scope))
                .map(|m| m.policy.bits()),
            self.ranking
                .filter(|r| global(r.scope))
                .map(|r| r.policy.bits()),
            self.binding
                .filter(|b| global(b.scope))
                .map(|b| b.policy.bits()),
        ];
        for policy in policies {
            out.number(policy.map_or(0, |bits| u64::from(bits) + 1));
        }
        self.pack_apps(&mut out);
        out.number(self.attributes.count(Scope::Global) as u64);
        for row in self.attributes.scoped(Scope::Global) {
            pack_attribute(&mut out, &row);
        }
        let unknown: Vec<&Unknown> = self
            .unknown
            .iter()
            .filter(|row| global(row.scope))
            .collect();
        out.number(unknown.len() as u64);
        for row in unknown {
            out.number(owner_number(row.owner));
            out.text(&row.name);
            out.text(&row.ty);
            out.text(&row.value);
        }
        let payload = out.bytes;
        let length = u32::try_from(payload.len())
            .ok()
            .filter(|_| payload.len() <= REQUEST_BYTES_MAX);
        let Some(length) = length else {
            return Err(SpecError::BadPackedRequest {
                offset: payload.len() as u64,
                fault: "the request is beyond 64 MiB",
            });
        };
        let mut bytes = Vec::with_capacity(HEADER + payload.len());
        bytes.extend(MAGIC);
        bytes.push(VERSION);
        bytes.extend(length.to_le_bytes());
        bytes.extend(crc32fast::hash(&payload).to_le_bytes());
        bytes.extend(payload);
        Ok(bytes)
    }

    fn pack_apps(&self, out: &mut Writer) {
        out.number(self.apps.len() as u64);
        for (_, app) in self.apps.iter() {
            out.number(match app {
                AppRow::Hole => 0,
                AppRow::App { np: None } => 1,
                AppRow::App { np: Some(np) } => u64::from(np.0) + 1,
            });
        }
        out.number(self.labels.len() as u64);
        for (app, label) in &self.labels {
            out.number(app.row() as u64);
            out.text(&label.cmd);
            out.texts(&label.argv);
            out.texts(&label.env);
            out.text(&label.cwd);
        }
    }

    /// What [`SpawnRequest::pack`] leaves behind, each with its note.
    #[must_use]
    pub fn local_notes(&self) -> Vec<Note> {
        let note = |owner, key: String| Note::LocalAttribute { key, owner };
        let policies = [
            (self.mapping.map(|m| m.scope), "the mapping"),
            (self.ranking.map(|r| r.scope), "the ranking"),
            (self.binding.map(|b| b.scope), "the binding"),
        ];
        let mut notes: Vec<Note> = policies
            .into_iter()
            .filter(|(scope, _)| *scope == Some(Scope::Local))
            .map(|(_, name)| note(Owner::Job, name.to_owned()))
            .collect();
        let local = self.attributes.scoped(Scope::Local);
        notes.extend(local.map(|row| note(row.owner, super::attributes::key_name(row.key))));
        let local = self.unknown.iter().filter(|row| row.scope == Scope::Local);
        notes.extend(local.map(|row| note(row.owner, row.name.clone())));
        notes
    }

    /// A request from bytes, read with suspicion.
    ///
    /// # Errors
    /// `bad-request` with the byte offset: foreign, cut, damaged, of another version, or with rows that no setter makes.
    ///
    /// Cost: linear in the bytes, in time and memory.
    pub fn unpack(bytes: &[u8]) -> Result<Self, SpecError> {
        read(bytes).map_err(|error| SpecError::BadPackedRequest {
            offset: error.offset as u64,
            fault: error.fault,
        })
    }
}

fn owner_number(owner: Owner) -> u64 {
    owner.app().map_or(0, |app| u64::from(app) + 1)
}

fn pack_attribute(out: &mut Writer, row: &Attribute) {
    out.number(owner_number(row.owner));
    out.number(u64::from(row.key));
    out.bytes.push(match row.source {
        Source::Own => 0,
        Source::Map => 1,
        Source::Rank => 2,
        Source::Bind => 3,
    });
    match &row.value {
        Value::Bool(value) => out.bytes.extend([0, u8::from(*value)]),
        Value::Uint16(value) => {
            out.bytes.push(1);
            out.number(u64::from(*value));
        }
        Value::Uint32(value) => {
            out.bytes.push(2);
            out.number(u64::from(*value));
        }
        Value::String(text) => {
            out.bytes.push(3);
            out.text(text);
        }
    }
}

fn read(bytes: &[u8]) -> Result<SpawnRequest, WireError> {
    let at = |offset, fault| WireError { offset, fault };
    let header = bytes
        .get(..HEADER)
        .ok_or(at(bytes.len(), "the header is cut"))?;
    if !header.starts_with(MAGIC) {
        return Err(at(0, "this is no packed request"));
    }
    if header[7] != VERSION {
        return Err(at(7, "the version is not 1"));
    }
    let word = |from: usize| {
        u32::from_le_bytes([
            header[from],
            header[from + 1],
            header[from + 2],
            header[from + 3],
        ])
    };
    let payload = &bytes[HEADER..];
    let length = word(8) as usize;
    if length > REQUEST_BYTES_MAX {
        return Err(at(8, "the payload is said to be beyond 64 MiB"));
    }
    if length > payload.len() {
        return Err(at(bytes.len(), "the payload is cut"));
    }
    if length < payload.len() {
        return Err(at(HEADER + length, "bytes stand behind the payload"));
    }
    if crc32fast::hash(payload) != word(12) {
        return Err(at(12, "the checksum does not fit the payload"));
    }
    let mut from = Reader::new(payload, HEADER);
    let mut request = SpawnRequest::new();
    read_policies(&mut from, &mut request)?;
    read_apps(&mut from, &mut request)?;
    read_attributes(&mut from, &mut request)?;
    read_unknown(&mut from, &mut request)?;
    if !from.is_done() {
        return Err(from.fail("bytes stand behind the request"));
    }
    Ok(request)
}

fn read_policies(from: &mut Reader<'_>, request: &mut SpawnRequest) -> Result<(), WireError> {
    let mut bits = [None; 3];
    for slot in &mut bits {
        let number = from.number(1 << 16)?;
        *slot = number
            .checked_sub(1)
            .and_then(|bits| u16::try_from(bits).ok());
    }
    let scope = Scope::Global;
    if let Some(bits) = bits[0] {
        let policy =
            MapPolicy::of_bits(bits).ok_or_else(|| from.fail("this is no mapping policy"))?;
        request.mapping = Some(Scoped { policy, scope });
    }
    if let Some(bits) = bits[1] {
        let policy =
            RankPolicy::of_bits(bits).ok_or_else(|| from.fail("this is no ranking policy"))?;
        request.ranking = Some(Scoped { policy, scope });
    }
    if let Some(bits) = bits[2] {
        let policy =
            BindPolicy::of_bits(bits).ok_or_else(|| from.fail("this is no binding policy"))?;
        request.binding = Some(Scoped { policy, scope });
    }
    Ok(())
}

fn read_apps(from: &mut Reader<'_>, request: &mut SpawnRequest) -> Result<(), WireError> {
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
        if request.labels.last().is_some_and(|(last, _)| *last >= app) {
            return Err(from.fail("labels are out of order"));
        }
        let label = Label {
            cmd: from.text()?.to_owned(),
            argv: from.texts()?,
            env: from.texts()?,
            cwd: from.text()?.to_owned(),
        };
        request.labels.push((app, label));
    }
    Ok(())
}

/// The app of a row, which must be there and no hole.
fn read_app_id(from: &Reader<'_>, request: &SpawnRequest, row: u64) -> Result<AppId, WireError> {
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

fn read_owner(from: &mut Reader<'_>, request: &SpawnRequest) -> Result<Owner, WireError> {
    match from.number(request.apps.len() as u64)? {
        0 => Ok(Owner::Job),
        number => read_app_id(from, request, number - 1).map(owner),
    }
}

fn read_attributes(from: &mut Reader<'_>, request: &mut SpawnRequest) -> Result<(), WireError> {
    let rows = from.count()?;
    let mut last = None;
    for _ in 0..rows {
        let owner = read_owner(from, request)?;
        let key = from.number16()?;
        if last.is_some_and(|last| last >= (owner, key)) {
            return Err(from.fail("attributes are out of order, or one is there twice"));
        }
        last = Some((owner, key));
        let source = match from.byte()? {
            0 => Source::Own,
            1 => Source::Map,
            2 => Source::Rank,
            3 => Source::Bind,
            _ => return Err(from.fail("this is no source of an attribute")),
        };
        let value = match from.byte()? {
            0 => Value::Bool(from.number(1)? == 1),
            1 => Value::Uint16(from.number16()?),
            2 => Value::Uint32(from.number32()?),
            3 => Value::String(from.text()?.to_owned()),
            _ => return Err(from.fail("this is no type of an attribute")),
        };
        if !is_sound(owner, key, &value, source) {
            return Err(from.fail("this attribute cannot be what it says"));
        }
        request
            .attributes
            .set(owner, key, value, Scope::Global, source);
    }
    Ok(())
}

/// Whether a setter could have stored this.
fn is_sound(owner: Owner, key: u16, value: &Value, source: Source) -> bool {
    let Some(known) = keys::key(key) else {
        return matches!(owner, Owner::App(_))
            && key > 34
            && key <= keys::APP_KEY_MAX
            && source == Source::Own;
    };
    let belongs = match (known.place, owner) {
        (KeyPlace::App, Owner::App(_)) | (KeyPlace::Job, Owner::Job) | (KeyPlace::Promoted, _) => {
            true
        }
        (KeyPlace::App, Owner::Job) | (KeyPlace::Job, Owner::App(_)) => false,
    };
    if !belongs || value.ty() != known.ty {
        return false;
    }
    let parsed = |source_of: Source| source == source_of;
    match (key, value) {
        (keys::APP_MAPBY, Value::Uint16(bits)) => {
            let own = |policy: MapPolicy| policy.flags.bits() & Flags::NOOVERSUBSCRIBE.bits() == 0;
            parsed(Source::Map) && MapPolicy::of_bits(*bits).is_some_and(own)
        }
        (keys::APP_RANKBY, Value::Uint16(bits)) => {
            parsed(Source::Rank) && RankPolicy::of_bits(*bits).is_some()
        }
        (keys::APP_BINDTO, Value::Uint16(bits)) => {
            parsed(Source::Bind) && BindPolicy::of_bits(*bits).is_some()
        }
        (keys::APP_PPR | keys::JOB_PPR, Value::String(text)) => {
            crate::text::mapping::read_pattern(text).is_ok()
        }
        (keys::APP_CPUSET | keys::JOB_CPUSET, Value::String(text)) => {
            crate::text::mapping::read_list(text).is_ok()
        }
        (keys::APP_GPUS | keys::JOB_GPUS, Value::String(text)) => {
            crate::policy::GpuShare::of_text(text).is_some()
        }
        (keys::APP_MPIBIND | keys::JOB_MPIBIND, Value::String(text)) => {
            crate::text::mpibind::read_options(text).is_ok()
        }
        (keys::APP_DASH_HOST, Value::String(text)) => {
            crate::text::hostlist::read_hosts(text).is_ok()
        }
        (_, Value::Uint16(number)) => *number > 0 && known.ty == ValueType::Uint16,
        (_, Value::Bool(_) | Value::Uint32(_) | Value::String(_)) => true,
    }
}

fn read_unknown(from: &mut Reader<'_>, request: &mut SpawnRequest) -> Result<(), WireError> {
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
