//! What apps ask of the whole job, and what a child takes from its parent. Source: `per-app` 7, 10.

use super::attributes::{Attribute, Scope, Source, Value};
use super::keys;
use super::policy::{Flags, MapPolicy};
use super::request::SpawnRequest;
use crate::error::SpecError;
use crate::error::spec::Owner;

/// The parent of a spawned job.
#[derive(Clone, Debug)]
pub struct Parent {
    /// Its own job row, as it was mapped.
    pub job: SpawnRequest,
    /// Whether it is a job or a tool.
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

/// Who said a policy of the job.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SaidBy {
    /// The job itself, or nobody.
    #[default]
    Own,
    /// Its parent.
    Parent,
    /// A parameter that gives a default.
    Parameter,
}

/// Which of a job's policies came from its parent or from parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Inherited {
    /// The mapping.
    pub map: SaidBy,
    /// The ranking.
    pub rank: SaidBy,
    /// The binding.
    pub bind: SaidBy,
}

/// Whether children inherit if nobody says so.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ByDefault {
    /// They do not.
    #[default]
    Stays,
    /// They do: `rmaps_default_inherit`.
    Inherits,
}

/// What an app may ask of the job; the last two are opposites.
const PROMOTED: [u16; 4] = [
    keys::JOB_DISPLAY_MAP,
    keys::JOB_DISPLAY_DEVEL_MAP,
    keys::JOB_INHERIT,
    keys::JOB_NOINHERIT,
];

/// Promotes to the job what apps ask of it: showing the map, inheriting or not. The apps keep their copies, which
/// nothing else reads.
///
/// # Errors
/// `conflicting-inheritance` when both words are given: on two apps, on one app, or on an app and the job.
pub(crate) fn promote(request: &mut SpawnRequest) -> Result<(), SpecError> {
    let mut asked: [Option<Owner>; PROMOTED.len()] = Default::default();
    for attribute in request.attributes.iter() {
        let key = PROMOTED.iter().position(|&key| key == attribute.key);
        if let Some(at) = key.filter(|_| attribute.value == Value::Bool(true)) {
            asked[at].get_or_insert(attribute.owner);
        }
    }
    if let [.., Some(inherit), Some(noinherit)] = asked {
        return Err(SpecError::ConflictingInheritance { inherit, noinherit });
    }
    for (key, by) in PROMOTED.into_iter().zip(asked) {
        if by.is_some() && !request.attributes.has(Owner::Job, key) {
            let raised = of_job(key, Value::Bool(true), Source::Own);
            request.attributes.set(raised);
        }
    }
    Ok(())
}

pub(super) fn of_job(key: u16, value: Value, source: Source) -> Attribute {
    Attribute {
        owner: Owner::Job,
        key,
        value,
        scope: Scope::Global,
        source,
    }
}

/// Takes from the parent, class by class, what the child does not say itself. Defaults of the parent are not copied:
/// they are derived again.
///
/// `unless_said`: whether a child inherits if neither it nor its parent says so.
pub fn inherit(
    request: &mut SpawnRequest,
    parent: Option<&Parent>,
    unless_said: ByDefault,
) -> Inherited {
    let mut taken = Inherited::default();
    let Some(parent) = parent.filter(|parent| parent.kind == ParentKind::Job) else {
        return taken;
    };
    let says = |key| request.attributes.is_set(Owner::Job, key);
    let hands_down = parent.job.attributes.is_set(Owner::Job, keys::JOB_INHERIT);
    let inherits = says(keys::JOB_INHERIT) || hands_down || unless_said == ByDefault::Inherits;
    if says(keys::JOB_NOINHERIT) || !inherits {
        return taken;
    }
    let by = |taken| {
        if taken { SaidBy::Parent } else { SaidBy::Own }
    };
    taken.map = by(inherit_map(request, &parent.job));
    if request.ranking(Owner::Job).is_none() {
        copy(request, &parent.job, keys::APP_RANKBY);
        taken.rank = by(request.ranking(Owner::Job).is_some());
    }
    if request.binding(Owner::Job).is_none() {
        copy(request, &parent.job, keys::APP_BINDTO);
        taken.bind = by(request.binding(Owner::Job).is_some());
        copy(request, &parent.job, keys::JOB_BINDING_LIMIT);
    }
    let inherits = of_job(keys::JOB_INHERIT, Value::Bool(true), Source::Own);
    request.attributes.set(inherits);
    taken
}

fn inherit_map(request: &mut SpawnRequest, parent: &SpawnRequest) -> bool {
    let own = request.mapping(Owner::Job).unwrap_or_default();
    if own.map.is_some() {
        return false;
    }
    if let Some(theirs) = parent.mapping(Owner::Job) {
        let over = Flags::NOOVERSUBSCRIBE;
        let said_over = own.flags.bits() & over.bits() != 0;
        let inherited = if said_over {
            theirs.flags.without(over)
        } else {
            theirs.flags
        };
        let policy = MapPolicy {
            map: theirs.map,
            flags: own.flags.with(inherited),
        };
        let bits = Value::Uint16(policy.bits());
        request
            .attributes
            .set(of_job(keys::APP_MAPBY, bits, Source::Map));
    }
    let modes = [keys::JOB_HWT_CPUS, keys::JOB_CORE_CPUS];
    let own_mode = |key: &u16| request.attributes.has(Owner::Job, *key);
    if !modes.iter().any(own_mode) {
        modes.into_iter().for_each(|key| copy(request, parent, key));
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
    let mapping = request.mapping(Owner::Job);
    mapping.is_some_and(|mapping| mapping.map.is_some())
}

/// Copies an attribute of the parent, unless the child has its own.
pub(super) fn copy(request: &mut SpawnRequest, parent: &SpawnRequest, key: u16) {
    if request.attributes.has(Owner::Job, key) {
        return;
    }
    if let Some(theirs) = parent.attributes.get(Owner::Job, key) {
        let copied = of_job(key, theirs.value.clone(), theirs.source);
        request.attributes.set(copied);
    }
}
