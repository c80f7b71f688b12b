//! The picture: one small file that agrees with the plan; where a browser is installed, also as the browser shows it.

use crate::console::{MadeUp, Said, stowplan, words};
use crate::folder::Folder;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

fn run(line: &str) -> Said {
    stowplan(&words(line), &MadeUp::default())
}

const JOBS: &[&str] = &[
    "--topo 'package:2 numa:2 core:4 pu:2' -H a:16,b:16,c:4 -n 6 --map-by slot:pe=2 ./io : -n 12 --map-by core ./solver : -n 4 --map-by package --bind-to package '<b>&'",
    "--topo builtin:perlmutter-cpu -H nid[001-009]:128 -n 1000 --map-by numa --rank-by span ./a",
    "--topo 'core:4 pu:1' -H a:4,b:4 -n 16 --map-by slot:oversubscribe --bind-to none ./a",
    "--topo 'core:4 pu:1' -H a:4,b:4 -n 6 --map-by node ./a",
    "--topo 'pu:4' -H a:4 -n 3 ./a",
    "--topo 'package:2 l3:2 core:9 pu:2' --topo b='core:3 pu:1' -H a:36,b:3,c:36 --map-by hwthread ./a",
];
const LARGE: &str = "--topo 'package:2 core:64 pu:2' -H n[0-8191]:128 --map-by core ./a";

/// The values of an attribute, in the order of the page.
fn values(page: &str, name: &str) -> Vec<String> {
    let open = format!(" {name}=\"");
    let parts = page.split(&open).skip(1);
    parts
        .map(|part| part.split('"').next().unwrap().to_owned())
        .collect()
}

#[test]
fn titles_say_what_the_table_says_and_shapes_are_all_nodes() {
    for job in JOBS {
        let table = run(&format!("map --format tsv {job}"));
        let rows: Vec<Vec<&str>> = table
            .out
            .lines()
            .skip(1)
            .map(|row| row.split('\t').collect())
            .collect();
        for format in ["html", "svg"] {
            let said = run(&format!("map --format {format} {job}"));
            assert_eq!(said.status, 0, "{job}: {}", said.err);
            assert!(said.out.len() <= 300_000);
            let titles: Vec<&str> = said
                .out
                .split("<title>")
                .skip(1)
                .map(|part| part.split("</title>").next().unwrap())
                .collect();
            let procs: Vec<&&str> = titles
                .iter()
                .filter(|title| title.contains(" rank "))
                .collect();
            for title in &procs {
                let told: Vec<&str> = title.split(' ').collect();
                let row = &rows[told[2].parse::<usize>().unwrap()];
                assert_eq!((told[0], told[4]), (row[3], row[7]), "{job}");
            }
            let mut firsts: BTreeMap<String, usize> = BTreeMap::new();
            for hosts in values(&said.out, "data-hosts") {
                let first = run(&format!("map --node {hosts} --format tsv {job}"));
                assert_eq!(first.status, 0, "{hosts}: {}", first.err);
                let names: Vec<&str> = first
                    .out
                    .lines()
                    .skip(1)
                    .map(|row| row.split('\t').nth(3).unwrap())
                    .collect();
                for name in names {
                    *firsts.entry(name.to_owned()).or_default() += 1;
                }
            }
            assert_eq!(
                firsts.values().sum::<usize>(),
                rows.len(),
                "every rank is on a node of a shape"
            );
            let drawn: Vec<&str> = procs
                .iter()
                .map(|title| title.split(' ').next().unwrap())
                .collect();
            let on_drawn = rows.iter().filter(|row| drawn.contains(&row[3])).count();
            assert_eq!(procs.len(), on_drawn.min(1000), "{job}");
            assert!(!said.out.contains("<b>"), "names are escaped");
        }
    }
}

