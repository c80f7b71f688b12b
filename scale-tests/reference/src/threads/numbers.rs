//! Section 1: how many threads.

use super::{Asked, Rules, Why};

/// The sizes of the outer and of each inner team.
pub(super) fn teams(asked: &Asked<'_>, available: usize) -> Result<(u32, Option<u32>), Why> {
    let list = |name: &str| -> Vec<u32> {
        let value = asked.var(name).unwrap_or_default();
        value
            .split(',')
            .filter_map(|part| part.trim().parse().ok())
            .collect()
    };
    let numbers = list("OMP_NUM_THREADS");
    let limit = asked
        .var("OMP_THREAD_LIMIT")
        .and_then(|text| text.trim().parse::<u32>().ok());
    let available = u32::try_from(available).unwrap_or(u32::MAX);
    let depth = depth(asked, numbers.len());
    let mut outer = numbers.first().copied().unwrap_or(available);
    if asked.rules == Rules::Gnu && depth == Some(0) {
        outer = 1;
    }
    outer = limit.map_or(outer, |limit| outer.min(limit));
    if asked.levels < 2 {
        return Ok((outer, None));
    }
    let active = u32::from(outer > 1);
    if depth.is_some_and(|depth| active >= depth) {
        return Ok((outer, Some(1)));
    }
    let wanted = match numbers.len() {
        0 => available,
        1 => numbers[0],
        _ => numbers[1],
    };
    let Some(limit) = limit else {
        return Ok((outer, Some(wanted)));
    };
    if outer < limit && u64::from(limit) < u64::from(outer) * u64::from(wanted) {
        return Err(Why::NotModelled);
    }
    Ok((outer, Some(wanted.min(limit - outer + 1).max(1))))
}

/// To which depth regions are active; `None`: to any.
fn depth(asked: &Asked<'_>, numbers: usize) -> Option<u32> {
    if let Some(levels) = asked
        .var("OMP_MAX_ACTIVE_LEVELS")
        .and_then(|text| text.trim().parse().ok())
    {
        return Some(levels);
    }
    let nested = asked
        .var("OMP_NESTED")
        .is_some_and(|value| value.trim().eq_ignore_ascii_case("true"));
    let bind = asked
        .var("OMP_PROC_BIND")
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    let single = bind.starts_with("true") || bind.starts_with("false");
    let gnu = asked.rules == Rules::Gnu;
    let taken = !gnu || super::gnu::bind_words(&bind).is_some();
    let several = bind.contains(',') && !single && taken;
    if nested || numbers > 1 || several {
        None
    } else {
        Some(1)
    }
}
