//! Recorded answers of the runtimes, and the machines on which they were made.

use super::Case;
use super::machines::{Known, Numbering, Shape};
use serde_json::Value;
use std::collections::HashMap;
use stowplan_reference::threads::{Maker, Rules, Set, Why, threads};

/// Machines by name, from the text of `machines.json`.
#[must_use]
pub fn machines(text: &str) -> HashMap<String, Known> {
    let all: Value = serde_json::from_str(text).unwrap_or_default();
    let each = all.as_object().into_iter().flatten();
    each.map(|(name, own)| (name.clone(), Known::of(shape(own))))
        .collect()
}

fn shape(own: &Value) -> Shape {
    let number = |name: &str| {
        own[name]
            .as_u64()
            .and_then(|number| u32::try_from(number).ok())
    };
    let count = |name: &str| number(name).unwrap_or(1);
    Shape {
        maker: if own["vendor"] == "AuthenticAMD" {
            Maker::Amd
        } else {
            Maker::Intel
        },
        counts: ["packages", "numa", "l3", "cores", "smt"].map(count),
        l2: count("l2"),
        l3_of_package: own["l3_of_package"] == true,
        performance: number("performance"),
        numbering: match own["numbering"].as_str() {
            Some("threads-first") => Numbering::ThreadsFirst,
            Some("packages-alternate") => Numbering::PackagesAlternate,
            Some("packages-alternate-threads-first") => Numbering::PackagesAlternateThreadsFirst,
            Some(_) | None => Numbering::CoresFirst,
        },
    }
}

fn set(text: &str) -> Set {
    let mut set = Set::new();
    for part in text.split(',').filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        if let (Ok(first), Ok(last)) = (first.parse::<u32>(), last.parse::<u32>()) {
            set.extend(first..=last);
        }
    }
    set
}

/// The case of a record.
#[must_use]
pub fn case(record: &Value) -> Case {
    let env = record["env"].as_object().into_iter().flatten();
    let env =
        env.map(|(name, value)| (name.clone(), value.as_str().unwrap_or_default().to_owned()));
    let runtime = record["runtime"].as_str().unwrap_or_default();
    let (family, version) = runtime.split_once('@').unwrap_or((runtime, ""));
    let version = version.parse().unwrap_or(19);
    Case {
        mask: set(record["mask"].as_str().unwrap_or_default()),
        caged: record["cgroup"] == true,
        env: env.collect(),
        rules: match family {
            "llvm" => Rules::Llvm(version),
            "intel" => Rules::Intel,
            _ => Rules::Gnu,
        },
        levels: record["levels"]
            .as_u64()
            .and_then(|levels| u32::try_from(levels).ok())
            .unwrap_or(1),
    }
}

/// What the plain model says otherwise than a record; `None`: nothing.
#[must_use]
pub fn fault(known: &Known, record: &Value) -> Option<String> {
    let case = case(record);
    let all: Set = known.plain.cpus.iter().map(|cpu| cpu.os).collect();
    let asked = case.asked(known, &all);
    let answer = &record["answer"];
    let told = match threads(&asked) {
        Ok(told) => told,
        Err(Why::Aborts) if answer.get("aborts").is_some() => return None,
        Err(Why::NotModelled) if answer.get("refused").is_some() => return None,
        Err(why) => return Some(format!("{why:?}")),
    };
    if answer.get("number").is_none() {
        return Some("it is answered".to_owned());
    }
    if answer["number"].as_u64() != Some(u64::from(told.number)) {
        return Some(format!(
            "{} threads instead of {}",
            told.number, answer["number"]
        ));
    }
    let sets: Vec<Set> = answer["sets"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|own| set(own.as_str().unwrap_or_default()))
        .collect();
    let places: Vec<Set> = answer["places"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|own| set(own.as_str().unwrap_or_default()))
        .collect();
    if places != told.places {
        return Some(format!("places {:?} instead of {places:?}", told.places));
    }
    let flat = |key: &str| -> Vec<Value> {
        let all = answer[key].as_array().into_iter().flatten();
        all.flat_map(|own| own.as_array().cloned().unwrap_or_else(|| vec![own.clone()]))
            .collect()
    };
    let (at, cpus) = (flat("place"), flat("cpus"));
    if at.len() != told.threads.len() {
        return Some(format!(
            "{} rows instead of {}",
            told.threads.len(),
            at.len()
        ));
    }
    for ((own, place), row) in told.threads.iter().zip(&at).zip(&cpus) {
        let row = row
            .as_u64()
            .and_then(|row| usize::try_from(row).ok())
            .unwrap_or(usize::MAX);
        let place = place.as_u64().and_then(|place| usize::try_from(place).ok());
        if own.1 != place || Some(&own.2) != sets.get(row) {
            return Some(format!("{own:?} instead of {place:?} {:?}", sets.get(row)));
        }
    }
    None
}
