//! What a job takes from parameters of the launcher (`--prtemca mapby P`) where neither it nor its parent says anything.

use super::attributes::{Source, Value};
use super::inherit::{ByDefault, Inherited, SaidBy, copy, of_job};
use super::keys;
use super::policy::{BindPolicy, Flags, MapPolicy};
use super::request::SpawnRequest;
use crate::error::spec::Owner;

/// Policies of jobs that do not say their own, as the job row of a request.
#[derive(Clone, Debug, Default)]
pub struct Defaults {
    /// The policies.
    pub job: SpawnRequest,
    /// Whether children inherit.
    pub inherit: ByDefault,
}

/// Keys that belong to a map policy and come only with it.
const WITH_MAP: [u16; 6] = [
    keys::JOB_CPUSET,
    keys::JOB_PES_PER_PROC,
    keys::JOB_DIST_DEVICE,
    keys::JOB_PPR,
    keys::JOB_FILE,
    keys::JOB_MPIBIND,
];

/// Flags that belong to a map policy and come only with it.
const MAP_ONLY: Flags = Flags::GIVEN.with(Flags::SPAN).with(Flags::ORDERED);

/// Fills in what is not said, class by class. Qualifiers that hold for any policy (hardware threads or cores, oversubscription,
/// NOLOCAL, inheritance) also reach a job with a map of its own, unless the job says the opposite.
pub(crate) fn fill(request: &mut SpawnRequest, defaults: &Defaults, taken: &mut Inherited) {
    fill_map(request, &defaults.job, taken);
    if request.ranking(Owner::Job).is_none() && defaults.job.ranking(Owner::Job).is_some() {
        copy(request, &defaults.job, keys::APP_RANKBY);
        taken.rank = SaidBy::Parameter;
    }
    let own = request.binding(Owner::Job).unwrap_or_default();
    if let Some(theirs) = defaults
        .job
        .binding(Owner::Job)
        .filter(|_| own.bind.is_none())
    {
        let flags = own.flags.with(match own.flags.has(Flags::OVERLOAD_GIVEN) {
            true => theirs
                .flags
                .without(Flags::ALLOW_OVERLOAD.with(Flags::OVERLOAD_GIVEN)),
            false => theirs.flags,
        });
        let bits = BindPolicy {
            bind: theirs.bind,
            flags,
        };
        let bits = Value::Uint16(bits.bits());
        request
            .attributes
            .set(of_job(keys::APP_BINDTO, bits, Source::Bind));
        copy(request, &defaults.job, keys::JOB_BINDING_LIMIT);
        if theirs.bind.is_some() {
            taken.bind = SaidBy::Parameter;
        }
    }
}

fn fill_map(request: &mut SpawnRequest, defaults: &SpawnRequest, taken: &mut Inherited) {
    let Some(theirs) = defaults.mapping(Owner::Job) else {
        return;
    };
    let own = request.mapping(Owner::Job).unwrap_or_default();
    let over = Flags::NOOVERSUBSCRIBE;
    let mut flags = theirs.flags;
    if own.flags.bits() & over.bits() != 0 {
        flags = flags.without(over);
    }
    let policy = match own.map {
        Some(map) => MapPolicy {
            map: Some(map),
            flags: own.flags.with(flags.without(MAP_ONLY)),
        },
        None => MapPolicy {
            map: theirs.map,
            flags: own.flags.with(flags),
        },
    };
    let bits = Value::Uint16(policy.bits());
    request
        .attributes
        .set(of_job(keys::APP_MAPBY, bits, Source::Map));
    let opposites = [
        [keys::JOB_HWT_CPUS, keys::JOB_CORE_CPUS],
        [keys::JOB_INHERIT, keys::JOB_NOINHERIT],
    ];
    for pair in opposites {
        if !pair
            .iter()
            .any(|&key| request.attributes.has(Owner::Job, key))
        {
            pair.into_iter()
                .for_each(|key| copy(request, defaults, key));
        }
    }
    if own.map.is_none() {
        WITH_MAP
            .into_iter()
            .for_each(|key| copy(request, defaults, key));
        if theirs.map.is_some() {
            taken.map = SaidBy::Parameter;
        }
    }
}