#[test]
fn pictures_of_large_and_of_odd_jobs_stay_small() {
    let odd = format!(
        "--topo 'package:2 core:64 pu:2' {}",
        "-H n[0-499]:1,m[0-499]:128 -n 30000 --map-by slot ./a : -n 400 --map-by node ./b : -n 999 --map-by package ./c"
    );
    for job in [LARGE, &odd] {
        for format in ["html", "svg"] {
            let said = run(&format!("map --format {format} {job}"));
            assert_eq!(said.status, 0, "{}", said.err);
            assert!(said.out.len() <= 300_000, "{format}: {}", said.out.len());
        }
    }
    for format in ["html", "svg"] {
        let said = run(&format!(
            "diff --format {format} -- {LARGE} -- {} ",
            LARGE.replace("core ", "package ")
        ));
        assert_eq!(said.status, 1, "{}", said.err);
        assert!(said.out.len() <= 300_000 && said.out.contains("moved"));
    }
    assert!(
        !run(&format!("map --format svg {LARGE}"))
            .out
            .contains("<script")
    );
}

/// The page as a browser has it after running its scripts, in a window of this width; `None`: there is no browser.
fn browser(page: &Path, width: u32) -> Option<(String, String)> {
    let profile = page.with_extension("profile");
    let said = Command::new("chromium")
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
        ])
        .args([
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
        ])
        .args(["--enable-logging=stderr", "--v=0", "--dump-dom"])
        .arg(format!("--window-size={width},900"))
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("file://{}", page.display()))
        .output()
        .ok()?;
    let _ = fs::remove_dir_all(profile);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Some((text(&said.stdout), text(&said.stderr)))
}

/// Searches for a rank, and puts the width of the page into the title.
const ASK: &str = "<script>var box=document.querySelector('input[type=search]');box.value='RANK';\
box.dispatchEvent(new Event('input'));var root=document.documentElement;\
document.title='wide '+(root.scrollWidth>root.clientWidth)+' found '+document.querySelectorAll('.found').length;</script>";

#[test]
fn a_browser_shows_it_without_complaint() {
    let folder = Folder::new("picture");
    let path = folder.path().join("page.html");
    // What fits on a phone fits on a desk: both are tried in the long check.
    let widths: &[u32] = match std::env::var_os("STOWPLAN_LONG") {
        Some(_) => &[400, 1200],
        None => &[400],
    };
    for (job, rank) in [
        (JOBS[0], "7"),
        (JOBS[1], "700"),
        (JOBS[3], "5"),
        (JOBS[5], "3"),
        (LARGE, "1000000"),
    ] {
        let said = run(&format!("map --format html {job}"));
        let page = said
            .out
            .replace("</body>", &format!("{}</body>", ASK.replace("RANK", rank)));
        fs::write(&path, page).unwrap();
        for &width in widths {
            let Some((dom, log)) = browser(&path, width) else {
                println!("skipped: there is no chromium to show the picture");
                return;
            };
            let title = dom
                .split("<title>")
                .nth(1)
                .unwrap_or("")
                .split("</title>")
                .next()
                .unwrap();
            assert_eq!(title, "wide false found 1", "{job} at {width}\n{log}");
            assert!(!log.contains("CONSOLE"), "{log}");
        }
    }
}

/// Viewers outside of browsers read no style sheets, or half of them: the colours are attributes.
#[test]
fn a_picture_alone_needs_no_style_sheet() {
    let job = "-H n[0-1]:4 --topo 'package:2 core:2 pu:1' -n 8 --map-by core";
    for picture in [
        run(&format!("map --format svg {job}")).out,
        run(&format!("score --format svg --pattern ring -- {job}")).out,
        run(&format!("advise --format svg --pattern ring -- {job}")).out,
    ] {
        for absent in ["<style", "style=", "var(", "<script"] {
            assert!(!picture.contains(absent), "{absent} in {picture}");
        }
        assert_eq!(picture.matches("viewBox=").count(), 1);
        assert!(picture.contains("fill=\"#c4ddf6\" stroke=\"#1b4f86\""));
    }
}

