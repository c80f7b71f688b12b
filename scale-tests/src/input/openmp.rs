//! The fuzz bodies for threads of OpenMP: any words as variables, and processes that both models answer.

use crate::choices::Choices;
use crate::threads::drawn;
use crate::threads::machines::{Known, Shape};
use roaring::RoaringBitmap;
use std::sync::OnceLock;
use stowplan::answers::openmp::answer::Answer;
use stowplan::answers::openmp::notes::{self, Scope};
use stowplan::answers::openmp::{Process, Refused, Runtime, Threads, Variables, threads};

/// The runtimes that read the words.
const RUNTIMES: [&str; 5] = ["gnu", "llvm@14", "llvm@17", "llvm@19", "intel"];

fn known(choices: &mut Choices<'_>) -> &'static Known {
    static MACHINES: OnceLock<Vec<Known>> = OnceLock::new();
    let all = MACHINES.get_or_init(|| {
        let mut choices = Choices::seeded(5);
        (0..12)
            .map(|_| Known::of(Shape::random(&mut choices)))
            .collect()
    });
    choices.pick(all)
}

/// Words of variables: a byte chooses the machine, one the cpus, then lines of `NAME=VALUE`.
///
/// # Panics
/// When an answer is not sound, a note or refusal is not a sentence.
pub fn words(bytes: &[u8]) {
    let (head, text) = bytes.split_at(bytes.len().min(2));
    let mut choices = Choices::from_bytes(head);
    let known = known(&mut choices);
    let Ok(text) = std::str::from_utf8(text) else {
        return;
    };
    let variables: Variables = text
        .lines()
        .filter_map(|line| line.split_once('='))
        .take(16)
        .collect();
    let (step, all) = (choices.within(1, 3), known.ours.all());
    let mask: RoaringBitmap = all.iter().step_by(step as usize).collect();
    for allowed in [&mask, all] {
        let process = Process {
            machine: &known.ours,
            mask: &mask,
            allowed,
            variables: &variables,
            levels: None,
        };
        RUNTIMES.iter().for_each(|word| judge(&process, word));
    }
}

fn judge(process: &Process<'_>, word: &str) {
    let Ok(runtime) = word.parse::<Runtime>() else {
        panic!("{word} is a runtime");
    };
    let (mut told, mut refused) = (Vec::new(), Vec::new());
    match threads(process, runtime) {
        Ok(own) => {
            sound(process, &own);
            told.push((word.to_owned(), own));
        }
        Err(why) => {
            let told = why.to_string();
            assert!(!told.is_empty() && told.len() < 4000, "{told}");
            let aborts = matches!(why, Refused::Aborts { .. });
            assert!(aborts || !why.class().is_empty());
            refused.push((runtime, why));
        }
    }
    let answer = Answer::new(process.mask.clone(), told, refused);
    for note in notes::told(process, &answer, &[runtime], Scope::Process) {
        assert!(!note.text.is_empty(), "{}: says nothing", note.class);
    }
}

/// What holds for every answer.
fn sound(process: &Process<'_>, own: &Threads) {
    assert!(!own.is_empty() && own.number() >= 1);
    let places = own.places().len();
    for (thread, place, cpus) in own.iter() {
        assert!(!cpus.is_empty(), "thread {} runs nowhere", thread.name());
        assert!(
            cpus.is_subset(process.allowed) || !process.allowed.is_superset(process.mask),
            "thread {} runs where the kernel does not let it",
            thread.name()
        );
        assert!(place.is_none_or(|place| place < places));
    }
}

/// A process that the bytes choose, answered by our rules and by the plain model.
///
/// # Panics
/// When they differ.
pub fn process(bytes: &[u8]) {
    let mut choices = Choices::from_bytes(bytes);
    let known = known(&mut choices);
    if let Some(difference) = drawn(&mut choices, known) {
        panic!("{:?}\n{difference}", known.shape);
    }
}
