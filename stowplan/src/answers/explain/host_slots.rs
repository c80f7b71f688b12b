//! Host lists with other slots: what a job without room could ask for.

/// An entry of a host list.
pub(super) struct Entry {
    name: String,
    pub(super) count: Option<String>,
}

/// The entries of a host list.
pub(super) fn entries(hosts: &str) -> Vec<Entry> {
    let mut parts = vec![String::new()];
    let mut depth = 0_u32;
    for sign in hosts.chars() {
        match sign {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(part) = parts.last_mut() {
            part.push(sign);
        }
    }
    let entry = |part: String| match part.rsplit_once(':') {
        Some((name, count)) if !count.contains(']') => Entry {
            name: name.to_owned(),
            count: Some(count.to_owned()),
        },
        Some(_) | None => Entry {
            name: part,
            count: None,
        },
    };
    parts.into_iter().map(entry).collect()
}

/// A host list with this many slots on each node.
pub(super) fn with_slots(hosts: &str, slots: u32) -> String {
    let written = entries(hosts).into_iter().map(|entry| match entry {
        Entry { name, count } if name.starts_with('+') => match count {
            Some(count) => format!("{name}:{count}"),
            None => name,
        },
        Entry { name, .. } => format!("{name}:{slots}"),
    });
    written.collect::<Vec<_>>().join(",")
}
