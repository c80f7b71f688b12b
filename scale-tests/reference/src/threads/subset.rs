//! Section 6: KMP_HW_SUBSET.

use super::layers::Layers;
use super::{Asked, Set, Why};

/// The cpus that it keeps; all, where it is not applied.
pub(super) fn kept(asked: &Asked<'_>, mask: &Set, text: &str) -> Result<Set, Why> {
    let mut want: [Option<(usize, usize)>; 3] = [None; 3];
    for part in text.split(',') {
        let part = part.trim().to_ascii_lowercase();
        let digits: String = part.chars().take_while(char::is_ascii_digit).collect();
        let (name, offset) = part[digits.len()..]
            .split_once('@')
            .unwrap_or((&part[digits.len()..], "0"));
        let row = match name {
            "s" | "socket" | "sockets" => 0,
            "c" | "core" | "cores" => 1,
            "t" | "thread" | "threads" => 2,
            _ => return Ok(mask.clone()),
        };
        if want[row].is_some() {
            return Ok(mask.clone());
        }
        let count = digits.parse().unwrap_or(usize::MAX);
        want[row] = Some((count, offset.parse().unwrap_or(0)));
    }
    let all = asked.hardware.all();
    let counted = Layers::of(asked, if asked.rules.since(19) { &all } else { mask });
    // How many an object of the layer just above has at most, times how many of these there are up to the next of package, core, thread.
    let rows = [0, counted.core(), counted.thread()];
    for (at, row) in rows.into_iter().enumerate() {
        let Some((count, offset)) = want[at] else {
            continue;
        };
        let top = if at == 0 { 0 } else { rows[at - 1] + 1 };
        let mut most = 1;
        for layer in top..=row {
            let in_layer = counted
                .cpus
                .iter()
                .map(|cpu| cpu.within[layer] as usize + 1);
            most *= in_layer.max().unwrap_or(1);
        }
        let count = if count == usize::MAX { 0 } else { count };
        if count + offset > most {
            let threads = at == 2 && asked.rules.since(19);
            return if threads {
                Err(Why::NotModelled)
            } else {
                Ok(mask.clone())
            };
        }
    }
    let seen = Layers::of(asked, mask);
    let own = [0, seen.core(), seen.thread()];
    let mut found = Set::new();
    for cpu in &seen.cpus {
        let mut kept = true;
        for (at, row) in own.into_iter().enumerate() {
            if let Some((count, offset)) = want[at] {
                let number = ordinal(
                    &seen,
                    cpu.os,
                    if at == 0 { None } else { Some(own[at - 1]) },
                    row,
                );
                kept &= number >= offset && number - offset < count;
            }
        }
        if kept {
            found.insert(cpu.os);
        }
    }
    Ok(if found.is_empty() {
        mask.clone()
    } else {
        found
    })
}

/// The number of a cpu's object among those of the same outer object.
fn ordinal(layers: &Layers, os: u32, outer: Option<usize>, row: usize) -> usize {
    let Some(own) = layers.cpus.iter().find(|cpu| cpu.os == os) else {
        return 0;
    };
    let mut met = Vec::new();
    for cpu in &layers.cpus {
        let together = outer.is_none_or(|outer| cpu.objects[outer] == own.objects[outer]);
        if together && !met.contains(&cpu.objects[row]) {
            met.push(cpu.objects[row]);
        }
    }
    met.iter()
        .position(|&object| object == own.objects[row])
        .unwrap_or(0)
}
