//! `#BSUB`: `-n N`, `-R "span[ptile=P]"`, `-nnodes N`, `-m "HOSTS"`.

use super::{Asked, Said, number};
use crate::job::batch::text::Text;
use stowplan_engine::error::SpecError;

/// What bsub's words fix.
pub(crate) fn asked(said: &Said, text: &Text<'_>) -> Result<Asked, SpecError> {
    let mut asked = Asked::default();
    if let Some((value, span)) = said.values("-nnodes").last() {
        let nodes = number(text, span, "#BSUB -nnodes ", value)?;
        asked.push(nodes, None);
        asked.unclear = Some("-nnodes says no slots".to_owned());
        return Ok(asked);
    }
    let slots = said.words.iter().position(|(word, _)| word == "-n");
    let slots = match slots.and_then(|at| said.words.get(at + 1)) {
        // The most of a range may be given.
        Some((value, span)) => {
            let value = value.rsplit(',').next().unwrap_or(value);
            number(text, *span, "#BSUB -n ", value)?
        }
        None => 1,
    };
    asked.set("LSB_DJOB_NUMPROC", slots);
    let mut each = None;
    for (value, span) in said.values("-R") {
        let Some((_, rest)) = value.split_once("span[") else {
            continue;
        };
        let span_of = rest.split(']').next().unwrap_or_default();
        let of = |key| {
            span_of
                .split(',')
                .find_map(|part| part.trim().strip_prefix(key))
        };
        if let Some(value) = of("ptile=") {
            each = Some(number(text, span, "#BSUB ptile=", value.trim())?);
        } else if of("hosts=1").is_some() {
            each = Some(slots);
        }
    }
    match each.or((slots == 1).then_some(1)) {
        Some(each) => {
            if slots / each > 0 {
                asked.push(slots / each, Some(each));
            }
            if slots % each > 0 {
                asked.push(1, Some(slots % each));
            }
        }
        None => {
            asked.unclear = Some(format!(
                "on which nodes LSF puts {slots} slots is the site's: span[ptile=N] says it"
            ));
        }
    }
    Ok(asked)
}
