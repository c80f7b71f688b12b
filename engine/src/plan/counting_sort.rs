//! A counting sort, for keys from a small range: it compares no items.

/// Sorts items by key into `sorted`; items with the same key keep their order. `ends`: where the items of each key end in
/// `sorted`. Shape `[keys]`.
///
/// Cost: two passes over the items and one over the keys.
pub(super) fn by_key<T: Copy>(
    items: impl Iterator<Item = (u32, T)> + Clone,
    keys: usize,
    ends: &mut Vec<u32>,
    sorted: &mut Vec<T>,
) {
    ends.clear();
    ends.resize(keys, 0);
    sorted.clear();
    let Some((_, any)) = items.clone().next() else {
        return;
    };
    items.clone().for_each(|(key, _)| ends[key as usize] += 1);
    let mut sum = 0;
    for end in &mut *ends {
        sum += std::mem::replace(end, sum);
    }
    sorted.resize(sum as usize, any);
    items.for_each(|(key, item)| {
        let end = &mut ends[key as usize];
        sorted[*end as usize] = item;
        *end += 1;
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_of_a_key_stay_as_they_come() {
        let items = [(2, 'a'), (0, 'b'), (2, 'c'), (4, 'd'), (0, 'e')];
        let (mut ends, mut sorted) = (vec![9], vec!['z']);
        by_key(items.into_iter(), 5, &mut ends, &mut sorted);
        assert_eq!(
            (ends, sorted),
            (vec![2, 2, 4, 4, 5], "beacd".chars().collect())
        );
        let (mut ends, mut sorted) = (vec![9], vec!['z']);
        by_key(std::iter::empty::<(u32, char)>(), 2, &mut ends, &mut sorted);
        assert_eq!((ends, sorted), (vec![0, 0], vec![]));
    }
}
