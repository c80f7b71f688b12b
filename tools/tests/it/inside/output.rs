//! Files that appear whole.

use std::fs;
use std::io::{self};
use std::path::PathBuf;
use stowplan_cli::output::give;
use stowplan_cli::report::Refused;

fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("stowplan-output-{}-{name}", std::process::id()));
    fs::create_dir_all(&path).unwrap();
    path
}

#[test]
fn a_file_is_there_whole_or_not_at_all() {
    let folder = folder("whole");
    let path = folder.join("plan.tsv");
    let name = path.to_str().unwrap();
    give(Some(name), &mut io::sink(), |out| out.write_all(b"first")).unwrap();
    let failed = give(Some(name), &mut io::sink(), |out| {
        out.write_all(b"half")?;
        Err(io::Error::other("the disk is full"))
    });
    assert!(matches!(failed, Err(Refused::Output { .. })));
    assert_eq!(fs::read(&path).unwrap(), b"first");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "no part is left");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let failed = give(Some("/nowhere/plan.tsv"), &mut io::sink(), |_| Ok(()));
    let Err(Refused::Output { to, .. }) = failed else {
        panic!("it cannot be written")
    };
    assert_eq!(to.to_string(), "/nowhere/plan.tsv");
}
