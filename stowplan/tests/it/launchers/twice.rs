//! Two nodes of one name: Hydra alone starts them.

use stowplan::job::{args::map_args, outside::FilesAlone, place::place};
use stowplan::launchers::export::{Dialect, export};
use stowplan_engine::stage::resolve::NoFiles;

/// What an export of a line writes, or why it does not.
fn said(line: &str, dialect: Dialect) -> Result<String, String> {
    let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
    let own = ["--topo".to_owned(), "core:4 pu:1".to_owned()];
    let words: Vec<String> = own.into_iter().chain(words).collect();
    let placed = place(map_args(&words).unwrap(), &FilesAlone(&NoFiles)).unwrap();
    let said = export(&placed.mapped.plan, dialect).map_err(|error| error.to_string())?;
    let mut text = String::new();
    said.write_to(&mut text).unwrap();
    Ok(text)
}

#[test]
fn two_nodes_of_one_name_are_said_by_hydra_alone() {
    let line = "mpiexec.hydra -hosts a,b,a -bind-to core -n 5 ./x";
    let hosts = said(line, Dialect::Hydra).unwrap();
    assert!(hosts.contains("\na:1\nb:1\na:1\n"), "{hosts}");
    for dialect in Dialect::ALL {
        if dialect != Dialect::Hydra {
            let why = said(line, dialect).unwrap_err();
            assert!(why.contains("a is listed twice"), "{why}");
        }
    }
}

#[test]
fn side_by_side_hydra_would_make_one_node_of_them() {
    let line = "mpiexec.hydra -hosts a,b:0,a -bind-to core -n 2 ./x";
    let why = said(line, Dialect::Hydra).unwrap_err();
    assert!(why.contains("makes one node of these"), "{why}");
}
