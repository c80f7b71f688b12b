//! Random lines of Intel MPI.

use super::{host, programs};
use crate::choices::Choices;
use stowplan_engine::policy::ObjKind;
use stowplan_reference::lines::intel::{Domain, Intel, Usual};

/// Domains by their words.
const DOMAINS: &[(&str, Domain)] = &[
    ("auto", Domain::Auto),
    ("banana", Domain::Auto),
    ("core", Domain::Kind(ObjKind::Core)),
    ("socket", Domain::Kind(ObjKind::Package)),
    ("numa", Domain::Kind(ObjKind::Numa)),
    ("node", Domain::Kind(ObjKind::Machine)),
    ("cache1", Domain::Kind(ObjKind::L1)),
    ("cache2", Domain::Kind(ObjKind::L2)),
    ("cache3", Domain::Kind(ObjKind::L3)),
];

/// A line, as it is told to the plain model, and its words.
pub(super) fn line(choices: &mut Choices<'_>) -> (Intel, Vec<String>) {
    let mut words: Vec<String> = ["--as", "intel", "mpirun"].map(str::to_owned).into();
    let mut say = |option: &str, value: String| words.extend([option.to_owned(), value]);
    let hosts: Vec<String> = (0..choices.within(1, 4)).map(|_| host(choices)).collect();
    say("-hosts", hosts.join(","));
    let per_host = (!choices.once_in(4)).then(|| choices.within(1, 24));
    if let Some(each) = per_host {
        let word: &str = choices.pick::<&str>(&["-ppn", "-perhost"]);
        say(word, each.to_string());
    }
    let mut domain = Domain::Auto;
    match choices.below(6) {
        0 => {}
        1 => {
            say("-genv", "I_MPI_PIN=off".to_owned());
            domain = Domain::Off;
        }
        2 | 3 => {
            let size = choices.within(1, 9);
            domain = Domain::Size(size as usize);
            if choices.once_in(2) {
                say("-genv", "I_MPI_PIN_DOMAIN=omp".to_owned());
                say("-genv", format!("OMP_NUM_THREADS={size}"));
            } else {
                say("-genv", format!("I_MPI_PIN_DOMAIN={size}"));
            }
        }
        _ => {
            let (word, own) = *choices.pick(DOMAINS);
            domain = own;
            say("-genv", format!("I_MPI_PIN_DOMAIN={word}"));
        }
    }
    let mut order = Usual::Yes;
    if choices.once_in(3) {
        order = Usual::No;
        say("-genv", "I_MPI_PIN_ORDER=compact".to_owned());
    }
    let mut cell = Usual::Yes;
    if choices.once_in(4) {
        cell = Usual::No;
        say("-genv", "I_MPI_PIN_CELL=core".to_owned());
    }
    let line = Intel {
        hosts,
        per_host: per_host.map(|each| each as usize),
        procs: programs(choices, &mut words),
        domain,
        order,
        cell,
    };
    (line, words)
}
