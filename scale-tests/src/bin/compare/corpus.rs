//! `--corpus FOLDER`: the placement corpus through the plain mapper, and through the engine with the judge.

use std::io::Write as _;
use std::path::Path;
use stowplan_engine::map::{Machine, map_resolved};
use stowplan_engine::plan::Plan;
use stowplan_engine::table::topologies::TopologyDraft;
use stowplan_judge::check;
use stowplan_scale_tests::compare::row;
use stowplan_scale_tests::corpus::{Case, Expected, answer, cases, machines};

/// Compares every case. Gives the number of differences.
pub(crate) fn compare(folder: &Path) -> u64 {
    let mut out = anstream::stdout();
    let (Ok(machines), Ok(cases)) = (
        machines(&folder.join("topo")),
        cases(&folder.join("placement.jsonl")),
    ) else {
        let _ = writeln!(out, "{}: no placement corpus is there", folder.display());
        return 1;
    };
    let mut differing = 0;
    for case in &cases {
        let machine = &machines[&case.topology];
        let plain = answer(case, machine);
        let xml = folder.join("topo").join(format!("{}.xml", case.topology));
        let draft = std::fs::read(&xml)
            .ok()
            .and_then(|xml| stowplan_topo::xml::parse(&xml).ok());
        let found = draft.map(|draft| engine(case, draft));
        for (who, found) in [("the plain mapper", Some(plain)), ("the engine", found)] {
            if found.as_ref() != Some(&case.expected) {
                differing += 1;
                let argv = case.argv.join(" ");
                let _ = writeln!(out, "{}: {argv}: {who} says otherwise", case.id);
            }
        }
    }
    let _ = writeln!(out, "{} cases, {differing} differ", cases.len());
    differing
}

/// The engine's answer to a case. A plan in which the judge finds a fault gives an answer of its own.
fn engine(case: &Case, draft: TopologyDraft) -> Expected {
    let placed = || -> Result<Plan, String> {
        let resolved = case.resolved()?;
        let mut machine = Machine::uniform(draft).map_err(|error| error.to_string())?;
        machine.local = Some("headnode".to_owned());
        let mapped = map_resolved(resolved, machine).map_err(|error| error.class().to_owned())?;
        check(&mapped.plan).map_err(|faults| format!("{faults:?}"))?;
        Ok(mapped.plan)
    };
    match placed() {
        Err(class) => Expected::Error(class),
        Ok(plan) => Expected::Rows(
            (0..plan.ranks())
                .filter_map(|rank| row(&plan, rank).map(|row| row.tsv()))
                .collect(),
        ),
    }
}
