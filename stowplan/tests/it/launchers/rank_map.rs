//! Hydra's rank map, read by its grammar.

/// `0,(1,1,2),[(0,4,1)]x2`.
pub(crate) fn rank_map(text: &str) -> Vec<usize> {
    assert!(
        text.matches('[').count() <= 1,
        "a second bracket runs once too often"
    );
    if let Some((before, rest)) = text.split_once('[') {
        let (inner, rest) = rest.split_once("]x").unwrap();
        let (times, behind) = rest.split_once(',').unwrap_or((rest, ""));
        let mut all = rank_map(before.trim_end_matches(','));
        for _ in 0..times.parse::<usize>().unwrap() {
            all.extend(rank_map(inner));
        }
        all.extend(rank_map(behind));
        return all;
    }
    let mut all = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        if let Some(triple) = rest.strip_prefix('(') {
            let (triple, behind) = triple.split_once(')').unwrap();
            let numbers: Vec<usize> = triple
                .split(',')
                .map(|number| number.parse().unwrap())
                .collect();
            for node in 0..numbers[1] {
                all.extend(std::iter::repeat_n(numbers[0] + node, numbers[2]));
            }
            rest = behind.strip_prefix(',').unwrap_or(behind);
        } else {
            let (number, behind) = rest.split_once(',').unwrap_or((rest, ""));
            all.push(number.parse().unwrap());
            rest = behind;
        }
    }
    all
}
