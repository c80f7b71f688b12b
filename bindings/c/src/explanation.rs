//! `stow_explanation`: why a rank is where it is.

use crate::answer::{count, part};
use crate::fail::Fail;
use crate::plan::StowPlan;
use crate::pointer::{Out, free, read};
use crate::refusal::{StowError, string};
use crate::status::call_with;
use face::{Instead, Word};
use std::ffi::{CString, c_char};

/// Why a rank is where it is, as C strings; opaque to callers.
pub struct StowExplanation {
    page: CString,
    why: Vec<CString>,
    words: Vec<Said>,
    instead: Option<Other>,
}

/// A policy word.
struct Said {
    option: CString,
    value: CString,
    from: CString,
    rule: CString,
}

/// A change of one option, and where the rank is then.
struct Other {
    change: CString,
    node: CString,
    local_rank: u32,
    cpus: CString,
}

impl From<Word<'_>> for Said {
    fn from(word: Word<'_>) -> Self {
        Self {
            option: string(word.option()),
            value: string(word.value()),
            from: string(word.from()),
            rule: string(word.rule().unwrap_or_default()),
        }
    }
}

impl From<Instead<'_>> for Other {
    fn from(other: Instead<'_>) -> Self {
        Self {
            change: string(other.change()),
            node: string(other.node()),
            local_rank: other.local_rank(),
            cpus: string(other.cpus().unwrap_or_default()),
        }
    }
}

/// Explains where a rank is.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_plan_explain(
    plan: *const StowPlan,
    rank: u32,
    out: *mut *mut StowExplanation,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (plan, out) = unsafe { (read(plan)?, Out::new(out)?) };
        let rank = plan.proc(rank)?.rank();
        let told = plan.plan.explain(rank).ok_or(Fail::Told(
            "bad-plan",
            "the plan was read from a broadcast, which does not know why ranks are where they are",
        ))?;
        out.give(StowExplanation {
            page: string(&told.to_string()),
            why: told.why().iter().map(|sentence| string(sentence)).collect(),
            words: told.words().map(Said::from).collect(),
            instead: told.instead().map(Other::from),
        })
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// The page that `stowplan explain` prints.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_explanation_text(
    explanation: *const StowExplanation,
) -> *const c_char {
    // SAFETY: the caller guarantees it.
    unsafe { part(explanation, |explanation| Some(&explanation.page)) }
}

/// How many sentences there are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_explanation_sentences(explanation: *const StowExplanation) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe { count(explanation, |explanation| explanation.why.len()) }
}

/// A sentence, from the map word to the cpus.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_explanation_sentence(
    explanation: *const StowExplanation,
    sentence: u32,
) -> *const c_char {
    // SAFETY: the caller guarantees it.
    unsafe {
        part(explanation, |explanation| {
            explanation.why.get(sentence as usize)
        })
    }
}

/// How many policy words there are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_explanation_words(explanation: *const StowExplanation) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe { count(explanation, |explanation| explanation.words.len()) }
}

/// The option of a policy word.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_explanation_option(
    explanation: *const StowExplanation,
    word: u32,
) -> *const c_char {
    // SAFETY: the caller guarantees it.
    unsafe {
        part(explanation, |explanation| {
            Some(&explanation.words.get(word as usize)?.option)
        })
    }
}

/// Its value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_explanation_value(
    explanation: *const StowExplanation,
    word: u32,
) -> *const c_char {
    // SAFETY: the caller guarantees it.
    unsafe {
        part(explanation, |explanation| {
            Some(&explanation.words.get(word as usize)?.value)
        })
    }
}

/// Where it came from.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_explanation_from(
    explanation: *const StowExplanation,
    word: u32,
) -> *const c_char {
    // SAFETY: the caller guarantees it.
    unsafe {
        part(explanation, |explanation| {
            Some(&explanation.words.get(word as usize)?.from)
        })
    }
}

/// The rule that gave a default.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_explanation_rule(
    explanation: *const StowExplanation,
    word: u32,
) -> *const c_char {
    // SAFETY: the caller guarantees it.
    unsafe {
        part(explanation, |explanation| {
            Some(&explanation.words.get(word as usize)?.rule)
        })
    }
}

/// The change of one option that moves the rank.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_explanation_instead(
    explanation: *const StowExplanation,
) -> *const c_char {
    // SAFETY: the caller guarantees it.
    unsafe {
        part(explanation, |explanation| {
            Some(&explanation.instead.as_ref()?.change)
        })
    }
}

/// The rank's node with this change.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_explanation_instead_node(
    explanation: *const StowExplanation,
) -> *const c_char {
    // SAFETY: the caller guarantees it.
    unsafe {
        part(explanation, |explanation| {
            Some(&explanation.instead.as_ref()?.node)
        })
    }
}

/// Its cpus with this change.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_explanation_instead_cpus(
    explanation: *const StowExplanation,
) -> *const c_char {
    // SAFETY: the caller guarantees it.
    unsafe {
        part(explanation, |explanation| {
            Some(&explanation.instead.as_ref()?.cpus)
        })
    }
}

/// Its local rank with this change.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_explanation_instead_local_rank(
    explanation: *const StowExplanation,
) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe {
        count(explanation, |explanation| {
            explanation
                .instead
                .as_ref()
                .map_or(0, |other| other.local_rank as usize)
        })
    }
}

/// Frees an explanation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_explanation_free(explanation: *mut StowExplanation) {
    // SAFETY: the caller guarantees it.
    unsafe { free(explanation) }
}
