//! A line for each rank.

use super::sample;
use stowplan_cli::format::tsv::{HEADER, write};
use stowplan_cli::format::watch::Unwatched;
use stowplan_engine::count::Rank;
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::{Plan, RankOrder};
use stowplan_engine::table::cpusets::list_form;

#[test]
fn each_rank_has_its_line() {
    let plan = sample::plan(2, RankOrder::Node);
    let mut out = Vec::new();
    write(&plan, &mut out, &mut Unwatched).unwrap();
    let text = String::from_utf8(out).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 9);
    assert_eq!(lines[1], "0\t0\t0\tn0\t0\t0\tcore:0\t0-1");
    assert_eq!(lines[2], "1\t0\t1\tn1\t0\t0\tcore:0\t0-1");
    assert_eq!(lines[8], "7\t0\t7\tn1\t3\t3\tcore:3\t6-7");
}

#[test]
fn every_order_gives_the_lines_that_asking_gives() {
    for order in [
        RankOrder::Slot,
        RankOrder::Fill,
        RankOrder::Node,
        RankOrder::Span,
    ] {
        let plan = sample::plan(3, order);
        let mut out = Vec::new();
        write(&plan, &mut out, &mut Unwatched).unwrap();
        let asked: String = (0..plan.ranks()).map(|rank| asked(&plan, rank)).collect();
        assert_eq!(String::from_utf8(out).unwrap(), format!("{HEADER}{asked}"));
    }
}

fn asked(plan: &Plan, rank: u32) -> String {
    let at = plan.place(Rank(rank)).unwrap();
    let object = at.object.map_or("-".to_owned(), |(kind, logical)| {
        format!("{}:{logical}", kind.word())
    });
    let cpus = at.cpus.map_or("-".to_owned(), |set| {
        list_form(plan.world().cpusets.get(set))
    });
    let node = plan.world().names.name(at.node);
    format!(
        "{rank}\t{}\t{}\t{node}\t{}\t{}\t{object}\t{cpus}\n",
        at.app.row(),
        at.app_rank,
        at.local_rank,
        at.node_rank
    )
}