/// `UPDATE=1` draws it anew.
#[test]
fn the_picture_of_the_readme_is_what_its_command_draws() {
    let root = crate::console::root();
    let page = fs::read_to_string(root.join("docs/page.md")).unwrap();
    let command = page.lines().find_map(|line| {
        let (command, path) = line.strip_prefix("stowplan ")?.split_once(" > ")?;
        (path == "docs/lab/page.svg").then_some(command)
    });
    let said = run(command.expect("docs/page.md has the command"));
    assert_eq!(said.status, 0, "{}", said.err);
    let path = root.join("docs/lab/page.svg");
    let update = std::env::var_os("UPDATE").is_some_and(|value| value == "1");
    if update && std::env::var_os("CI").is_none() {
        fs::write(&path, &said.out).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap();
    assert!(
        kept == said.out,
        "docs/lab/page.svg is old: UPDATE=1 draws it anew"
    );
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    let first = readme.split("](").find(|part| {
        part.split(')')
            .next()
            .is_some_and(|link| link.ends_with(".svg"))
    });
    assert!(first.is_some_and(|link| link.starts_with("docs/lab/page.svg)")));
}

/// The numbers behind a mark, wherever it stands.
fn numbers(text: &str, mark: &str) -> Vec<u64> {
    let behind = text.split(mark).skip(1);
    let number = |rest: &str| {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        rest[..digits].parse().ok()
    };
    behind.filter_map(number).collect()
}

#[test]
fn groups_and_switches_are_around_all_nodes() {
    let few = run("map --format svg --topo 'core:4 pu:1' -n 36 -H n[0-17]:2 --network 'dragonfly group:4 switch:4 node:4 n[0-63]' ./app").out;
    for name in ["group0", "group1", "switch0", "switch4"] {
        assert_eq!(few.matches(&format!(">{name}<")).count(), 1, "{name}");
    }
    for absent in ["group2", "switch5"] {
        assert!(!few.contains(absent), "no node of the job is in {absent}");
    }
    for node in 0..18 {
        let title = format!("<title>n{node}: shape A</title>");
        assert_eq!(few.matches(&title).count(), 1, "n{node}\n{few}");
    }
    // Two plans on it: each side has its own boxes.
    for format in ["svg", "html"] {
        let both = run(&format!("diff --format {format} --network 'dragonfly group:4 switch:4 node:4 n[0-63]' -- --topo 'core:4 pu:1' -n 36 -H n[0-17]:2 -- --topo 'core:4 pu:1' -n 36 -H n[0-7,16]:4")).out;
        for (name, count) in [
            ("group0", 2),
            ("group1", 2),
            ("switch1", 2),
            ("switch3", 1),
            ("switch4", 2),
        ] {
            assert_eq!(both.matches(&format!(">{name}<")).count(), count, "{name}");
        }
        for (node, count) in [(0, 2), (9, 1), (16, 2), (17, 1), (18, 0)] {
            let title = format!("<title>n{node}: shape ");
            assert_eq!(both.matches(&title).count(), count, "n{node}");
        }
        assert!(both.len() <= 300_000);
    }
    let large = run("diff --format html --network 'tree switch:2500 node:8 n[0-19999]' -- --topo 'core:4 pu:1' -n 40000 -H n[0-19999]:2 -- --topo 'core:4 pu:1' -n 40000 -H n[0-9999]:4").out;
    assert!(
        large.len() <= 300_000 && large.contains("A ×"),
        "{}",
        large.len()
    );
    // Of more nodes than there is room for, all are counted.
    let many = run("map --format svg --topo 'core:4 pu:1' -n 40000 -H n[0-19999]:2 --network 'tree switch:2500 node:8 n[0-19999]' ./app").out;
    let drawn: u64 = numbers(&many, "A ×").iter().sum();
    let rest: u64 = numbers(&many, " more with ").iter().sum();
    assert!(drawn > 500, "{drawn}");
    assert_eq!(drawn + rest, 20_000, "{drawn} are drawn, {rest} counted");
}

/// A digit is at most two thirds as wide as its type is high.
#[test]
fn no_rank_is_wider_than_its_box() {
    for job in [
        "--topo 'core:8 pu:1' -H n[0-999999]:8 -n 8000000 --map-by node ./a",
        "--topo 'core:2 pu:1' -H n[0-61]:99999 -n 6000000 --bind-to none ./a",
        "--topo 'core:8 pu:1' -H n[0-3]:8 -n 32 ./a",
    ] {
        let svg = run(&format!("map --format svg {job}")).out;
        let mut seen = 0;
        for process in svg.split(" data-rank=").skip(1) {
            let process = process.split("</g>").next().unwrap();
            let wide = numbers(process, " width=\"")[0];
            let text = process.split("<text").nth(1).unwrap();
            let size = numbers(text, "font-size=\"").first().copied().unwrap_or(11);
            let rank = text.split(['>', '<']).nth(1).unwrap();
            assert!(
                rank.len() as u64 * size * 2 <= wide * 3,
                "{rank} at {size} in {wide}"
            );
            seen += 1;
        }
        assert!(seen >= 8, "{job}: {seen}");
    }
}

#[test]
fn cores_of_ranks_that_are_not_drawn_are_not_idle() {
    let svg =
        run("map --format svg --topo 'core:4 pu:1' -H n[0-60]:99999 -n 6000000 --bind-to none ./a")
            .out;
    assert!(svg.contains("more processes not drawn"), "{svg}");
    assert!(!svg.contains("class=\"free\""), "{svg}");
    assert_eq!(svg.matches("data-shape=").count(), 2);
    let second = svg.split("data-shape=\"B\"").nth(1).unwrap();
    assert!(
        second.contains("data-rank=\"5999940\""),
        "each shape has ranks that are drawn"
    );
}

/// The colours that a picture names, for light and for dark paper.
fn colours(picture: &str) -> [std::collections::BTreeMap<String, [u8; 3]>; 2] {
    let mut found = picture.match_indices(":root,svg{").map(|(at, start)| {
        let rest = &picture[at + start.len()..];
        let rest = &rest[..rest.find('}').unwrap()];
        let colour = |entry: &str| {
            let (name, value) = entry.split_once(':').unwrap();
            let digits = value.trim_start_matches('#');
            let digits: String = match digits.len() {
                3 => digits.chars().flat_map(|digit| [digit, digit]).collect(),
                _ => digits.to_owned(),
            };
            let part = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).unwrap();
            (name.to_owned(), [part(0), part(2), part(4)])
        };
        rest.split(';').map(colour).collect()
    });
    [found.next().unwrap(), found.next().unwrap()]
}

