//! What a jsrun line asks for: resource sets, ranks in them, their binding. Source: `lines/jsrun/spec.md` 2.

use super::words::Means;
use crate::launchers::line::table::{Part, Said};
use crate::launchers::line::{LineAsked, LineRefused};

/// How much of something a resource set has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Amount {
    /// So many.
    Count(u32),
    /// All of a node.
    All,
}

/// Where resource sets are cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Latency {
    /// Beside their GPUs.
    Gpu,
    /// Core after core.
    Cpu,
}

/// The cpus of a rank inside its resource set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bind {
    /// All of the set.
    Set,
    /// So many of the next cores.
    Packed(u32),
    /// None.
    Unbound,
}

/// What a line asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Asks {
    /// Resource sets; `None`: all that fit.
    pub(super) sets: Option<u32>,
    /// Resource sets of a host; `None`: as many as fit.
    pub(super) per_host: Option<u32>,
    /// Ranks of a set.
    pub(super) tasks: u32,
    /// Cores of a set.
    pub(super) cores: Amount,
    /// GPUs of a set.
    pub(super) gpus: Amount,
    /// Binding.
    pub(super) bind: Bind,
    /// Ranks that a set gets in one turn; `None`: not said.
    pub(super) turn: Option<u32>,
    /// Where sets are cut.
    pub(super) latency: Latency,
}

/// Reads the options.
///
/// # Errors
/// `launcher-refuses` for numbers that are none; `not-modelled` for what is not known.
pub(super) fn read(asked: &LineAsked<'_>, line: &Part<Means>) -> Result<Asks, LineRefused> {
    line.known(asked, Means::Unknown)?;
    let positive = |means| match line.last(means) {
        Some(said) if said.value.starts_with("ALL_") => {
            Err(said.refused(asked, "not-modelled", "what it does is not known here"))
        }
        Some(_) | None => line.positive(asked, means),
    };
    let sets = positive(Means::Sets)?;
    let mut tasks = positive(Means::TasksPerSet)?;
    if let (Some(all), Some(said)) = (positive(Means::Tasks)?, line.last(Means::Tasks)) {
        let each = sets.filter(|sets| all % sets == 0).map(|sets| all / sets);
        let agrees = each.filter(|each| tasks.is_none_or(|own| own == *each));
        let each = agrees.ok_or_else(|| {
            let why = "it is known here only where the resource sets of -n divide it evenly";
            said.refused(asked, "not-modelled", why)
        })?;
        tasks = Some(each);
    }
    Ok(Asks {
        sets,
        per_host: positive(Means::SetsPerHost)?,
        tasks: tasks.unwrap_or(1),
        cores: amount(asked, line.last(Means::Cores), "ALL_CPUS", 1)?,
        gpus: amount(asked, line.last(Means::Gpus), "ALL_GPUS", 0)?,
        bind: line
            .last(Means::Bind)
            .map_or(Ok(Bind::Packed(1)), |said| bind(asked, said))?,
        turn: line
            .last(Means::Distribution)
            .map(|said| turn(asked, said))
            .transpose()?,
        latency: line
            .last(Means::Latency)
            .map_or(Ok(Latency::Gpu), |said| latency(asked, said))?,
    })
}

fn amount(
    asked: &LineAsked<'_>,
    said: Option<&Said<Means>>,
    all: &str,
    default: u32,
) -> Result<Amount, LineRefused> {
    match said {
        None => Ok(Amount::Count(default)),
        Some(said) if said.value == all => Ok(Amount::All),
        Some(said) => said.number(asked).map(Amount::Count),
    }
}

fn bind(asked: &LineAsked<'_>, said: &Said<Means>) -> Result<Bind, LineRefused> {
    match said.value.as_str() {
        "none" => return Ok(Bind::Unbound),
        "rs" => return Ok(Bind::Set),
        "packed" => return Ok(Bind::Packed(1)),
        _ => {}
    }
    let packed = said
        .value
        .strip_prefix("packed:")
        .and_then(|cores| cores.parse().ok());
    match packed.filter(|&cores| cores > 0) {
        Some(cores) => Ok(Bind::Packed(cores)),
        None if said.value.starts_with("packed:smt") || said.value.starts_with("proportional") => {
            Err(said.refused(asked, "not-modelled", "what it does is not known here"))
        }
        None => {
            let why = "none, rs or packed:CORES is expected here";
            Err(said.refused(asked, "launcher-refuses", why))
        }
    }
}

/// Ranks that a resource set gets in one turn.
fn turn(asked: &LineAsked<'_>, said: &Said<Means>) -> Result<u32, LineRefused> {
    match said.value.as_str() {
        "packed" => return Ok(u32::MAX),
        "cyclic" => return Ok(1),
        _ => {}
    }
    let plane = said
        .value
        .strip_prefix("plane:")
        .and_then(|ranks| ranks.parse().ok());
    plane.filter(|&ranks| ranks > 0).ok_or_else(|| {
        let why = "packed, cyclic or plane:RANKS is expected here";
        said.refused(asked, "launcher-refuses", why)
    })
}

fn latency(asked: &LineAsked<'_>, said: &Said<Means>) -> Result<Latency, LineRefused> {
    let value = said.value.to_ascii_lowercase();
    match value.split(',').next() {
        Some("gpu-cpu") => Ok(Latency::Gpu),
        Some("cpu-cpu") => Ok(Latency::Cpu),
        Some(_) | None => {
            let why = "only gpu-cpu and cpu-cpu in front are known here";
            Err(said.refused(asked, "not-modelled", why))
        }
    }
}
