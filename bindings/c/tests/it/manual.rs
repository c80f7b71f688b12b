//! Manual pages of the C interface, one for each group of functions, made from the header. `UPDATE=1` writes them to `man/`.

use crate::programs::folder;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

/// Declarations that one comment is about.
#[derive(Default)]
struct Item {
    comment: String,
    declarations: Vec<String>,
}

/// What each page is about, in a few words.
const ABOUT: &[(&str, &str)] = &[
    ("libstowplan", "where every process of a parallel job runs"),
    ("stow_topology", "the hardware of a node"),
    ("stow_machine", "the hardware of all nodes"),
    ("stow_job", "jobs to be placed"),
    ("stow_plan", "plans: where every process of a job is"),
    ("stow_place_many", "many jobs placed at once"),
    ("stow_explanation", "why a rank is where it is"),
    ("stow_difference", "what moved between two plans"),
    (
        "stow_refused",
        "what a refused job lacks, and which jobs would fit",
    ),
    ("stow_slice", "the part of a plan for one node"),
    ("stow_cluster", "nodes that jobs share"),
    ("stow_waiting", "why a job does not start now"),
    ("stow_planner", "one job planned again when nodes are lost"),
    ("stow_session", "sessions and reservations"),
    ("stow_taskmap", "task maps, read and written"),
    ("stow_threads", "where OpenMP runtimes put threads"),
    ("stow_components", "mapping components of a launcher's own"),
    ("stow_asked", "what a mapping component sees"),
    ("stow_error", "errors"),
];

fn name_of(declaration: &str) -> String {
    let at = declaration
        .find("stow_")
        .filter(|_| !declaration.starts_with("stow_status"));
    let at = at.or_else(|| declaration[1..].find("stow_").map(|at| at + 1));
    let rest = &declaration[at.expect("a function has a name")..];
    rest.chars()
        .take_while(|sign| sign.is_alphanumeric() || *sign == '_')
        .collect()
}

/// The page of a function, by its name.
fn page_of(name: &str) -> String {
    if name == "stow_place_many" {
        return name.to_owned();
    }
    let short: Vec<&str> = name.splitn(3, '_').take(2).collect();
    match short[1] {
        "api" | "object" => "libstowplan".to_owned(),
        _ => short.join("_"),
    }
}

/// The items of a block of the header.
fn items(block: &str) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    let mut rest = block.trim();
    while !rest.is_empty() {
        if let Some(comment) = rest.strip_prefix("/*") {
            let (text, behind) = comment.split_once("*/").expect("a comment ends");
            let lines = text
                .lines()
                .map(|line| line.trim().trim_start_matches("* ").trim());
            items.push(Item {
                comment: lines.collect::<Vec<_>>().join(" ").trim().to_owned(),
                declarations: Vec::new(),
            });
            rest = behind.trim_start();
            continue;
        }
        let (declaration, behind) = rest.split_once(';').expect("a declaration ends");
        let beside = behind.split('\n').next().unwrap_or_default().trim();
        let mut comment = String::new();
        rest = behind.trim_start();
        if let Some(own) = beside.strip_prefix("/*") {
            own.trim_end_matches("*/").trim().clone_into(&mut comment);
            rest = behind
                .split_once('\n')
                .map_or("", |(_, rest)| rest)
                .trim_start();
        }
        if items.is_empty() || !comment.is_empty() {
            items.push(Item {
                comment,
                ..Item::default()
            });
        }
        let declaration = declaration.split_whitespace().collect::<Vec<_>>().join(" ");
        items
            .last_mut()
            .expect("one was made")
            .declarations
            .push(format!("{declaration};"));
    }
    items
}

fn escaped(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-");
    if text.starts_with(['.', '\'']) {
        format!("\\&{text}")
    } else {
        text
    }
}

