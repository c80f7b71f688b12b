//! The worked examples of `docs/semantics.md`: a machine, a line of options, and the rows or the class.

use std::collections::BTreeMap;
use stowplan_engine::policy::CpuMode;
use stowplan_reference::machine::Machine;
use stowplan_reference::read_machine;
use stowplan_scale_tests::corpus::{Case, Expected, answer};

struct Examples {
    machines: BTreeMap<String, Machine>,
    cases: Vec<Case>,
}

/// The examples as written in `tests/data/examples.txt`, whose head explains its lines.
fn examples() -> Examples {
    let mut found = Examples {
        machines: BTreeMap::new(),
        cases: Vec::new(),
    };
    let mut files = BTreeMap::new();
    for line in include_str!("../data/examples.txt").lines() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "#" => {}
            "machine" => {
                let (name, text) = rest.split_once(' ').unwrap();
                let (without, text) = match text.strip_prefix("without ") {
                    Some(text) => text.split_once(' ').unwrap(),
                    None => ("", text),
                };
                let without: Vec<u32> = without
                    .split(',')
                    .filter_map(|pu| pu.parse().ok())
                    .collect();
                found
                    .machines
                    .insert(name.to_owned(), read_machine(text, &without).unwrap());
            }
            "file" => {
                let (name, lines) = rest.split_once(' ').unwrap();
                files.insert(name.to_owned(), lines.replace('|', "\n") + "\n");
            }
            "case" => {
                let mut words = rest.split(' ').map(str::to_owned);
                found.cases.push(Case {
                    id: words.next().unwrap().parse().unwrap(),
                    topology: words.next().unwrap(),
                    argv: words.collect(),
                    files: files.clone(),
                    expected: Expected::Rows(Vec::new()),
                });
            }
            "error" => found.cases.last_mut().unwrap().expected = Expected::Error(rest.to_owned()),
            _ => match &mut found.cases.last_mut().unwrap().expected {
                Expected::Rows(rows) => rows.push(line.replace(' ', "\t")),
                Expected::Error(_) => panic!("rows behind an error: {line}"),
            },
        }
    }
    found
}

#[test]
fn the_reference_gives_every_worked_example() {
    let examples = examples();
    assert_eq!(examples.cases.len(), 121);
    for case in &examples.cases {
        let found = answer(case, &examples.machines[&case.topology]);
        assert_eq!(found, case.expected, "example {}: {:?}", case.id, case.argv);
    }
    assert_eq!(
        examples.machines["H"].units(CpuMode::Core).len(),
        12,
        "no cores: PUs"
    );
}
