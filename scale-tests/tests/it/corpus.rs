//! The plain mapper against the placement corpus.

use rayon::prelude::*;
use stowplan::args::map_args;
use stowplan_engine::error::MapError;
use stowplan_engine::stage::resolve::{Context, Resolved, resolve};
use stowplan_scale_tests::corpus::{Case, Expected, answer, cases, machines, shared};

/// From the arguments of a case to resolved apps, or the class of the refusal.
pub(crate) fn resolved(case: &Case) -> Result<Resolved, String> {
    let class = |error: MapError| error.class().to_owned();
    let args = map_args(&case.argv).map_err(|error| class(error.into()))?;
    let context = Context {
        parent: None,
        spoken: &args.taken.spoken,
        affinity: None,
        files: case,
    };
    resolve(args.taken.request, context).map_err(class)
}

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
        .filter_map(|case| {
            let found = answer(case, &machines[&case.topology], &resolved);
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
