//! Level, kind, threads per core, tasks per core. Section 2.4.

use super::{CpuBind, FREE, Hint, Level, Slurm, Version, Words};
use crate::lines::Class;

/// What the words come to.
pub(super) struct Levels {
    pub(super) kind: Option<CpuBind>,
    pub(super) level: Option<Level>,
    pub(super) tpc: Option<usize>,
    pub(super) npc: Option<usize>,
    pub(super) one: bool,
}

fn more(bind: Option<&CpuBind>) -> bool {
    !matches!(bind, None | Some(CpuBind::Verbose))
}

/// In the order of the section.
pub(super) fn levels(asked: &Slurm, env: &Words) -> Result<Levels, Class> {
    let version = asked.version;
    // `rank` is as if it were not said.
    let mut line = asked.line.clone();
    line.bind = line
        .bind
        .filter(|bind| *bind != CpuBind::Rank || version < 2405);
    let mut own = Levels {
        kind: None,
        level: None,
        tpc: None,
        npc: None,
        one: false,
    };
    let (hint, env_tpc, env_npc) = counting(&line, env, version);
    // 1
    match &line.bind {
        None | Some(CpuBind::Verbose) => {}
        Some(CpuBind::Level(level)) => own.level = Some(*level),
        Some(kind @ (CpuBind::None | CpuBind::Rank | CpuBind::Masks(_))) => {
            own.kind = Some(kind.clone());
        }
    }
    let silent = !more(line.bind.as_ref());
    // 2
    if let Some(extra) = line.extra {
        own.tpc = extra.threads;
        if own.level.is_none() {
            own.level = match extra.parts {
                1 => Some(Level::Sockets),
                2 => Some(Level::Cores),
                _ => Some(Level::Threads),
            };
        }
    }
    // 3
    if let Some(threads) = line.threads.or(env_tpc) {
        own.tpc = Some(threads);
        if silent {
            own.level = Some(Level::Threads);
        }
    }
    // 4
    own.hinted(hint);
    // 5
    if let Some(count) = line.per_core.or(env_npc) {
        own.npc = Some(count);
        if own.level.is_none() {
            own.level = Some(if version == 2205 || count == 1 {
                Level::Cores
            } else {
                Level::Threads
            });
        }
        if version >= 2302 && own.tpc.is_some_and(|tpc| count > tpc) {
            return Err("launcher-refuses");
        }
    }
    // 6
    if line.per_socket.is_some() && own.level.is_none() {
        own.level = Some(Level::Sockets);
    }
    // 7
    let verbose = line.bind == Some(CpuBind::Verbose);
    if own.kind.is_none() && own.level.is_none() && !own.one && !(version == 2205 && verbose) {
        match asked.job_words().hint {
            Some(Hint::NoMultithread) => {
                own.level = Some(Level::Threads);
                own.one = true;
            }
            Some(Hint::Multithread) => own.level = Some(Level::Threads),
            Some(Hint::Compute | Hint::Memory) | None => {}
        }
    }
    Ok(own)
}

/// The hint that counts, and what is left of the inherited threads per core and tasks per core.
fn counting(
    line: &Words,
    env: &Words,
    version: Version,
) -> (Option<Hint>, Option<usize>, Option<usize>) {
    let own_words = line.per_core.is_some() || line.threads.is_some() || line.extra.is_some();
    if line.hint.is_some() {
        return match own_words || more(line.bind.as_ref()) {
            true => (None, env.threads, env.per_core),
            false => (line.hint, None, None),
        };
    }
    let by_bind = if version < 2311 {
        line.bind.is_some()
    } else {
        more(line.bind.as_ref())
    };
    let spoiled = own_words || by_bind || env.threads.is_some() || env.per_core.is_some();
    let hint = env.hint.filter(|_| !spoiled);
    (hint, env.threads, env.per_core)
}

impl Levels {
    fn hinted(&mut self, hint: Option<Hint>) {
        match hint {
            None => {}
            Some(Hint::Compute) => {
                self.tpc = Some(1);
                self.level = self.level.or(Some(Level::Cores));
            }
            Some(Hint::Memory) => {
                self.tpc = Some(1);
                self.level = Some(Level::Cores);
            }
            Some(Hint::Multithread) => {
                self.tpc = None;
                self.level = Some(Level::Threads);
                self.npc = Some(FREE);
            }
            Some(Hint::NoMultithread) => {
                self.tpc = Some(1);
                self.level = Some(Level::Threads);
                self.one = true;
            }
        }
    }
}
