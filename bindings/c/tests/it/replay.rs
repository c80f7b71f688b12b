//! Passes inputs that fuzzing found before, for the C face or for the library below it, to the C face.

use crate::bytes::bytes;
use crate::programs::folder;
use face::{Job, Machine, Plan, Topology};
use std::fs;
use std::path::{Path, PathBuf};

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("it is committed") {
        let path = entry.expect("a file").path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

#[test]
fn the_corpora_pass() {
    let mut found = Vec::new();
    files(&folder().join("../../scale-tests/fuzz/corpus"), &mut found);
    files(&folder().join("fuzz/corpus"), &mut found);
    found.sort();
    assert!(found.len() > 40, "{} files", found.len());
    for path in found {
        let data = fs::read(&path).expect("it is read");
        // A larger input takes long, and the target of its own corpus reads it.
        if data.len() <= 1 << 14 {
            bytes(&data);
        }
    }
}

#[test]
fn cut_and_damaged_bytes_pass() {
    let machine = Machine::uniform(Topology::parse("package:2 core:4 pu:1").expect("sound"));
    let words = "-n 6 -H a:4,b:4 --map-by core ./x : -n 1 --map-by node ./y";
    let job = Job::from_command_line(words.split(' ')).expect("the words are right");
    let plan = Plan::new(&job, &machine).expect("there is room");
    let slice = plan.node("a").expect("it is there").to_bytes();
    for whole in [plan.to_bytes(), plan.to_broadcast(), slice, job.to_bytes()] {
        bytes(&whole);
        let step = (whole.len() / 12).max(1);
        for at in (0..whole.len()).step_by(step) {
            bytes(&whole[..at]);
            let mut damaged = whole.clone();
            damaged[at] ^= 0x41;
            bytes(&damaged);
        }
    }
    bytes(words.as_bytes());
    bytes(b"");
}
