//! What apps ask of the whole job, and what a child takes from its parent. Source: `per-app` 7, 10.

use super::attributes::{Scope, Source, Value};
use super::keys;
use super::policy::{Flags, MapPolicy};
use super::request::{Scoped, SpawnRequest};
use crate::error::SpecError;
use crate::error::spec::Owner;

/// The parent of a spawned job.
#[derive(Clone, Debug)]
pub struct Parent {
    /// Its own job row, as it was mapped.
    pub job: SpawnRequest,
    /// What it is.
    pub kind: ParentKind,
}

/// What spawned a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParentKind {
    /// A running job.
    Job,
    /// A tool: it has nothing to hand down.
    Tool,
}

/// Which of a job's policies came from its parent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Inherited {
    /// The mapping.
    pub map: bool,
    /// The ranking.
    pub rank: bool,
    /// The binding.
    pub bind: bool,
}

/// Raises to the job what apps ask of it: showing the map, inheriting or not. The apps' copies stay, and are read by
/// nobody else.
///
/// # Errors
/// `conflicting-inheritance` when both words are there, on two apps, on one, or on an app and the job.
pub(crate) fn promote(request: &mut SpawnRequest) -> Result<(), SpecError> {
    let mut inherit: Option<Owner> = None;
    let mut noinherit: Option<Owner> = None;
    let mut show = [false; 2];
    for (owner, key) in request.attributes.set_bools() {
        match key {
            keys::JOB_INHERIT => _ = inherit.get_or_insert(owner),
            keys::JOB_NOINHERIT => _ = noinherit.get_or_insert(owner),
            keys::JOB_DISPLAY_MAP => show[0] = true,
            keys::JOB_DISPLAY_DEVEL_MAP => show[1] = true,
            _ => {}
        }
    }
    if let (Some(inherit), Some(noinherit)) = (inherit, noinherit) {
        return Err(SpecError::ConflictingInheritance { inherit, noinherit });
    }
    let found = [
        (show[0], keys::JOB_DISPLAY_MAP),
        (show[1], keys::JOB_DISPLAY_DEVEL_MAP),
        (inherit.is_some(), keys::JOB_INHERIT),
        (noinherit.is_some(), keys::JOB_NOINHERIT),
    ];
    for (found, key) in found {
        if !found || request.attributes.has(Owner::Job, key) {
            continue;
        }
        request.attributes.set(
            Owner::Job,
            key,
            Value::Bool(true),
            Scope::Global,
            Source::Own,
        );
    }
    Ok(())
}

/// Takes from the parent what the child does not say itself, class by class. What the parent had by default is not
/// copied, but derived again.
pub fn inherit(request: &mut SpawnRequest, parent: Option<&Parent>) -> Inherited {
    let mut taken = Inherited::default();
    let Some(parent) = parent.filter(|parent| parent.kind == ParentKind::Job) else {
        return taken;
    };
    let says = |key| request.attributes.is_set(Owner::Job, key);
    let hands_down = parent.job.attributes.is_set(Owner::Job, keys::JOB_INHERIT);
    if says(keys::JOB_NOINHERIT) || !(says(keys::JOB_INHERIT) || hands_down) {
        return taken;
    }
    taken.map = inherit_map(request, &parent.job);
    if request.ranking.is_none() {
        request.ranking = parent.job.ranking;
        taken.rank = request.ranking.is_some();
    }
    if request.binding.is_none() {
        request.binding = parent.job.binding;
        taken.bind = request.binding.is_some();
        copy(request, &parent.job, keys::JOB_BINDING_LIMIT);
    }
    request.attributes.set(
        Owner::Job,
        keys::JOB_INHERIT,
        Value::Bool(true),
        Scope::Global,
        Source::Own,
    );
    taken
}

fn inherit_map(request: &mut SpawnRequest, parent: &SpawnRequest) -> bool {
    let own = request.mapping();
    if own.is_some_and(|own| own.kind.is_some()) {
        return false;
    }
    if let Some(theirs) = parent.mapping() {
        let own_flags = own.map_or(Flags::none(), |own| own.flags);
        let over = Flags::NOOVERSUBSCRIBE;
        let said_over = own_flags.bits() & over.bits() != 0;
        let inherited = if said_over {
            theirs.flags.without(over)
        } else {
            theirs.flags
        };
        let policy = MapPolicy {
            kind: theirs.kind,
            flags: own_flags.with(inherited),
        };
        request.mapping = Some(Scoped {
            policy,
            scope: Scope::Global,
        });
    }
    let own_mode = [keys::JOB_HWT_CPUS, keys::JOB_CORE_CPUS]
        .iter()
        .any(|&key| request.attributes.has(Owner::Job, key));
    if !own_mode {
        copy(request, parent, keys::JOB_HWT_CPUS);
        copy(request, parent, keys::JOB_CORE_CPUS);
    }
    for key in [
        keys::JOB_CPUSET,
        keys::JOB_PES_PER_PROC,
        keys::JOB_DIST_DEVICE,
        keys::JOB_PPR,
        keys::JOB_FILE,
    ] {
        copy(request, parent, key);
    }
    request
        .mapping()
        .is_some_and(|mapping| mapping.kind.is_some())
}

/// Copies a job attribute that the child does not have.
fn copy(request: &mut SpawnRequest, parent: &SpawnRequest, key: u16) {
    if request.attributes.has(Owner::Job, key) {
        return;
    }
    if let Some(attribute) = parent
        .attributes
        .of(Owner::Job)
        .find(|attribute| attribute.key == key)
    {
        request.attributes.set(
            Owner::Job,
            key,
            attribute.value,
            Scope::Global,
            attribute.source,
        );
    }
}
