//! The cpus of a node's tasks: task/affinity's automatic level and its orders. Source: `lines/slurm/spec.md` 7.

use super::cpu_bind::Level;
use super::distribution::Second;
use super::shape::Shape;

/// What binds on a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound<'a> {
    pub(super) shape: &'a Shape,
    /// Whether each core is in the step.
    pub(super) cores: &'a [bool],
    pub(super) tasks: usize,
    pub(super) cpus: usize,
    pub(super) level: Option<Level>,
    pub(super) autobind: Option<Level>,
    pub(super) second: Second,
    pub(super) threads: Option<usize>,
    pub(super) per_core: Option<usize>,
    pub(super) per_socket: Option<usize>,
}

/// Cpus of each task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Masks {
    /// Everyone has all of the step.
    All,
    /// Abstract cpus of each.
    Each(Vec<Vec<usize>>),
    /// They cannot be distributed.
    Failed,
}

impl Bound<'_> {
    fn available(&self) -> usize {
        self.cores.iter().filter(|&&own| own).count() * self.shape.threads
    }

    /// The level that the number of tasks and cpus comes to.
    pub(super) fn automatic(&self) -> Option<Level> {
        let wanted = self.tasks * self.cpus;
        let sockets = self.cores.chunks(self.shape.cores.max(1));
        let (mut whole, mut parts) = (0, 0);
        for socket in sockets {
            match socket.iter().filter(|&&own| own).count() {
                0 => {}
                count if count == socket.len() => whole += 1,
                _ => parts += 1,
            }
        }
        let available = self.available();
        if wanted == whole && parts == 0 {
            Some(Level::Sockets)
        } else if wanted == available / self.shape.threads.max(1) {
            Some(Level::Cores)
        } else if wanted == available {
            Some(Level::Threads)
        } else {
            self.autobind
        }
    }

    /// The cpus of each task.
    pub(super) fn masks(mut self) -> Masks {
        let Some(level) = self.level.or_else(|| self.automatic()) else {
            return Masks::All;
        };
        let available = self.available();
        let threads = self
            .threads
            .map_or(0, |own| self.shape.threads / own.max(1));
        if available < self.cpus * threads {
            return Masks::Failed;
        }
        if available < self.tasks {
            return Masks::Failed;
        }
        if available < self.tasks * self.cpus {
            self.cpus = available / self.tasks;
        }
        let dealt = match self.second {
            Second::Block => self.block(level),
            Second::Cyclic | Second::Fcyclic => self.cyclic(level),
        };
        match dealt {
            None => Masks::Failed,
            Some(masks) => Masks::Each(
                masks
                    .into_iter()
                    .map(|mask| self.widen(mask, level))
                    .collect(),
            ),
        }
    }

    /// Cpus that are passed over when a task is done.
    fn skip(&self, level: Level) -> usize {
        let threads = self.shape.threads;
        match level == Level::Cores || self.per_core == Some(1) {
            true if self.cpus < threads => threads - self.cpus,
            true => self.cpus % threads,
            false => 0,
        }
    }

    fn block(&self, level: Level) -> Option<Vec<Vec<usize>>> {
        let threads = self.shape.threads;
        let mut masks = Vec::new();
        let mut mask = Vec::new();
        let mut given = Given::of(self);
        while masks.len() < self.tasks {
            let before = masks.len();
            given.clear();
            let mut at = 0;
            while at < self.cores.len() * threads && masks.len() < self.tasks {
                let core = at / threads;
                let socket = core / self.shape.cores;
                let full = self
                    .per_socket
                    .is_some_and(|most| given.socket_tasks[socket] >= most);
                if !self.cores[core] || full || given.is_passed(core, self) {
                    at += 1;
                    continue;
                }
                given.core_threads[core] += 1;
                mask.push(at);
                if mask.len() == self.cpus {
                    given.core_tasks[core] += 1;
                    given.socket_tasks[socket] += 1;
                    masks.push(std::mem::take(&mut mask));
                    at += self.skip(level);
                }
                at += 1;
            }
            if masks.len() == before {
                return None;
            }
        }
        Some(masks)
    }

    fn cyclic(&self, level: Level) -> Option<Vec<Vec<usize>>> {
        let (threads, sockets) = (self.shape.threads, self.shape.sockets);
        let end = self.shape.cores * threads;
        let mut masks = Vec::new();
        let mut mask = Vec::new();
        let mut given = Given::of(self);
        let mut next = vec![0; sockets];
        let (mut socket, mut idle) = (0, 0);
        while masks.len() < self.tasks {
            if next[socket] >= end {
                let ahead = (1..sockets).map(|step| (socket + step) % sockets);
                match ahead.into_iter().find(|&other| next[other] < end) {
                    Some(other) => socket = other,
                    None => {
                        next.fill(0);
                        given.clear();
                    }
                }
            }
            let cpu = socket * end + next[socket];
            next[socket] += 1;
            let core = cpu / threads;
            idle += 1;
            if self.cores[core] && !given.is_passed(core, self) {
                given.core_threads[core] += 1;
                mask.push(cpu);
                if self.second == Second::Fcyclic {
                    socket = (socket + 1) % sockets;
                }
                if mask.len() == self.cpus {
                    given.core_tasks[core] += 1;
                    masks.push(std::mem::take(&mut mask));
                    idle = 0;
                    next[socket] += self.skip(level);
                    if self.second != Second::Fcyclic {
                        socket = (socket + 1) % sockets;
                    }
                }
            }
            if idle > end * sockets {
                return None;
            }
        }
        Some(masks)
    }

    fn widen(&self, mask: Vec<usize>, level: Level) -> Vec<usize> {
        let threads = self.shape.threads;
        let whole = |block: usize| {
            let mut starts: Vec<usize> = mask.iter().map(|cpu| cpu / block).collect();
            starts.sort_unstable();
            starts.dedup();
            let cpus = starts
                .into_iter()
                .flat_map(|start| start * block..(start + 1) * block);
            cpus.filter(|cpu| self.cores[cpu / threads]).collect()
        };
        match level {
            Level::Threads => mask,
            Level::Cores => whole(threads),
            Level::Sockets => whole(threads * self.shape.cores),
            Level::Ldoms => {
                let domains = self.shape.domains.iter();
                let touched = domains.filter(|own| own.iter().any(|cpu| mask.contains(cpu)));
                touched
                    .flatten()
                    .copied()
                    .filter(|cpu| self.cores[cpu / threads])
                    .collect()
            }
        }
    }
}

/// What cores and sockets gave so far.
struct Given {
    core_tasks: Vec<usize>,
    core_threads: Vec<usize>,
    socket_tasks: Vec<usize>,
}

impl Given {
    fn of(bound: &Bound<'_>) -> Self {
        let cores = bound.cores.len();
        Self {
            core_tasks: vec![0; cores],
            core_threads: vec![0; cores],
            socket_tasks: vec![0; bound.shape.sockets],
        }
    }

    fn clear(&mut self) {
        self.core_tasks.fill(0);
        self.core_threads.fill(0);
        self.socket_tasks.fill(0);
    }

    fn is_passed(&self, core: usize, bound: &Bound<'_>) -> bool {
        bound
            .per_core
            .is_some_and(|most| self.core_tasks[core] >= most)
            || bound
                .threads
                .is_some_and(|most| self.core_threads[core] >= most)
    }
}
