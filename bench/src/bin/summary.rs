//! One table with the cost of every shape, as ratios: to memcpy, to the plain mapper, to the last run. As Markdown.
//!
//! `summary [--small] [--only WORD] [--save FILE] [--against FILE] [--markdown FILE]
//! [--prterun PATH --topo-xml FILE [--stowplan PATH]]`: with the last line it also maps with a `prterun`, up to the largest job
//! that prterun can bear.

use std::io::{self, Write as _};
use std::process::ExitCode;
use stowplan_bench::measure::{Measured, shape};
use stowplan_bench::process::Programs;
use stowplan_bench::{plain, process, report};
use stowplan_scale_tests::shapes::{EQUAL, NAMES, RANKED, Words, named, ranked, regular};

#[derive(Default)]
struct Asked {
    divisor: u32,
    save: Option<String>,
    against: Option<String>,
    markdown: Option<String>,
    prterun: Option<String>,
    topo_xml: Option<String>,
    stowplan: Option<String>,
    only: Option<String>,
}

fn main() -> ExitCode {
    let mut out = io::stdout().lock();
    match asked().and_then(|asked| summary(&asked, &mut out)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "summary: {error}");
            ExitCode::from(2)
        }
    }
}

fn asked() -> io::Result<Asked> {
    let mut asked = Asked {
        divisor: 1,
        ..Asked::default()
    };
    let mut args = std::env::args().skip(1);
    while let Some(word) = args.next() {
        if word == "--small" {
            asked.divisor = 32;
            continue;
        }
        let slot = match word.as_str() {
            "--save" => &mut asked.save,
            "--against" => &mut asked.against,
            "--markdown" => &mut asked.markdown,
            "--prterun" => &mut asked.prterun,
            "--topo-xml" => &mut asked.topo_xml,
            "--stowplan" => &mut asked.stowplan,
            "--only" => &mut asked.only,
            _ => return Err(io::Error::other(format!("unknown option {word}"))),
        };
        let value = args.next();
        *slot = Some(value.ok_or_else(|| io::Error::other(format!("{word} needs a value")))?);
    }
    Ok(asked)
}

fn summary(asked: &Asked, out: &mut impl io::Write) -> io::Result<()> {
    let before = match &asked.against {
        Some(path) => report::read(&std::fs::read_to_string(path)?),
        None => Vec::new(),
    };
    let (rows, plain_rows) = measured(asked);
    let mut text = report::markdown(&rows, &before, &plain_rows);
    let processes = match (&asked.prterun, &asked.topo_xml) {
        (Some(prterun), Some(topo_xml)) => process::rows(Programs {
            prterun,
            stowplan: asked.stowplan.as_deref(),
            topo_xml,
        })?,
        _ => Vec::new(),
    };
    if !processes.is_empty() {
        text.push('\n');
        text.push_str(&process::markdown(&processes));
    }
    out.write_all(text.as_bytes())?;
    if let Some(path) = &asked.markdown {
        std::fs::write(path, &text)?;
    }
    if let Some(path) = &asked.save {
        std::fs::write(path, report::lines(&rows))?;
    }
    Ok(())
}

/// Every shape that was asked for; and for shapes that the plain mapper can place: name, its nanoseconds, ours.
fn measured(asked: &Asked) -> (Vec<Measured>, Vec<(String, u64, u64)>) {
    let wanted = |name: &str| {
        asked
            .only
            .as_ref()
            .is_none_or(|only| name.contains(only.as_str()))
    };
    let mut rows: Vec<Measured> = Vec::new();
    let mut plain_rows = Vec::new();
    for by in EQUAL {
        let name = format!("equal-1M {by}");
        if !wanted(&name) {
            continue;
        }
        let node = "package:2 numa:2 l3:2 core:8 pu:1";
        let equal = regular(&name, node, (16_384 / asked.divisor).max(2), 64, by);
        rows.extend(shape(&equal, 50));
        if let Some((theirs, ours)) = plain::both(node, 256, 64, by) {
            plain_rows.push((name, theirs, ours));
        }
    }
    for name in NAMES.iter().filter(|name| wanted(name)) {
        rows.extend(named(name, asked.divisor).and_then(|named| shape(&named, 10)));
    }
    for &(name, map) in RANKED {
        for rank in ["slot", "node", "fill", "span"] {
            let rank = Some(rank);
            let words = Words { map, rank };
            if wanted(&words.title(name)) {
                let ranked = ranked(name, words, asked.divisor);
                rows.extend(ranked.and_then(|ranked| shape(&ranked, 10)));
            }
        }
    }
    (rows, plain_rows)
}
