//! Options of other launchers, and our words for them.

/// What an option of another launcher is called here. `N` stands for its value.
struct Foreign {
    /// Names without dashes.
    names: &'static [&'static str],
    /// Our words.
    ours: &'static str,
}

const FOREIGN: &[Foreign] = &[
    Foreign {
        names: &["ntasks-per-node", "tasks-per-node", "ppn", "perhost", "N"],
        ours: "--map-by ppr:N:node",
    },
    Foreign {
        names: &["ntasks-per-socket"],
        ours: "--map-by ppr:N:package",
    },
    Foreign {
        names: &["ntasks-per-core"],
        ours: "--map-by ppr:N:core",
    },
    Foreign {
        names: &["cpus-per-task", "depth", "d", "cores-per-task"],
        ours: "--map-by :pe=N",
    },
    Foreign {
        names: &["cpu-bind", "cpu_bind", "bind"],
        ours: "--bind-to core",
    },
    Foreign {
        names: &["ntasks", "nprocs", "tasks", "nrs", "n"],
        ours: "-n N",
    },
    Foreign {
        names: &["nodelist", "w", "hosts"],
        ours: "-H N",
    },
    Foreign {
        names: &["distribution", "m"],
        ours: "--map-by slot or --map-by node",
    },
    Foreign {
        names: &["nodes"],
        ours: "-H 'n[1-4]:SLOTS', which names the nodes",
    },
    Foreign {
        names: &["gpus-per-task"],
        ours: "--gpus-per-rank N",
    },
];

/// Our words for a bind option of another launcher with this value.
fn bound(value: Option<&str>) -> &'static str {
    match value {
        Some("none" | "no" | "off") => "--bind-to none",
        Some("socket" | "sockets") => "--bind-to package",
        Some("ldom" | "ldoms" | "numa") => "--bind-to numa",
        Some("thread" | "threads") => "--bind-to hwthread",
        _ => "--bind-to core",
    }
}

/// Our words for an option of another launcher, with its value if that is a plain number or name.
///
/// `name` has no dashes. A number may directly follow a letter, as in `-N4`.
pub(super) fn ours(name: &str, value: Option<&str>) -> Option<String> {
    let (name, hanging) = match name.char_indices().nth(1) {
        Some((at, _)) if name[at..].bytes().all(|byte| byte.is_ascii_digit()) => {
            (&name[..at], Some(&name[at..]))
        }
        _ => (name, None),
    };
    let row = FOREIGN.iter().find(|row| row.names.contains(&name))?;
    if row.ours == "--bind-to core" {
        return Some(bound(value).to_owned());
    }
    // Every value is a number, except a list of nodes. A program after an option without its value is not taken for a number.
    let names = row.ours == "-H N";
    let plain = |value: &&str| match names {
        true => {
            !value.starts_with('-') && value.len() <= 40 && !value.contains(char::is_whitespace)
        }
        false => value.len() <= 10 && value.bytes().all(|byte| byte.is_ascii_digit()),
    };
    let value = hanging.or(value.filter(plain)).unwrap_or("N");
    let whole = |word: &str| {
        word.strip_prefix("N")
            .map_or(word.to_owned(), |rest| format!("{value}{rest}"))
    };
    // N stands alone, or after a colon or an equals sign.
    let words = row.ours.split_inclusive([' ', ':', '=']).map(whole);
    Some(words.collect())
}

#[cfg(test)]
mod tests {
    use super::ours;

    fn check(name: &str, value: Option<&str>, words: Option<&str>) {
        assert_eq!(ours(name, value).as_deref(), words, "{name} {value:?}");
    }

    #[test]
    fn words_of_other_launchers_have_ours() {
        check("ntasks-per-node", Some("4"), Some("--map-by ppr:4:node"));
        check("cpus-per-task", Some("8"), Some("--map-by :pe=8"));
        check("cpu-bind", Some("cores"), Some("--bind-to core"));
        check("N4", None, Some("--map-by ppr:4:node"));
        check("ppn", Some("16"), Some("--map-by ppr:16:node"));
        check("depth", None, Some("--map-by :pe=N"));
        check("depth", Some("./x"), Some("--map-by :pe=N"));
        check("cpu-bind", Some("none"), Some("--bind-to none"));
        check("w", Some("n[1-2]"), Some("-H n[1-2]"));
        check("n64", None, Some("-n 64"));
        check("map-bi", None, None);
        check("", None, None);
    }
}
