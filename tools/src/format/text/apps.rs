//! The apps: what each one asked for, and the origin of each word. Apps with the same words share a line.

use super::table::{self, Side};
use crate::format::Told;
use crate::format::policy;
use crate::format::screen::{Screen, counted, width};
use stowplan_engine::id::Id as _;
use stowplan_engine::policy::{BindTo, MapBy, ObjKind};
use stowplan_engine::table::apps::{AppId, Policy};
use stowplan_engine::table::origins::{Origin, Origins, Rule};

/// The most lines for apps or groups of apps.
pub(super) const LINES_MAX: usize = 4;
/// The most columns for the name of a program.
const LABEL_COLUMNS: usize = 24;
/// The indentation of an app's second line.
const INDENT: &str = "       ";

/// The content of an app's line, without the app's number.
#[derive(Clone, PartialEq, Eq)]
struct Words {
    label: String,
    map: String,
    rank: String,
    bind: String,
}

/// Apps with the same words.
struct Group {
    apps: Vec<u32>,
    /// The number of processes of each app, if all have the same.
    each: Option<u32>,
    ranks: u64,
    words: Words,
}

impl Group {
    fn of_one(told: &Told<'_>, app: AppId) -> Self {
        let procs = told.plan.app(app).procs().0;
        Self {
            apps: vec![told.plan.resolved_apps().number(app)],
            each: Some(procs),
            ranks: u64::from(procs),
            words: words(told, app),
        }
    }
}

/// The lines: one per app, or else one per group of apps. Text that does not fit continues on a second line.
pub(super) fn lines(told: &Told<'_>, screen: Screen) -> Vec<String> {
    let plan = told.plan;
    let real: Vec<AppId> = (0..plan.apps().len())
        .map(AppId::from_row)
        .filter(|&app| plan.app(app).policy().is_some())
        .collect();
    let mut groups = if real.len() <= LINES_MAX && !plan.resolved_apps().has_parts() {
        real.iter().map(|&app| Group::of_one(told, app)).collect()
    } else {
        groups(told, &real)
    };
    let rest = groups.split_off(groups.len().min(LINES_MAX));
    let rows: Vec<[String; 5]> = groups.iter().map(row).collect();
    let columns = table::aligned(&rows, &[Side::Left; 5]);
    let mut lines = Vec::new();
    for (line, group) in columns.iter().zip(&groups) {
        let bind = &group.words.bind;
        if bind.is_empty() {
            lines.push(line.trim_end().to_owned());
            continue;
        }
        let both = format!("{line}  {bind}");
        if width(&both) <= screen.columns || lines.len() + 2 > LINES_MAX + 1 {
            lines.push(both);
        } else {
            lines.push(line.clone());
            lines.push(format!("{INDENT}{bind}"));
        }
    }
    if !rest.is_empty() {
        let apps: usize = rest.iter().map(|group| group.apps.len()).sum();
        let ranks = rest.iter().map(|group| group.ranks).sum();
        let apps = counted(apps as u64, "more app");
        lines.push(format!("and {apps}, {}", counted(ranks, "rank")));
    }
    lines
}

/// Groups apps with the same words, in the order of the first app of each group.
fn groups(told: &Told<'_>, apps: &[AppId]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut known = std::collections::HashMap::new();
    for &app in apps {
        let procs = told.plan.app(app).procs().0;
        let table = told.plan.resolved_apps();
        // Cheap to compare, because most apps of a large job share one policy.
        let number = table.number(app);
        let key = (
            // Parts of an app are told together, and apart from others.
            table.has_parts().then_some(number),
            table.policy[app].map(|id| id.row()),
            table.origins[app],
            &table.label[app],
            table.listing[app],
            &table.device[app],
        );
        let at = *known.entry(key).or_insert(groups.len());
        match groups.get_mut(at) {
            Some(group) => {
                if group.apps.last() != Some(&number) {
                    group.apps.push(number);
                }
                group.each = group.each.filter(|&each| each == procs);
                group.ranks += u64::from(procs);
            }
            None => groups.push(Group::of_one(told, app)),
        }
    }
    groups
}

fn row(group: &Group) -> [String; 5] {
    let Words {
        label,
        map,
        rank,
        bind: _,
    } = &group.words;
    let (name, each) = match (group.apps.len(), group.each) {
        (1, _) => ("app", String::new()),
        (_, Some(each)) => ("apps", format!(":{each}")),
        (_, None) => ("apps", String::new()),
    };
    [
        format!("{name} {}{each}", numbers(&group.apps)),
        label.clone(),
        counted(group.ranks, "rank"),
        map.clone(),
        rank.clone(),
    ]
}

