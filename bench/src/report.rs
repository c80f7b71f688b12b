//! The table: as Markdown for people, as lines of numbers for the next run to compare with. Nothing is refused here:
//! bounds are asserted in `scale-tests/measured/tests/it/growth.rs` and `memory.rs`.

use crate::measure::Measured;
use std::fmt::Write as _;

/// Nanoseconds in words, with three digits.
#[must_use]
pub fn time(nanos: u64) -> String {
    let (unit, size) = match nanos {
        0..1_000 => ("ns", 1),
        1_000..1_000_000 => ("µs", 1_000),
        1_000_000..1_000_000_000 => ("ms", 1_000_000),
        _ => ("s", 1_000_000_000),
    };
    format!("{} {unit}", fraction(nanos, size))
}

/// `number / of`, with three digits.
#[must_use]
pub fn fraction(number: u64, of: u64) -> String {
    let of = u128::from(of.max(1));
    let hundredths = u128::from(number) * 100 / of;
    match hundredths {
        0..1_000 => format!("{}.{:02}", hundredths / 100, hundredths % 100),
        1_000..10_000 => format!("{}.{}", hundredths / 100, hundredths % 100 / 10),
        _ => format!("{}", hundredths / 100),
    }
}

/// The table as Markdown. `before`: an earlier run; `reference`: how many times longer the plain mapper takes, by shape.
#[must_use]
pub fn markdown(
    rows: &[Measured],
    before: &[Measured],
    reference: &[(String, u64, u64)],
) -> String {
    let mut text = String::from(
        "| shape | nodes | ranks | plan | table, of memcpy: 1, 2 threads | rank → place | node → view | check | saved | broadcast | plain mapper / ours | last run / this |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    for row in rows {
        let last = before.iter().find(|last| last.name == row.name);
        let last = last.map_or_else(|| "–".to_owned(), |last| fraction(last.plan, row.plan));
        let plain = reference.iter().find(|(name, ..)| *name == row.name);
        let plain = plain.map_or_else(
            || "–".to_owned(),
            |&(_, theirs, ours)| fraction(theirs, ours),
        );
        writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} B | {} B | {plain} | {last} |",
            row.name,
            row.nodes,
            row.ranks,
            time(row.plan),
            shares(row),
            picos(row.question),
            picos(row.view),
            time(row.check),
            row.whole,
            row.broadcast,
        )
        .expect("a String takes every character");
    }
    text
}

/// The table's share of memcpy on one thread and on two.
fn shares(row: &Measured) -> String {
    let share = |threads: usize| fraction(row.memcpy[threads], row.expand[threads]);
    format!("{}, {}", share(0), share(1))
}

fn picos(picos: u64) -> String {
    format!("{} ns", fraction(picos, 1000))
}

/// The rows as lines of numbers.
#[must_use]
pub fn lines(rows: &[Measured]) -> String {
    let mut text = String::new();
    for row in rows {
        let numbers = [
            u64::from(row.nodes),
            u64::from(row.ranks),
            row.plan,
            row.expand[0],
            row.expand[1],
            row.memcpy[0],
            row.memcpy[1],
            row.question,
            row.view,
            row.check,
            row.whole,
            row.broadcast,
        ];
        let numbers: Vec<String> = numbers.iter().map(u64::to_string).collect();
        writeln!(text, "{}\t{}", row.name, numbers.join("\t"))
            .expect("a String takes every character");
    }
    text
}

/// Reads the text of [`lines`]; other lines are left out.
#[must_use]
pub fn read(text: &str) -> Vec<Measured> {
    text.lines()
        .filter_map(|line| {
            let (name, numbers) = line.split_once('\t')?;
            let numbers: Option<Vec<u64>> =
                numbers.split('\t').map(|word| word.parse().ok()).collect();
            let numbers: [u64; 12] = numbers?.try_into().ok()?;
            Some(Measured {
                name: name.to_owned(),
                nodes: u32::try_from(numbers[0]).ok()?,
                ranks: u32::try_from(numbers[1]).ok()?,
                plan: numbers[2],
                expand: [numbers[3], numbers[4]],
                memcpy: [numbers[5], numbers[6]],
                question: numbers[7],
                view: numbers[8],
                check: numbers[9],
                whole: numbers[10],
                broadcast: numbers[11],
            })
        })
        .collect()
}
