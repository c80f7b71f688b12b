//! Attacks of strangers, written again: pairs of jobs, pictures of random jobs, plans with bytes changed and sealed again, texts
//! with escapes. None may end the process, and none may reach a terminal raw.

use crate::console::{MadeUp, Said, stowplan, words};
use crate::folder::Folder;
use crate::random_jobs::{job, long, roll};
use std::time::{Duration, Instant};

fn run(line: &str) -> Said {
    stowplan(&words(line), &MadeUp::default())
}

fn times(many: usize) -> usize {
    if long() { many * 20 } else { many }
}

#[test]
fn a_plan_of_one_job_is_compared_with_any_other() {
    let folder = Folder::new("pairs");
    let path = folder.file("plan");
    let mut seed = 1;
    let (mut answers, mut differ) = (0, 0);
    for _ in 0..times(200) {
        let one = job(&mut seed);
        if run(&format!("map --save {path} --format taskmap {one}")).status != 0 {
            continue;
        }
        for _ in 0..5 {
            let other = job(&mut seed);
            let said = run(&format!("check {path} -- {other}"));
            match said.status {
                0 => answers += 1,
                _ => differ += 1,
            }
            assert!(
                said.status == 0 || said.err.starts_with("error["),
                "{one}\n{other}"
            );
        }
        let own = run(&format!("check {path} -- {one}"));
        assert_eq!(own.status, 0, "{one}: {}", own.err);
    }
    println!("{answers} other jobs are answered, {differ} are not");
    assert!(differ > 0);
}

#[test]
fn every_picture_is_there_within_a_second() {
    let mut seed = 2;
    let (mut pictures, mut slowest) = (0, Duration::ZERO);
    while pictures < times(40) {
        let line = job(&mut seed);
        let format = ["svg", "html"][pictures % 2];
        let started = Instant::now();
        let said = run(&format!(
            "advise --pattern ring --format {format} -- {line}"
        ));
        if said.status != 0 {
            assert!(said.err.starts_with("error["), "{line}: {}", said.err);
            continue;
        }
        assert!(said.out.contains("<svg"), "{line}");
        pictures += 1;
        slowest = slowest.max(started.elapsed());
    }
    println!("{pictures} pictures, the slowest {slowest:?}");
    // Tests are not optimized, and others run beside this one.
    assert!(slowest < Duration::from_secs(8), "{slowest:?}");
}

#[test]
fn no_label_of_a_candidate_hides_another() {
    let said = run(
        "advise --pattern ring --format svg -- --topo 'package:2 core:2 pu:1' -H a:4,b:2 -n 5 ./x",
    );
    let boxes: Vec<(i64, i64)> = said
        .out
        .split("<circle")
        .skip(1)
        .map(|part| {
            let label = part.split("<rect ").nth(1).unwrap();
            let mut numbers = label.split('"').skip(1).step_by(2);
            let mut next = || numbers.next().unwrap().parse::<i64>().unwrap();
            (next(), next())
        })
        .collect();
    for (at, one) in boxes.iter().enumerate() {
        for other in &boxes[at + 1..] {
            let apart = (one.0 - other.0).abs() >= 26 || (one.1 - other.1).abs() >= 18;
            assert!(apart, "{one:?} {other:?}");
        }
    }
    assert!(boxes.len() > 5, "{}", said.out);
}

/// Writes the checksum that fits the bytes.
fn seal(plan: &mut [u8]) {
    let end = plan.len() - 4;
    let sum = crc32fast::hash(&plan[..end]).to_le_bytes();
    plan[end..].copy_from_slice(&sum);
}

#[test]
fn resealed_plans_are_checked_and_explained() {
    let folder = Folder::new("resealed");
    let path = folder.file("plan");
    let mut seed = 3;
    let (mut refused, mut answered) = (0, 0);
    for _ in 0..times(60) {
        let line = job(&mut seed);
        if run(&format!("map --save {path} --format taskmap {line}")).status != 0 {
            continue;
        }
        let sound = std::fs::read(&path).unwrap();
        for _ in 0..40 {
            let mut plan = sound.clone();
            for _ in 0..=roll(&mut seed, 3) {
                let at = 17 + roll(&mut seed, plan.len() - 21);
                plan[at] = u8::try_from(roll(&mut seed, 256)).unwrap();
            }
            seal(&mut plan);
            std::fs::write(&path, &plan).unwrap();
            for said in [
                run(&format!("check {path}")),
                run(&format!("explain 0 {path}")),
            ] {
                match said.status {
                    0 => answered += 1,
                    _ => refused += 1,
                }
                assert!(said.status == 0 || said.err.starts_with("error["), "{line}");
            }
        }
        std::fs::write(&path, &sound).unwrap();
        assert_eq!(run(&format!("check {path}")).status, 0, "{line}");
    }
    println!("{refused} refused, {answered} answered");
}

#[test]
fn nothing_of_a_name_reaches_the_terminal_raw() {
    let folder = Folder::new("escapes");
    let plan = folder.file("plan");
    let other = folder.file("other");
    let bad = "\u{1b}]0;x\u{7}\u{202e}\u{2066}\u{85}";
    let program = format!("./x{bad}");
    let save = |path: &str, more: &str| {
        let mut line = words(&format!(
            "map --topo 'package:2 core:2 pu:1' -H a:4,b:2 -n 3 {more} --save {path} --format taskmap"
        ));
        line.push(program.clone());
        assert_eq!(stowplan(&line, &MadeUp::default()).status, 0);
    };
    save(&plan, "");
    save(&other, "--map-by node");
    for line in [
        format!("show {plan}"),
        format!("show {plan} --format svg"),
        format!("show {plan} --format html"),
        format!("explain 0 {plan}"),
        format!("show {plan} --format json"),
        format!("explain 0 {plan} --format json"),
        format!("diff --format json {plan} {other}"),
        format!("diff {plan} {other}"),
        format!("check {plan}"),
        format!("export {plan}"),
        format!("show {plan}{bad}"),
        format!("map --topo x{bad} -n 1 ./x"),
        format!("map -H a{bad} -n 1 ./x"),
        format!("score --pattern ring {plan}"),
    ] {
        let said = stowplan(
            &line.split(' ').map(str::to_owned).collect::<Vec<_>>(),
            &MadeUp::default(),
        );
        for text in [&said.out, &said.err] {
            let raw = text
                .chars()
                .find(|&sign| sign != '\n' && stowplan_engine::text::printable::disturbs(sign));
            assert_eq!(raw, None, "{line}");
        }
    }
}

#[test]
fn two_outputs_into_one_file_are_refused_before_anything_is_written() {
    let folder = Folder::new("one-file");
    let path = folder.file("both");
    std::fs::write(&path, "old").unwrap();
    let job = "--topo pu:4 -H a:2 -n 1 ./x";
    for command in ["map", "export hostfile"] {
        let said = run(&format!("{command} --save {path} -o {path} {job}"));
        assert_eq!(said.status, 2, "{command}");
        assert!(said.err.contains("one file"), "{}", said.err);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "old", "{command}");
    }
    assert_eq!(
        run(&format!("map --save /dev/null -o /dev/null {job}")).status,
        0
    );
}
