//! How GNU's libgomp binds: which variable decides, and what its places are. `seats.rs` puts the
//! threads on places.

use super::binding::{Binding, Place, Rule};
use super::gnu_places;
use super::machine::Machine;
use super::refused::Refused;
use super::seats::Bind;
use super::variables::Variables;
use roaring::RoaringBitmap;

/// `OMP_PROC_BIND`, if it is valid.
#[derive(Clone, PartialEq, Eq, Debug)]
enum ProcBind {
    False,
    True,
    Words(Vec<Bind>),
}

fn proc_bind(variables: &Variables) -> Option<ProcBind> {
    let value = variables.get("OMP_PROC_BIND")?.trim().to_ascii_lowercase();
    match value.as_str() {
        "false" => return Some(ProcBind::False),
        "true" => return Some(ProcBind::True),
        _ => {}
    }
    let word = |word: &str| match word.trim() {
        "master" | "primary" => Some(Bind::Primary),
        "close" => Some(Bind::Close),
        "spread" => Some(Bind::Spread),
        _ => None,
    };
    let words: Option<Vec<Bind>> = value.split(',').map(word).collect();
    words.map(ProcBind::Words)
}

/// How many entries `OMP_PROC_BIND` has.
pub(super) fn bind_entries(variables: &Variables) -> usize {
    match proc_bind(variables) {
        Some(ProcBind::Words(words)) => words.len(),
        Some(ProcBind::False | ProcBind::True) => 1,
        None => 0,
    }
}

/// What decides about places.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Winner {
    /// `OMP_PROC_BIND=false`.
    False,
    /// A valid `OMP_PLACES`.
    Places,
    /// Neither of these.
    Other,
}

/// What decides about places.
pub(super) fn winner(machine: &Machine, mask: &RoaringBitmap, variables: &Variables) -> Winner {
    if proc_bind(variables) == Some(ProcBind::False) {
        return Winner::False;
    }
    let value = variables.get("OMP_PLACES");
    let places = value.map(|value| gnu_places::places(value, machine, mask));
    match places {
        Some(Ok(Some(_))) => Winner::Places,
        Some(Ok(None) | Err(_)) | None => Winner::Other,
    }
}

/// Whether `OMP_PROC_BIND` is valid.
pub(super) fn takes_proc_bind(variables: &Variables) -> bool {
    proc_bind(variables).is_some()
}

/// How the threads of a process are bound.
pub(super) fn binding(
    machine: &Machine,
    mask: &RoaringBitmap,
    variables: &Variables,
) -> Result<Binding, Refused> {
    let bind = proc_bind(variables);
    let free = |word| Binding::unbound(mask.clone(), word);
    if bind == Some(ProcBind::False) {
        return Ok(free("false"));
    }
    let mut places = match variables.get("OMP_PLACES") {
        Some(value) => gnu_places::places(value, machine, mask)?,
        None => None,
    };
    if let (None, Some(value)) = (&places, variables.get("GOMP_CPU_AFFINITY")) {
        places = gnu_places::of_cpu_affinity(value, mask)?;
    }
    let (word, words) = match &bind {
        Some(ProcBind::Words(words)) => (words[0].word(), words.clone()),
        Some(ProcBind::True) | None => ("true", vec![Bind::Close]),
        Some(ProcBind::False) => ("false", Vec::new()),
    };
    let places = match (places, bind) {
        (Some(places), _) => places,
        (None, Some(_)) => gnu_places::of_word("threads", machine, mask)?,
        (None, None) => return Ok(free("false")),
    };
    Ok(Binding::Places {
        list: places.into_iter().map(Place::plain).collect(),
        rule: Rule::Words(words),
        word,
        covers: None,
    })
}
