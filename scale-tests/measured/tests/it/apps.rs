//! Requests with very many apps, from JSON to the rows of the plan: memory grows no faster than the apps, and what all apps share
//! is said once.

use crate::child::{again, peak_kib};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region};
use std::fmt::Write as _;
use stowplan_cli::Console;
use stowplan_cli::format::screen::Screen;
use stowplan_cli::progress::Audience;
use stowplan_engine::id::Id as _;
use stowplan_engine::map::map_resolved;
use stowplan_engine::stage::resolve::Files;
use stowplan_engine::table::names::NodeId;
use stowplan_scale_tests::shapes::named;

/// Tells the child which request to map.
const REQUEST: &str = "STOWPLAN_CHILD_REQUEST";

/// What the apps say: nothing, a directive, hosts, both; or both with the job's info after the apps.
const KINDS: [&str; 5] = ["plain", "mapped", "hosts", "both", "job-behind"];

struct Written(String);

impl Files for Written {
    fn read(&self, _path: &str) -> Result<Vec<u8>, String> {
        Ok(self.0.clone().into_bytes())
    }
}

/// A request with this many apps of one process each, on a tenth as many nodes.
fn request(kind: &str, apps: u32) -> String {
    let mut text = String::from("{\"apps\":[");
    let nodes = apps.div_ceil(10);
    for app in 0..apps {
        let comma = if app == 0 { "" } else { "," };
        let host = match (kind, app) {
            ("hosts" | "both", _) => format!("\"PMIX_HOST\":\"n{}:1\"", app * 7 % nodes),
            (_, 0) => format!("\"PMIX_HOST\":\"n[0-{}]:10\"", nodes - 1),
            (_, _) => String::new(),
        };
        let map = match kind {
            "mapped" | "both" => "\"PMIX_MAPBY\":\"core:ordered\"",
            _ => "",
        };
        let both = if host.is_empty() || map.is_empty() {
            ""
        } else {
            ","
        };
        let _ = write!(
            text,
            "{comma}{{\"maxprocs\":1,\"info\":{{{host}{both}{map}}}}}"
        );
    }
    text.push(']');
    if kind == "job-behind" {
        text.push_str(",\"job_info\":{\"PMIX_MAPBY\":\"slot\",\"PMIX_BINDTO\":\"none\"}");
    }
    text.push('}');
    text
}

/// The body of the child process, not a promise: without a request it does nothing.
#[test]
fn mapped_here() {
    let Ok(asked) = std::env::var(REQUEST) else {
        return;
    };
    let (kind, apps) = asked.split_once('|').unwrap();
    let apps: u32 = apps.parse().unwrap();
    let files = Written(request(kind, apps));
    let words = [
        "spawn",
        "r.json",
        "--topo",
        "package:2 core:8 pu:1",
        "--format",
        "tsv",
    ];
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let region = Region::new(&INSTRUMENTED_SYSTEM);
    let mut console = Console {
        out: &mut out,
        err: &mut err,
        files: &files,
        screen: Screen::page(),
        audience: Audience::Nobody,
    };
    let status = stowplan_cli::run_on(&words.map(str::to_owned), &mut console);
    let change = region.change();
    let rows = out.split(|&byte| byte == b'\n').count();
    let notes = err.split(|&byte| byte == b'\n').count();
    assert_eq!(
        (status, rows),
        (0, apps as usize + 2),
        "{}",
        String::from_utf8_lossy(&err)
    );
    assert!(notes < 4, "{notes} lines of notes");
    println!("cost {} {}", change.bytes_allocated, peak_kib());
}

/// Bytes allocated, and the largest amount of memory held, in KiB.
fn cost(kind: &str, apps: u32) -> (u64, u64) {
    let asked = format!("{kind}|{apps}");
    let numbers = again("apps::mapped_here", (REQUEST, &asked), "cost ");
    (numbers[0], numbers[1])
}

#[test]
fn memory_is_linear_in_the_apps() {
    for kind in KINDS {
        let (small, large) = (cost(kind, 1_000), cost(kind, 8_000));
        // Eight times the apps, plus room for tables that double.
        assert!(
            large.0 < small.0 * 12,
            "{kind}: {} bytes, then {}",
            small.0,
            large.0
        );
        let each = (large.1.saturating_sub(small.1) << 10) / 7_000;
        assert!(
            each < 4 << 10,
            "{kind}: {each} bytes of memory for each app"
        );
    }
}

#[test]
fn a_node_has_the_apps_that_say_so_themselves() {
    for (name, divisor) in [
        ("mpmd-64apps", 64),
        ("apps-10k", 20),
        ("apps-10k-mixed", 20),
    ] {
        let shape = named(name, divisor).unwrap();
        let plan = map_resolved(shape.resolved, shape.machine).unwrap().plan;
        assert!(
            plan.apps().len() > 16,
            "{name}: apps that are asked one by one"
        );
        let mut found = 0;
        for node in (0..plan.world().names.len()).map(|row| NodeId::from_row(row as usize)) {
            let on: Vec<_> = plan
                .on_node(node)
                .map(|on| (on.app, on.row as usize))
                .collect();
            let asked = plan
                .resolved_apps()
                .ids()
                .filter_map(|app| Some((app, plan.app(app).run_of(node)?)));
            assert!(asked.eq(on.iter().copied()), "{name}: {node:?}");
            found += on.len();
        }
        assert!(found > plan.apps().len(), "{name}: apps on nodes");
    }
}
