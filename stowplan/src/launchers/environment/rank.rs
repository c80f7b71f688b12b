//! The rank of a process and its node, according to its launcher.

use super::{BadEnvironment, Lookup};
use std::net::IpAddr;
use stowplan_engine::text::digits::number;

/// The variables of a launcher.
struct Launcher {
    rank: &'static str,
    size: Option<&'static str>,
    host: Option<&'static str>,
}

const fn launcher(
    rank: &'static str,
    size: Option<&'static str>,
    host: Option<&'static str>,
) -> Launcher {
    Launcher { rank, size, host }
}

/// Launchers that speak a protocol of MPI: if several of them give a rank, the ranks must agree.
const SPOKEN: [Launcher; 3] = [
    launcher("PMIX_RANK", None, Some("PMIX_HOSTNAME")),
    launcher(
        "OMPI_COMM_WORLD_RANK",
        Some("OMPI_COMM_WORLD_SIZE"),
        Some("PMIX_HOSTNAME"),
    ),
    launcher("PMI_RANK", Some("PMI_SIZE"), Some("PMI_HOSTNAME")),
];

/// Launchers asked in turn if none of those above gives a rank. If a launcher of those above runs inside a batch job, these
/// variables belong to another process.
const BEHIND: [Launcher; 3] = [
    launcher("FLUX_TASK_RANK", Some("FLUX_JOB_SIZE"), None),
    launcher("PALS_RANKID", None, None),
    launcher(
        "SLURM_PROCID",
        Some("SLURM_STEP_NUM_TASKS"),
        Some("SLURMD_NODENAME"),
    ),
];

/// Who this process is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Identity {
    /// Its rank, and the variable that says so.
    pub rank: Option<(u32, &'static str)>,
    /// Its node, and the variable that says so; `None`: only the host's own name is known.
    pub host: Option<(String, &'static str)>,
    /// The numbers of ranks, from the variables of launchers that give this rank.
    pub sizes: Vec<(&'static str, String)>,
}

/// Finds out who this process is. A value that no variable gives is absent.
///
/// # Errors
/// `bad-environment`: a rank that is not a number, or two ranks that disagree.
pub fn identity(lookup: &dyn Lookup) -> Result<Identity, BadEnvironment> {
    let mut rank: Option<(u32, &'static str)> = None;
    for launcher in &SPOKEN {
        let Some(own) = rank_in(lookup, launcher.rank)? else {
            continue;
        };
        match rank {
            None => rank = Some((own, launcher.rank)),
            Some((other, name)) if other != own => {
                return Err(BadEnvironment(format!(
                    "{name}={other} and {}={own}: two launchers give different ranks",
                    launcher.rank
                )));
            }
            Some(_) => {}
        }
    }
    for launcher in &BEHIND {
        if rank.is_none() {
            rank = rank_in(lookup, launcher.rank)?.map(|own| (own, launcher.rank));
        }
    }
    let Some((own, _)) = rank else {
        return Ok(Identity {
            rank,
            host: None,
            sizes: Vec::new(),
        });
    };
    let gives = |launcher: &&Launcher| rank_in(lookup, launcher.rank).ok().flatten() == Some(own);
    let givers: Vec<&Launcher> = SPOKEN.iter().chain(&BEHIND).filter(gives).collect();
    let host = givers.iter().find_map(|launcher| {
        let name = launcher.host?;
        let host = lookup.variable(name).filter(|host| !host.is_empty())?;
        host.parse::<IpAddr>().is_err().then_some((host, name))
    });
    let sizes = givers.iter().filter_map(|launcher| {
        let name = launcher.size?;
        lookup.variable(name).map(|size| (name, size))
    });
    Ok(Identity {
        rank,
        sizes: sizes.collect(),
        host,
    })
}

fn rank_in(lookup: &dyn Lookup, name: &'static str) -> Result<Option<u32>, BadEnvironment> {
    let Some(text) = lookup.variable(name) else {
        return Ok(None);
    };
    let broken = "this is no rank: a number is expected here";
    let rank = number(&text).ok_or_else(|| BadEnvironment::broken(name, &text, broken))?;
    Ok(Some(rank))
}