/// Apps as a list: `0-99`, `0-4,7`. Of many parts, only the first two and the last are shown.
fn numbers(apps: &[u32]) -> String {
    let runs = apps.chunk_by(|one, next| one + 1 == *next);
    let parts: Vec<String> = runs
        .map(|run| match run {
            [first, .., last] => format!("{first}-{last}"),
            [one] => one.to_string(),
            [] => String::new(),
        })
        .collect();
    match parts.as_slice() {
        [first, second, .., last] if parts.len() > 4 => format!("{first},{second},…,{last}"),
        parts => parts.join(","),
    }
}

fn words(told: &Told<'_>, app: AppId) -> Words {
    let table = told.plan.resolved_apps();
    let placed = told.plan.app(app);
    let own = placed
        .policy()
        .map(|id| &table.policies[id])
        .expect("only apps with a policy are shown");
    if own.map == MapBy::Given {
        let launched = told.sources.launched.as_ref();
        let rules = launched.map_or("", |launched| launched.line.launcher.name());
        return Words {
            label: short(&table.label[app]),
            map: match rules {
                "" => "placed by rules of another launcher".to_owned(),
                rules => format!("placed by the rules of {rules}"),
            },
            rank: String::new(),
            bind: String::new(),
        };
    }
    let from = |pick: fn(Origins) -> Origin| {
        let Some(origins) = table.origins[app] else {
            return String::new();
        };
        let phrase = match pick(origins) {
            Origin::Default(rule) => default_phrase(rule, own, placed.procs().0),
            Origin::App => "own",
            Origin::Job => "asked",
            Origin::Parent => "parent's",
        };
        format!(" ({phrase})")
    };
    let mut mapped = from(|origins| origins.map);
    if mapped == " (own)" && own.pe > 1 && table.without_pe[app].is_some() {
        " (own, pe the job's)".clone_into(&mut mapped);
    }
    let mut map = policy::map(own, table);
    match (own.map, &table.device[app], table.listing[app]) {
        (MapBy::Dist, Some(device), _) => map += &format!(":{device}"),
        (MapBy::Seq | MapBy::Rankfile | MapBy::Lsf, _, Some((listing, _))) => {
            map += &format!(":file={}", table.listings[listing].path);
        }
        _ => {}
    }
    Words {
        label: short(&table.label[app]),
        map: format!("map {}", policy::joined(&map, &policy::map_qualifiers(own))) + &mapped,
        rank: format!("rank {}", policy::rank(own)) + &from(|origins| origins.rank),
        bind: format!(
            "bind {}",
            policy::joined(policy::bind(own), &policy::bind_qualifiers(own))
        ) + &from(|origins| origins.bind),
    }
}

/// The rule of a default, in words for people.
fn default_phrase(rule: Rule, policy: &Policy, procs: u32) -> &'static str {
    match (rule, policy.bind) {
        (Rule::BindOwnMap, _) if matches!(policy.map, MapBy::Mpibind(_)) => {
            "default: mpibind's own rule"
        }
        (Rule::BindBySize, BindTo::Object(ObjKind::Numa)) => "default: more than two ranks",
        (Rule::BindBySize, _) if procs > 2 => "default: no -n given, which counts as none",
        (Rule::BindBySize, _) => "default: two ranks or fewer",
        (Rule::MapParameter, _) => "default: mapby",
        (Rule::RankParameter, _) => "default: rankby",
        (Rule::BindParameter, _) => "default: bindto",
        (Rule::MapCore, _) => "default: by core",
        (Rule::MapSlotForPe | Rule::BindForPe, _) => "default: pe given",
        (Rule::MapAsBound, _) => "default: as bound",
        (Rule::RankAsMapped | Rule::BindAsMapped, _) => "default: as mapped",
        (Rule::BindPeList, _) => "default: the list",
        (Rule::BindOwnMap, _) => "default: own map",
    }
}

fn short(label: &str) -> String {
    if width(label) <= LABEL_COLUMNS {
        return label.to_owned();
    }
    let kept: String = label.chars().take(LABEL_COLUMNS - 1).collect();
    kept + "…"
}
