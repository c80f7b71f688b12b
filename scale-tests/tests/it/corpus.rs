//! Compares the plain mapper with the placement corpus.

use rayon::prelude::*;
use stowplan_scale_tests::corpus::{Expected, answer, cases, machines, shared};

#[test]
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn the_reference_answers_every_case_of_the_corpus() {
    let Some(shared) = shared() else {
        eprintln!("skipped: no corpus; STOWPLAN_SHARED names its folder");
        return;
    };
    let machines = machines(&shared.join("corpus/topo")).unwrap();
    let cases = cases(&shared.join("corpus/placement.jsonl")).unwrap();
    assert!(cases.len() > 8000, "{} cases", cases.len());
    let wrong: Vec<String> = cases
        .par_iter()
        // The corpus is older than the words of devices and says that there are none, and the plain mapper has none.
        .filter(|case| !case.argv.iter().any(|word| word.starts_with("device=")))
        .filter_map(|case| {
            let found = answer(case, &machines[&case.topology]);
            let short = |answer: &Expected| match answer {
                Expected::Rows(rows) => format!("{} rows, {:?} …", rows.len(), rows.first()),
                Expected::Error(class) => class.clone(),
            };
            let differs = || {
                format!(
                    "{} {:?}: {}, must be {}",
                    case.id,
                    case.argv,
                    short(&found),
                    short(&case.expected)
                )
            };
            (found != case.expected).then(differs)
        })
        .collect();
    assert!(
        wrong.is_empty(),
        "{} of {} differ:\n{}",
        wrong.len(),
        cases.len(),
        wrong[..wrong.len().min(20)].join("\n")
    );
}
