//! Everything that comments, pages and cases cite exists: a numbered rule, a heading, a page. Each rule has a worked example that
//! is a case.

use crate::console::root;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Pages whose rules are cited by number, `semantics` 4.3, and pages whose headings are cited in quotes, errors "Room".
const NUMBERED: [&str; 2] = ["semantics", "per-app"];
const HEADED: [&str; 5] = [
    "taskmap",
    "reservations",
    "errors",
    "contract",
    "topologies",
];
/// Folders and files with citations.
const CITING: &[&str] = &[
    "engine",
    "judge",
    "session",
    "topo",
    "tools",
    "stowplan",
    "bench",
    "scale-tests",
    "cases",
    "docs",
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
];
/// This file has text that looks like citations.
const SELF: &str = "citations.rs";

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn page(name: &str) -> String {
    read(&root().join("docs").join(format!("{name}.md")))
}

fn texts(path: &Path, found: &mut Vec<PathBuf>) {
    if path.is_dir() && !path.ends_with("target") {
        let entries = fs::read_dir(path).expect("a folder that can be read");
        let mut paths: Vec<PathBuf> = entries
            .map(|entry| entry.expect("an entry").path())
            .collect();
        paths.sort();
        for path in paths {
            texts(&path, found);
        }
    } else if path
        .extension()
        .is_some_and(|end| end == "rs" || end == "md" || end == "case")
        && !path.ends_with(SELF)
    {
        found.push(path.to_owned());
    }
}

/// The text of comments and pages without comment marks, so that a citation may continue on the next line.
fn prose(path: &Path) -> String {
    let text = read(path);
    let lines = text.lines().map(|line| {
        let line = line.trim_start();
        let bare = line.trim_start_matches(['/', '!', '#']);
        bare.trim_start()
    });
    lines.collect::<Vec<_>>().join(" ")
}

/// Rule numbers of a page: `**4.3` and `## 4`.
fn rules(name: &str) -> BTreeSet<String> {
    let text = page(name);
    let number = |rest: &str| {
        let end = rest.find(|sign: char| !(sign.is_ascii_digit() || sign == '.'));
        rest[..end.unwrap_or(rest.len())]
            .trim_end_matches('.')
            .to_owned()
    };
    let bold = text
        .match_indices("**")
        .map(|(at, mark)| number(&text[at + mark.len()..]));
    let headings = text
        .lines()
        .filter_map(|line| Some(number(line.strip_prefix("## ")?)));
    bold.chain(headings)
        .filter(|number| !number.is_empty())
        .collect()
}

/// Headings of a page, without their marks.
fn headings(name: &str) -> BTreeSet<String> {
    let text = page(name);
    let headings = text.lines().filter(|line| line.starts_with('#'));
    headings
        .map(|line| line.trim_start_matches('#').trim().to_owned())
        .collect()
}

/// The text after each mention of a page by name: `semantics` 4, semantics 4, docs/semantics.md 4.
fn behind<'t>(text: &'t str, name: &str) -> Vec<&'t str> {
    let mentions = text.match_indices(name).filter(|(at, _)| {
        let before = text[..*at].chars().next_back();
        before.is_none_or(|sign| !(sign.is_alphanumeric() || sign == '_' || sign == '-'))
    });
    let rest = mentions.map(|(at, _)| {
        let rest = &text[at + name.len()..];
        let rest = rest.strip_prefix(".md").unwrap_or(rest);
        rest.strip_prefix('`').unwrap_or(rest)
    });
    rest.filter_map(|rest| rest.strip_prefix(' ')).collect()
}

/// The numbers at the start of a text: `4.5, 4.6 and 5`, `4.1 to 4.7`.
fn numbers(mut rest: &str) -> Vec<String> {
    let mut found = Vec::new();
    loop {
        let end = rest
            .find(|sign: char| !(sign.is_ascii_digit() || sign == '.'))
            .unwrap_or(rest.len());
        let number = rest[..end].trim_end_matches('.');
        if number.is_empty()
            || rest[end..].starts_with(|sign: char| sign.is_alphanumeric() || sign == '_')
        {
            return found;
        }
        found.push(number.to_owned());
        rest = &rest[number.len()..];
        let joined = [", ", " and ", " to "]
            .iter()
            .find_map(|joint| rest.strip_prefix(joint));
        match joined {
            Some(next) => rest = next,
            None => return found,
        }
    }
}

