//! Level of binding, threads per core, tasks per core: what the words come to. Source: `lines/slurm/spec.md` 2.4.

use super::cpu_bind::{CpuBind, Kind, Level, Loudness};
use super::hint::{Hint, HintWord};
use super::options::{ExtraNodeInfo, Options};
use super::refusals;
use super::rules::{Change, Rules};
use crate::launchers::line::LineRefused;

/// Tasks of a core under `--hint=multithread`.
pub(super) const FREE: u64 = 65535;

/// What the words come to.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Levels {
    pub(super) kind: Option<Kind>,
    pub(super) level: Option<Level>,
    pub(super) threads: Option<u64>,
    pub(super) tasks_per_core: Option<u64>,
    pub(super) one: bool,
}

/// Works them out from the line, from what it inherits, and from the hint of the job.
pub(super) fn levels(
    line: &Options,
    env: &Options,
    job_hint: Option<&Hint>,
    rules: Rules,
) -> Result<Levels, LineRefused> {
    let mut own = Levels::default();
    let (hint, env_threads, env_npc, env_bind) = counting(line, env, rules);
    let bind = line
        .cpu_bind
        .as_ref()
        .or(env_bind)
        .cloned()
        .unwrap_or_default();
    own.kind = bind.kind.clone();
    own.level = bind.level;
    if let Some(ExtraNodeInfo { threads, parts, .. }) = line.extra {
        own.threads = threads;
        own.level = own.level.or(match parts {
            1 => Some(Level::Sockets),
            2 => Some(Level::Cores),
            3 => Some(Level::Threads),
            _ => None,
        });
    }
    if let Some(threads) = line.threads_per_core.or(env_threads) {
        own.threads = Some(threads);
        if !bind.is_more_than_verbose() {
            own.level = Some(Level::Threads);
        }
    }
    for word in hint.iter().flat_map(|hint| &hint.words) {
        own.hint(*word);
    }
    if let Some(count) = line.tasks_per_core.or(env_npc) {
        own.tasks_per_core = Some(count);
        let cores = count == 1 || !rules.has(Change::StepTasksPerCore);
        own.level = own
            .level
            .or(Some(if cores { Level::Cores } else { Level::Threads }));
        if let Some(threads) = own
            .threads
            .filter(|&threads| rules.has(Change::StepTasksPerCore) && count > threads)
        {
            return Err(refusals::refuses(format!(
                "--ntasks-per-core ({count}) can not be bigger than --threads-per-core ({threads})"
            )));
        }
    }
    if line.tasks_per_socket.is_some() {
        own.level = own.level.or(Some(Level::Sockets));
    }
    if rules.has(Change::HintBesideVerbose) || bind.verbose == Loudness::Silent {
        own.of_job(job_hint);
    }
    Ok(own)
}

/// What a line inherits that is left beside its hint.
type Left<'a> = (
    Option<&'a Hint>,
    Option<u64>,
    Option<u64>,
    Option<&'a CpuBind>,
);

/// The hint that counts, and what then is left of the inherited threads per core, tasks per core and binding.
fn counting<'a>(line: &'a Options, env: &'a Options, rules: Rules) -> Left<'a> {
    let more = |bind: &Option<CpuBind>| bind.as_ref().is_some_and(CpuBind::is_more_than_verbose);
    let any = |bind: &Option<CpuBind>| bind.as_ref().is_some_and(CpuBind::says_something);
    let words =
        line.tasks_per_core.is_some() || line.threads_per_core.is_some() || line.extra.is_some();
    let mut env_threads = env.threads_per_core;
    let mut env_npc = env
        .tasks_per_core
        .filter(|_| rules.has(Change::StepTasksPerCore));
    let mut env_bind = env.cpu_bind.as_ref();
    let hint = match (&line.hint, &env.hint) {
        (Some(hint), _) => {
            let counts = !words && !more(&line.cpu_bind);
            if counts {
                (env_threads, env_npc, env_bind) = (None, None, None);
            }
            Some(hint).filter(|_| counts)
        }
        (None, Some(hint)) => {
            let by_line = match !rules.has(Change::VerboseKeepsHint) {
                true => words || any(&line.cpu_bind),
                false => words || more(&line.cpu_bind),
            };
            let by_env = env_threads.is_some()
                || env_npc.is_some()
                || if !rules.has(Change::VerboseKeepsHint) {
                    any(&env.cpu_bind)
                } else {
                    more(&env.cpu_bind)
                };
            Some(hint).filter(|_| !by_line && !by_env)
        }
        (None, None) => None,
    };
    (hint, env_threads, env_npc, env_bind)
}

impl Levels {
    /// What the hint of the job says where nothing else does.
    fn of_job(&mut self, hint: Option<&Hint>) {
        let Some(hint) = hint.filter(|_| self.kind.is_none() && self.level.is_none() && !self.one)
        else {
            return;
        };
        if hint.has(HintWord::NoMultithread) {
            (self.level, self.one) = (Some(Level::Threads), true);
        } else if hint.has(HintWord::Multithread) {
            self.level = Some(Level::Threads);
        }
    }

    fn hint(&mut self, word: HintWord) {
        match word {
            HintWord::ComputeBound => {
                self.threads = Some(1);
                self.level = self.level.or(Some(Level::Cores));
            }
            HintWord::MemoryBound => (self.threads, self.level) = (Some(1), Some(Level::Cores)),
            HintWord::Multithread => {
                (self.threads, self.level) = (None, Some(Level::Threads));
                self.tasks_per_core = Some(FREE);
            }
            HintWord::NoMultithread => {
                (self.threads, self.level, self.one) = (Some(1), Some(Level::Threads), true);
            }
        }
    }
}
