//! Rows of tables of words that have several names: MPICH's Hydra and Intel MPI's.

use stowplan_engine::text::words::nearest;

/// A word: its names without dashes, how many values it takes, what it does.
pub(crate) struct Word<D> {
    pub(crate) names: &'static [&'static str],
    pub(crate) values: usize,
    pub(crate) does: D,
}

/// A row of a table.
pub(crate) const fn word<D: Copy>(
    names: &'static [&'static str],
    values: usize,
    does: D,
) -> Word<D> {
    Word {
        names,
        values,
        does,
    }
}

/// The word with this name.
pub(crate) fn find<D>(words: &'static [Word<D>], name: &str) -> Option<&'static Word<D>> {
    words.iter().find(|word| word.names.contains(&name))
}

/// The nearest word to one that is unknown.
pub(crate) fn near<D>(words: &'static [Word<D>], name: &str) -> Option<&'static str> {
    let names = words.iter().flat_map(|word| word.names.iter().copied());
    nearest(names, name).filter(|near| *near != name)
}

/// What a word that places nothing sets. Several words set one thing: `-l` and `-prepend-rank`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Setting {
    /// What is set, by its first word.
    pub(crate) name: &'static str,
    /// What a word without a value says of it.
    pub(crate) says: &'static str,
    pub(crate) again: Again,
}

/// What a launcher does when a thing is set a second time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Again {
    /// Refuses, for the whole job.
    Refused,
    /// Refuses, for one program.
    RefusedOfProgram,
    /// Refuses another value.
    IfSame,
}

/// What is set already, with its value.
#[derive(Clone, Default, Debug)]
pub(crate) struct Settings {
    set: Vec<(&'static str, String)>,
}

/// Sets a thing, of the whole job or of one program; whether the launcher takes it.
pub(crate) fn takes(
    setting: Setting,
    value: String,
    job: &mut Settings,
    program: &mut Settings,
) -> bool {
    let value = match setting.says {
        "" => value,
        says => says.to_owned(),
    };
    let set = match setting.again {
        Again::RefusedOfProgram => &mut program.set,
        Again::Refused | Again::IfSame => &mut job.set,
    };
    let known = set.iter().find(|(name, _)| *name == setting.name);
    let Some((_, known)) = known else {
        set.push((setting.name, value));
        return true;
    };
    setting.again == Again::IfSame && *known == value
}

/// The number that leading digits make, as C's `atoi` reads it.
pub(crate) fn leading_number(text: &str) -> i64 {
    let text = text.trim_start();
    let (minus, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let digits = digits.bytes().take_while(u8::is_ascii_digit);
    let number = digits.fold(0_i64, |sum, digit| {
        (sum.saturating_mul(10) + i64::from(digit - b'0')).min(i64::from(i32::MAX))
    });
    if minus { -number } else { number }
}