/// Contrast of two colours as WCAG 2.1 defines it.
#[expect(clippy::float_arithmetic, reason = "the definition of WCAG")]
fn contrast(one: [u8; 3], other: [u8; 3]) -> f64 {
    let light = |colour: [u8; 3]| -> f64 {
        let parts = colour.map(|part| {
            let part = f64::from(part) / 255.0;
            if part <= 0.04045 {
                part / 12.92
            } else {
                ((part + 0.055) / 1.055).powf(2.4)
            }
        });
        0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    };
    let (a, b) = (light(one), light(other));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[test]
fn colours_are_apart_as_wcag_aa_asks() {
    let job = "-H n[0-1]:4 --topo 'package:2 core:2 pu:1' -n 8 --map-by core";
    for picture in [
        run(&format!("map --format html {job}")).out,
        run(&format!("score --format html --pattern ring -- {job}")).out,
    ] {
        for colours in colours(&picture) {
            let apart = |one: &str, other: &str, least: f64| {
                let found = contrast(colours[one], colours[other]);
                assert!(
                    found >= least,
                    "{one} on {other}: {found}, at least {least}"
                );
            };
            // Text, on every background that it is on.
            for ground in [
                "--paper", "--cell", "--f0", "--f1", "--f2", "--f3", "--f4", "--f5",
            ] {
                apart("--ink", ground, 4.5);
            }
            apart("--soft", "--paper", 4.5);
            apart("--soft", "--cell", 4.5);
            // Frames and lines that carry meaning.
            apart("--line", "--paper", 3.0);
            for app in 0..6 {
                apart(&format!("--s{app}"), &format!("--f{app}"), 3.0);
                apart(&format!("--s{app}"), "--paper", 3.0);
            }
        }
    }
}