fn page(name: &str, head: &str, items: &[Item], pages: &[String]) -> String {
    let about = ABOUT.iter().find(|(page, _)| *page == name);
    let (_, about) = about.unwrap_or_else(|| panic!("{name} is about something"));
    let all: Vec<&String> = items.iter().flat_map(|item| &item.declarations).collect();
    let mut names: Vec<String> = all.iter().map(|own| name_of(own)).collect();
    if name == "libstowplan" {
        names.insert(0, name.to_owned());
    }
    let version = env!("CARGO_PKG_VERSION");
    let mut out = String::new();
    let mut line = |text: &str| writeln!(out, "{text}").expect("written");
    line(&format!(
        ".TH {name} 3 \"\" \"stowplan {version}\" \"Library Functions Manual\""
    ));
    line(".SH NAME");
    line(&format!(
        "{} \\- {}",
        escaped(&names.join(", ")),
        escaped(about)
    ));
    line(".SH SYNOPSIS\n.nf\n.B #include <stowplan.h>\n.PP");
    all.iter().for_each(|own| line(&escaped(own)));
    line(".fi\n.SH DESCRIPTION");
    if !head.is_empty() {
        head.lines().for_each(|text| line(&escaped(text)));
    }
    for item in items.iter().filter(|item| !item.comment.is_empty()) {
        let names: Vec<String> = item.declarations.iter().map(|own| name_of(own)).collect();
        if name != "libstowplan" || !names.is_empty() {
            line(&format!(".TP\n.B {}", escaped(&names.join(", "))));
        }
        line(&escaped(&item.comment));
    }
    if name != "libstowplan" {
        line(
            ".SH RETURN VALUE\nHandles, statuses, errors, and text and arrays that are written to the caller's memory: see\n.BR libstowplan (3).",
        );
    }
    line(".SH SEE ALSO");
    let others = ABOUT
        .iter()
        .filter(|(page, _)| *page != name && pages.iter().any(|own| own == page))
        .map(|(page, _)| *page);
    let others: Vec<String> = others.map(|page| format!(".BR {page} (3)")).collect();
    line(&(others.join(",\n") + ",\n.BR stowplan (1)"));
    out
}

/// All pages by name.
fn pages() -> BTreeMap<String, String> {
    let header = fs::read_to_string(folder().join("include/stowplan.h")).expect("it is committed");
    let (head, body) = header
        .split_once("#ifndef STOWPLAN_H")
        .expect("it has a guard");
    let (_, body) = body
        .split_once("/* The STOW_API_VERSION that")
        .expect("the first function");
    let body = format!("/* The STOW_API_VERSION that{body}");
    let (body, _) = body.split_once("#ifdef __cplusplus").expect("the end");
    let mut groups: BTreeMap<String, Vec<Item>> = BTreeMap::new();
    for block in body.split("\n\n") {
        let items = items(block);
        let names = items
            .iter()
            .flat_map(|item| &item.declarations)
            .map(|own| name_of(own));
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        let names: Vec<String> = names.collect();
        let frees = names.iter().all(|name| name.ends_with("_free"));
        names
            .iter()
            .for_each(|name| *counts.entry(page_of(name)).or_default() += 1);
        let most = counts.into_iter().max_by_key(|(_, count)| *count);
        let Some((group, _)) = most else { continue };
        for item in items {
            for declaration in &item.declarations {
                let page = if frees {
                    page_of(&name_of(declaration))
                } else {
                    group.clone()
                };
                let own = groups.entry(page).or_default();
                match own.last_mut() {
                    Some(last) if last.comment == item.comment && !frees => {
                        last.declarations.push(declaration.clone())
                    }
                    _ => own.push(Item {
                        comment: item.comment.clone(),
                        declarations: vec![declaration.clone()],
                    }),
                }
            }
        }
    }
    let lines = head.lines().map(|line| {
        line.trim_start_matches("/*")
            .trim()
            .trim_start_matches("* ")
            .trim_end_matches("*/")
            .trim()
    });
    let head =
        lines
            .filter(|line| *line != "*" && !line.is_empty())
            .fold(String::new(), |text, line| {
                let begins = [
                    "Handles ",
                    "Status ",
                    "NULL ",
                    "Errors ",
                    "Text in ",
                    "Text and ",
                    "Setters ",
                    "Growth ",
                ];
                let mark = if begins.iter().any(|word| line.starts_with(word)) {
                    "\n\n"
                } else {
                    "\n"
                };
                text + mark + &line.split_whitespace().collect::<Vec<_>>().join(" ")
            });
    let names: Vec<String> = groups.keys().cloned().collect();
    let of = |(name, items): (&String, &Vec<Item>)| {
        let head = if name == "libstowplan" {
            head.trim()
        } else {
            ""
        };
        (name.clone(), page(name, head, items, &names))
    };
    groups.iter().map(of).collect()
}

#[test]
fn the_manual_pages_are_those_of_the_header() {
    let to = folder().join("man");
    let pages = pages();
    assert!(pages.len() > 12, "{:?}", pages.keys());
    if std::env::var_os("UPDATE").is_some() {
        let _ = fs::remove_dir_all(&to);
        fs::create_dir_all(&to).expect("a folder");
        for (name, text) in &pages {
            fs::write(to.join(format!("{name}.3")), text).expect("written");
        }
    }
    for (name, text) in &pages {
        let there = fs::read_to_string(to.join(format!("{name}.3"))).unwrap_or_default();
        assert_eq!(&there, text, "{name}: UPDATE=1 writes the page again");
    }
    let files = fs::read_dir(&to).expect("pages are committed");
    assert_eq!(files.count(), pages.len());
}
