//! Directives of which few words place: `#flux:`, `#COBALT`, `#$` of Grid Engine.

use super::{Asked, Said, number};
use crate::job::batch::text::Text;
use stowplan_engine::error::SpecError;

/// flux run reads the words themselves.
pub(crate) fn flux(said: &Said) -> Asked {
    let mut asked = Asked::default();
    let words = said.words.iter().map(|(word, _)| word.as_str());
    let mut words = words.peekable();
    while let Some(word) = words.next() {
        let value = match word.strip_prefix("--nodes=").or(word.strip_prefix("-N")) {
            Some("") => words.peek().copied(),
            None if word == "--nodes" => words.peek().copied(),
            value => value,
        };
        if let Some(nodes) = value.and_then(|value| value.parse().ok()) {
            asked.nodes.clear();
            asked.push(nodes, None);
        }
    }
    asked.unclear =
        Some("which slots another launcher finds in an instance of Flux is not known".to_owned());
    asked
}

/// `-n NODES`.
pub(crate) fn cobalt(said: &Said, text: &Text<'_>) -> Result<Asked, SpecError> {
    let mut asked = Asked::default();
    let mut nodes = 1;
    for option in ["-n", "--nodecount"] {
        if let Some((value, span)) = said.values(option).last() {
            nodes = number(text, span, "#COBALT -n ", value)?;
        }
    }
    asked.push(nodes, None);
    asked.unclear = Some("Cobalt gives whole nodes and says no slots".to_owned());
    asked.set("COBALT_JOBSIZE", nodes);
    asked.set("COBALT_PARTSIZE", nodes);
    Ok(asked)
}

/// `-pe NAME SLOTS`.
pub(crate) fn grid_engine(said: &Said, text: &Text<'_>) -> Result<Asked, SpecError> {
    let mut asked = Asked::default();
    let at = said.words.iter().position(|(word, _)| word == "-pe");
    match at.and_then(|at| said.words.get(at + 2)) {
        Some((value, span)) => {
            asked.set("NSLOTS", number(text, *span, "#$ -pe ", value)?);
            asked.unclear = Some(
                "on which nodes a parallel environment has its slots is the site's".to_owned(),
            );
        }
        None => {
            asked.set("NSLOTS", 1);
            asked.push(1, Some(1));
        }
    }
    Ok(asked)
}
