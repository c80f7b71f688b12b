//! Fields of a final state, read from JSON; an error names the field.

use serde_json::Value as Json;
use std::collections::BTreeMap;
use stowplan_session::Name;

pub(super) type Read<T> = Result<T, String>;

/// The row of each name of a table.
pub(super) struct Places(BTreeMap<String, u32>);

impl Places {
    pub(super) fn of(rows: &[Json], key: &str) -> Read<Self> {
        let mut places = BTreeMap::new();
        for (at, row) in rows.iter().enumerate() {
            places.insert(text(row, key)?.to_owned(), place(at)?);
        }
        Ok(Self(places))
    }
    pub(super) fn find(&self, name: &str) -> Read<u32> {
        self.0
            .get(name)
            .copied()
            .ok_or_else(|| format!("{name:?} is not there"))
    }
}

pub(super) fn place(at: usize) -> Read<u32> {
    u32::try_from(at).map_err(|_| "too many rows".to_owned())
}

pub(super) fn rows<'j>(json: &'j Json, key: &str) -> Read<&'j [Json]> {
    json[key]
        .as_array()
        .map(Vec::as_slice)
        .ok_or_else(|| format!("{key:?} is no list"))
}

pub(super) fn text<'j>(json: &'j Json, key: &str) -> Read<&'j str> {
    json[key]
        .as_str()
        .ok_or_else(|| format!("{key:?} is no string"))
}

pub(super) fn truth(json: &Json, key: &str) -> Read<bool> {
    json[key]
        .as_bool()
        .ok_or_else(|| format!("{key:?} is no truth value"))
}

pub(super) fn number<T: TryFrom<u64>>(json: &Json, key: &str) -> Read<T> {
    let wide = json[key].as_u64().and_then(|wide| T::try_from(wide).ok());
    wide.ok_or_else(|| format!("{key:?} is no number of its size"))
}

/// A value that may be `null`.
pub(super) fn maybe<'j, T>(
    json: &'j Json,
    key: &str,
    read: impl Fn(&'j Json, &str) -> Read<T>,
) -> Read<Option<T>> {
    if json[key].is_null() {
        Ok(None)
    } else {
        read(json, key).map(Some)
    }
}

pub(super) fn names(json: &Json, key: &str) -> Read<Vec<Name>> {
    let name = |row: &Json| {
        row.as_str()
            .map(Name::new)
            .ok_or_else(|| format!("{key:?} holds no names"))
    };
    rows(json, key)?.iter().map(name).collect()
}

pub(super) fn word<T>(json: &Json, key: &str, words: &[(&str, T)]) -> Read<T>
where
    T: Copy,
{
    let word = text(json, key)?;
    words
        .iter()
        .find(|row| row.0 == word)
        .map(|row| row.1)
        .ok_or_else(|| format!("{key:?} is {word:?}"))
}
