//! Bodies of the fuzz targets whose readers are the command's own: command lines, lines of launchers, scripts, and spawn requests in JSON.

use crate::command::script::WithFiles;
use stowplan::job::args::map_args;
use stowplan::job::outside::FilesAlone;
use stowplan::job::place::place;
use stowplan::job::request::read_request;
use stowplan::job::script;
use stowplan_engine::error::SpecError;
use stowplan_engine::plan::Plan;
use stowplan_engine::spawn::intake::Taken;
use stowplan_engine::stage::resolve::Files;
use stowplan_judge::check;

/// A command line: arguments separated by newlines.
pub fn argv(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let args: Vec<String> = text.split('\n').map(str::to_owned).collect();
    match map_args(&args) {
        Ok(asked) => relayed(asked.taken),
        Err(error) => refused(&error),
    }
}

/// Launchers' words, by the first byte of an input.
const LAUNCHERS: [&[&str]; 10] = [
    &["srun"],
    &["mpirun"],
    &["mpiexec.hydra"],
    &["mpiexec"],
    &["flux", "run"],
    &["flux", "submit"],
    &["aprun"],
    &["jsrun"],
    &["--as", "pals", "mpiexec"],
    &["--as", "intel", "mpiexec"],
];
/// Options of ours before them, by the line of an input.
const SETTINGS: [&str; 6] = ["--alloc", "--granted", "--env", "--env", "--site", "--head"];

/// A launcher's line: a byte for the launcher; then, parted by zeros, a line for each of our options, the launcher's words each on a line,
/// and the text of every file that is named. What is placed is judged.
pub fn line(bytes: &[u8]) {
    let Some((launcher, rest)) = bytes.split_first() else {
        return;
    };
    let Ok(text) = std::str::from_utf8(rest) else {
        return;
    };
    let mut parts = text.splitn(3, '\0');
    let mut next = || parts.next().unwrap_or_default();
    let (ours, theirs, file) = (next(), next(), next());
    let mut words: Vec<&str> = MACHINE.to_vec();
    for (option, value) in SETTINGS.iter().zip(ours.split('\n')) {
        if !value.is_empty() {
            words.extend([*option, value]);
        }
    }
    words.extend(LAUNCHERS[usize::from(*launcher) % LAUNCHERS.len()]);
    words.extend(theirs.split('\n'));
    let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
    placed(&words, &OneFile(file.as_bytes()));
}

/// The machine of lines and scripts.
const MACHINE: [&str; 4] = ["--topo", "package:2 core:4 pu:2", "-H", "n[0-3]:8"];

/// A batch script in place of a line. What is placed is judged.
pub fn script(bytes: &[u8]) {
    let files = OneFile(bytes);
    let words: Vec<String> = [&MACHINE[..2], &["--script", "job.sh"]]
        .concat()
        .into_iter()
        .map(str::to_owned)
        .collect();
    match script::expand(&words, &FilesAlone(&files)) {
        Ok(Some(scripted)) => {
            let files = WithFiles {
                files: &files,
                more: &scripted.files,
            };
            placed(&scripted.words, &files);
        }
        Ok(None) => panic!("--script stands there"),
        Err(error) => assert!(!error.class().is_empty() && !error.message().is_empty()),
    }
}

/// A site's file, as slurm.conf, before a line of srun.
pub fn site(bytes: &[u8]) {
    let line = ["--site", "slurm.conf", "srun", "-n", "5", "-c", "2", "./a"];
    let words = [&MACHINE[..], &line].concat();
    let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
    placed(&words, &OneFile(bytes));
}

/// Places a job. What is placed is judged, and read again.
fn placed(words: &[String], files: &dyn Files) {
    let asked = match map_args(words) {
        Ok(asked) => asked,
        Err(error) => return refused(&error),
    };
    match place(asked, &FilesAlone(files)) {
        Ok(placement) => {
            let plan = placement.mapped.plan;
            if let Err(faults) = check(&plan) {
                panic!("{words:?}: {faults:?}");
            }
            let bytes = plan.to_bytes();
            let read = Plan::from_bytes(&bytes).expect("it was just written");
            assert_eq!(read.to_bytes(), bytes);
        }
        Err(error) => assert!(!error.class().is_empty() && !error.message().is_empty()),
    }
}

/// Bytes that every file has.
struct OneFile<'t>(&'t [u8]);

impl Files for OneFile<'_> {
    fn read(&self, _: &str) -> Result<Vec<u8>, String> {
        Ok(self.0.to_vec())
    }
}

/// A spawn request in JSON.
pub fn request(bytes: &[u8]) {
    match read_request("r", bytes) {
        Ok(request) => relayed(request.taken),
        Err(error) => refused(&error),
    }
}

/// Relays a request that was understood. It must be the same on the other side.
fn relayed(taken: Taken) {
    let packed = taken
        .request
        .pack()
        .expect("no larger than what it was read from");
    let relayed = taken.relay().expect("what was understood can be relayed");
    let again = relayed.request.pack().expect("as large as before");
    assert_eq!(again, packed);
}

fn refused(error: &SpecError) {
    assert!(!error.class().is_empty() && !error.to_string().is_empty());
}
