//! A small resource manager on the library `stowplan`: jobs come over a socket, get nodes and cpus, and end; a log on disk survives a
//! kill.
//!
//! A client sends lines and gets a line for each:
//!
//! | line | answer |
//! |---|---|
//! | `submit WORDS` | `job 7 placed n0:0-1 n0:2-3 …`: each rank's node and cpus; or `job 7 waits`; or `refused CLASS: MESSAGE` |
//! | `end 7` | `job 7 ended`, and `job 9 placed …` for each job that waited and has room now; or `no-such-job` |
//! | `state` | `running 3 waiting 1 ended 996` |
//!
//! **What is said was written.** Before an answer leaves, its line is in the log and synced. After a kill the log is read from the
//! beginning: the same jobs placed and ended in the same order give the same plans, since equal input gives equal bytes. A last
//! line that was cut off was never answered, and is dropped.

use std::collections::{BTreeMap, VecDeque};
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use stowplan::{Cluster, Error, Job, Machine, Plan};

/// Classes of refusals that end when other jobs end.
const ROOM: &[&str] = &["not-enough-slots", "not-enough-cpus", "no-nodes"];

/// Jobs on a cluster, and the log of what happened to them.
pub struct Manager {
    cluster: Cluster,
    log: File,
    next: u64,
    running: BTreeMap<u64, Plan>,
    waiting: VecDeque<(u64, String)>,
    ended: u64,
}

impl Manager {
    /// Goes on where the log ends. `pool`: the words of a job that names all nodes, and ends at once.
    ///
    /// # Errors
    /// The log cannot be read, or holds what this program did not write.
    pub fn open(log: &Path, machine: Machine, pool: &str) -> io::Result<Self> {
        let mut text = std::fs::read(log).unwrap_or_default();
        let whole = text
            .iter()
            .rposition(|&byte| byte == b'\n')
            .map_or(0, |end| end + 1);
        text.truncate(whole);
        let file = OpenOptions::new().create(true).append(true).open(log)?;
        file.set_len(whole as u64)?;
        let mut cluster = Cluster::new(machine);
        let first = job(pool)
            .and_then(|job| cluster.place(&job))
            .map_err(broken)?;
        cluster.release(&first).map_err(broken)?;
        let mut manager = Self {
            cluster,
            log: file,
            next: 0,
            running: BTreeMap::new(),
            waiting: VecDeque::new(),
            ended: 0,
        };
        let text = String::from_utf8(text).map_err(|error| io::Error::other(error.to_string()))?;
        for line in text.lines() {
            manager
                .apply(line)
                .map_err(|why| io::Error::other(format!("{line}: {why}")))?;
        }
        Ok(manager)
    }

    /// Answers a line. What changes is written and synced first.
    ///
    /// # Errors
    /// The log cannot be written: nothing may be answered then.
    pub fn answer(&mut self, line: &str) -> io::Result<String> {
        let line = line.trim();
        if line == "state" {
            let (running, waiting) = (self.running.len(), self.waiting.len());
            return Ok(format!(
                "running {running} waiting {waiting} ended {}",
                self.ended
            ));
        }
        match self.apply(line) {
            Ok(answer) => {
                self.log.write_all(format!("{line}\n").as_bytes())?;
                self.log.sync_data()?;
                Ok(answer)
            }
            Err(why) => Ok(why),
        }
    }

    /// What a line does. `Err`: it does nothing, and why.
    fn apply(&mut self, line: &str) -> Result<String, String> {
        match line.split_once(' ') {
            Some(("submit", words)) => self.submit(words),
            Some(("end", number)) => {
                let number = number
                    .parse()
                    .map_err(|_| format!("refused {number:?} is no job"))?;
                self.end(number)
            }
            _ => Err(format!("refused {line:?}: there are submit, end and state")),
        }
    }

    fn submit(&mut self, words: &str) -> Result<String, String> {
        let asked = job(words).map_err(refused)?;
        // Nobody overtakes a job that waits.
        let placed = if self.waiting.is_empty() {
            self.cluster.place(&asked)
        } else {
            self.queue(words);
            return Ok(format!("job {} waits", self.next - 1));
        };
        match placed {
            Ok(plan) => {
                let number = self.next;
                self.next += 1;
                Ok(self.start(number, plan))
            }
            Err(error) if ROOM.contains(&error.class()) => {
                self.queue(words);
                Ok(format!("job {} waits", self.next - 1))
            }
            Err(error) => Err(refused(error)),
        }
    }

    fn queue(&mut self, words: &str) {
        self.waiting.push_back((self.next, words.to_owned()));
        self.next += 1;
    }

    fn start(&mut self, number: u64, plan: Plan) -> String {
        let mut answer = format!("job {number} placed");
        for proc in plan.procs() {
            answer += &format!(" {}:{}", proc.node().name(), proc.cpus());
        }
        self.running.insert(number, plan);
        answer
    }

    fn end(&mut self, number: u64) -> Result<String, String> {
        if let Some(at) = self.waiting.iter().position(|(own, _)| *own == number) {
            self.waiting.remove(at);
        } else {
            let plan = self
                .running
                .remove(&number)
                .ok_or_else(|| "no-such-job".to_owned())?;
            self.cluster.release(&plan).map_err(refused)?;
        }
        self.ended += 1;
        let mut answer = format!("job {number} ended");
        while let Some((number, words)) = self.waiting.front().cloned() {
            let Ok(plan) = job(&words).and_then(|job| self.cluster.place(&job)) else {
                break;
            };
            self.waiting.pop_front();
            answer += "; ";
            answer += &self.start(number, plan);
        }
        Ok(answer)
    }
}

fn job(words: &str) -> Result<Job, Error> {
    Job::from_command_line(words.split_whitespace())
}

fn refused(error: Error) -> String {
    format!("refused {}: {}", error.class(), error.message())
}

fn broken(error: Error) -> io::Error {
    io::Error::other(refused(error))
}

/// Serves clients, a thread each.
///
/// # Errors
/// The socket cannot be listened on.
pub fn serve(listener: &TcpListener, manager: Manager) -> io::Result<()> {
    let manager = Arc::new(Mutex::new(manager));
    for client in listener.incoming() {
        let (client, manager) = (client?, Arc::clone(&manager));
        std::thread::spawn(move || {
            // A client that went away ends its thread, not the manager.
            let _ = talk(&client, &manager);
        });
    }
    Ok(())
}

/// The longest line that is read.
const LINE_MAX: u64 = 1 << 16;

fn talk(client: &TcpStream, manager: &Mutex<Manager>) -> io::Result<()> {
    let mut lines = BufReader::new(client);
    let mut out = client;
    loop {
        let mut line = String::new();
        let read = io::Read::take(&mut lines, LINE_MAX).read_line(&mut line)?;
        if read == 0 || !line.ends_with('\n') {
            return Ok(());
        }
        let mut manager = manager.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = manager.answer(&line).unwrap_or_else(|error| {
            // What is on disk is not known any more: a new start finds out.
            eprintln!("manager: the log cannot be written: {error}");
            std::process::exit(1)
        });
        drop(manager);
        // In one piece: a second small packet would wait for the first one's acknowledgement.
        out.write_all(format!("{answer}\n").as_bytes())?;
    }
}
