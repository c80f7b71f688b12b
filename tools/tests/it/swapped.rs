//! The places of one job under the request of another, sealed again: a plan that is consistent in itself, and wrong.

use crate::altered::{BINDS, Chance, HOSTS, MAPS, RANKS, placed, plan};
use stowplan::answers::verify::verify;
use stowplan_engine::plan::{Placed, Plan};
use stowplan_judge::check_places;

/// How many pairs of plans are tried.
fn pairs() -> usize {
    match std::env::var_os("STOWPLAN_LONG") {
        Some(_) => 60_000,
        None => 400,
    }
}

fn any<'w>(chance: &mut Chance, words: &[&'w str]) -> &'w str {
    words[chance.below(words.len())]
}

/// A random app: as many processes as it takes, or a count of its own.
fn app(chance: &mut Chance) -> String {
    let (map, given, qualifiers) = MAPS[chance.below(MAPS.len())];
    let given = match chance.below(4) {
        0 => String::new(),
        1 => given.to_owned(),
        _ => format!("-n {}", 1 + chance.below(8)),
    };
    let qualifier = any(chance, qualifiers);
    let bind = match chance.below(2) {
        0 => "",
        _ => any(chance, BINDS),
    };
    let nolocal = ["", "", "", ":nolocal"][chance.below(4)];
    format!(
        "{given} --map-by {map}{qualifier}{nolocal} {bind} {}",
        any(chance, RANKS)
    )
}

/// A random job on these hosts.
fn job(chance: &mut Chance, hosts: &str) -> Option<Plan> {
    let mut line = format!("{hosts} --head a {} x", app(chance));
    if chance.below(4) == 0 {
        let own = ["", "-H b", "-H a:1,b:2", "-H +e", "--hostfile hosts"][chance.below(5)];
        line += &format!(" : {own} {} y", app(chance));
    }
    plan(&line)
}

/// The places of one plan under the request of another; `None` if they have not equally many apps.
fn swapped(asked: &Plan, found: &Plan, own_order: usize) -> Option<Plan> {
    let (requests, places) = (placed(asked), placed(found));
    if requests.len() != places.len() {
        return None;
    }
    let apps = requests.into_iter().zip(places);
    let apps = apps.map(|(request, place)| Placed {
        policy: request.policy,
        claimed: request.claimed,
        // Orders that need objects or lists stay with the places that have them.
        order: match own_order {
            0 => place.order,
            _ => request.order,
        },
        ..place
    });
    let assembled = Plan::assemble(
        found.world().clone(),
        asked.resolved_apps().clone(),
        found.patterns().clone(),
        apps.collect(),
    );
    // Only what can be read again is a plan at all.
    Plan::from_bytes(&assembled.to_bytes()).ok()
}

#[test]
fn places_of_another_job_are_refused() {
    let mut chance = Chance(39);
    let (mut refused, mut honest, mut same) = (0, 0, 0);
    while refused < pairs() {
        let hosts = any(&mut chance, HOSTS);
        let (Some(asked), Some(found)) = (job(&mut chance, hosts), job(&mut chance, hosts)) else {
            continue;
        };
        honest += 1;
        let read = Plan::from_bytes(&asked.to_bytes()).unwrap();
        assert_eq!(
            verify(&read),
            Ok(()),
            "{:?}",
            asked.resolved_apps().policies
        );
        // By rank order alone two plans may differ, and then each order is the other's.
        let Some(wrong) = swapped(&asked, &found, 0) else {
            continue;
        };
        if wrong.ranks() == asked.ranks() && check_places(&wrong, &asked).is_ok() {
            same += 1;
            continue;
        }
        refused += 1;
        let verdict = verify(&wrong);
        assert!(
            verdict.is_err(),
            "{:?}\nhas the places of\n{:?}",
            asked.resolved_apps().policies,
            found.resolved_apps().policies
        );
    }
    println!(
        "{honest} honest plans accepted, {refused} with other places refused, {same} were the same"
    );
}