#[test]
fn every_citation_is_there() {
    let mut paths = Vec::new();
    for name in CITING {
        texts(&root().join(name), &mut paths);
    }
    let mut faults = Vec::new();
    let mut cited = 0;
    let numbered = NUMBERED.map(|name| (name, rules(name)));
    let headed = HEADED.map(|name| (name, headings(name)));
    for path in &paths {
        let text = prose(path);
        for (name, rules) in &numbered {
            for number in behind(&text, name).into_iter().flat_map(numbers) {
                cited += 1;
                if !rules.contains(&number) {
                    faults.push(format!("{}: {name} {number}", path.display()));
                }
            }
        }
        for (name, headings) in &headed {
            for rest in behind(&text, name) {
                if rest.starts_with(|sign: char| sign.is_ascii_digit()) && *name != "errors" {
                    faults.push(format!(
                        "{}: {name} has no numbers: {:.12}",
                        path.display(),
                        rest
                    ));
                }
                let Some(heading) = rest
                    .strip_prefix('"')
                    .and_then(|rest| rest.split('"').next())
                else {
                    continue;
                };
                cited += 1;
                if !headings.contains(heading) {
                    faults.push(format!("{}: {name} \"{heading}\"", path.display()));
                }
            }
        }
        let pages = text.match_indices("docs/").filter_map(|(at, _)| {
            let rest = &text[at..];
            let end = rest.find(".md")?;
            let plain = |sign: char| {
                sign.is_ascii_alphanumeric() || sign == '/' || sign == '-' || sign == '_'
            };
            rest[..end]
                .chars()
                .all(plain)
                .then(|| format!("{}.md", &rest[..end]))
        });
        for page in pages {
            cited += 1;
            if !root().join(&page).exists() {
                faults.push(format!("{}: {page}", path.display()));
            }
        }
    }
    assert!(
        faults.is_empty(),
        "what is cited is not there:\n{}",
        faults.join("\n")
    );
    assert!(
        cited > 150,
        "{cited} citations: they are looked for in the right way"
    );
}

/// Node and cpus of the first six ranks of a case's first command, or the class of its refusal.
fn answer(case: &str) -> String {
    let mut lines = case.lines().skip_while(|line| !line.starts_with("$ "));
    lines.next();
    let lines: Vec<&str> = lines.take_while(|line| !line.starts_with("$ ")).collect();
    let refusal = lines.iter().find_map(|line| line.strip_prefix("error["));
    if let Some(rest) = refusal {
        return format!("`{}`", rest.split(']').next().unwrap_or_default());
    }
    let ranks = lines
        .iter()
        .filter(|line| line.starts_with(|sign: char| sign.is_ascii_digit()));
    let ranks = ranks.map(|line| {
        let cells: Vec<&str> = line.split('\t').collect();
        format!("{} {}", cells[3], cells[7])
    });
    let ranks: Vec<String> = ranks.collect();
    let more = if ranks.len() > 6 { " …" } else { "" };
    format!("{}{more}", ranks[..ranks.len().min(6)].join(", "))
}

#[test]
fn every_rule_has_a_worked_example() {
    let text = page("semantics");
    let (rules_part, examples) = text
        .split_once("## 9 Worked examples")
        .expect("the examples");
    let mut shown = BTreeSet::new();
    for row in examples
        .lines()
        .filter(|line| line.starts_with('|') && line.contains('`'))
    {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        let [rule, job, ranks, case] = cells[..] else {
            panic!("four cells: {row}");
        };
        let case = read(
            &root()
                .join("cases")
                .join(format!("{}.case", case.trim_matches('`'))),
        );
        let command = case
            .lines()
            .find(|line| line.starts_with("$ "))
            .unwrap_or_default();
        assert!(
            command.ends_with(job.trim_matches('`')),
            "{rule}: {job} is not {command}"
        );
        assert_eq!(answer(&case), ranks, "rule {rule}");
        shown.insert(rule.to_owned());
    }
    let wanted = rules_part.match_indices("**").filter_map(|(at, _)| {
        let number = numbers(&rules_part[at + 2..]).into_iter().next()?;
        number.contains('.').then_some(number)
    });
    for rule in wanted {
        assert!(shown.contains(&rule), "rule {rule} has no worked example");
    }
}
