//! The job of a saved plan, rebuilt from the plan's tables. It is used only if it gives the same plan again; a job of one
//! listed app is used without that check.

use crate::answers::diff::cause::given;
use crate::answers::diff::is_same;
use crate::answers::hosts::{folds, host_list};
use crate::answers::policy;
use crate::job::args::map_args;
use crate::job::error::JobError;
use crate::job::outside::FilesAlone;
use crate::job::place::place_on;
use stowplan_engine::id::Id as _;
use stowplan_engine::map::Machine;
use stowplan_engine::plan::{Placed, PlacedRun, Plan, RankOrder};
use stowplan_engine::stage::resolve::NoFiles;
use stowplan_engine::table::apps::AppId;
use stowplan_engine::table::origins::Origin;
use stowplan_engine::text::host_types::HostEntry;
use stowplan_engine::text::hostlist::read_hosts;

/// The most bytes of a host list that are tried.
const HOSTS_MAX: usize = 1 << 20;

/// Plans a job from its words.
pub type Planning<'f> = dyn Fn(&[String]) -> Result<Plan, JobError> + 'f;

/// The words of a job, and the function that plans it.
pub(super) type Job<'f> = (Vec<String>, Box<Planning<'f>>);

/// Words that give this plan on a machine made of its tables; `None` if there are no such words.
pub(super) fn job_of(plan: &Plan) -> Option<Job<'_>> {
    let words = words(plan)?;
    let machine = machine(plan)?;
    let planning: Box<Planning<'_>> = Box::new(move |words: &[String]| {
        let asked = map_args(words)?;
        Ok(place_on(&machine, asked, &FilesAlone(&NoFiles))?.plan)
    });
    let listed = |app: AppId| {
        let policy = plan.resolved_apps().policy(app);
        policy.is_some_and(|own| own.map.is_listed())
    };
    let alone = plan.apps().len() == 1 && listed(AppId::from_row(0));
    let same = || planning(&words).is_ok_and(|again| is_same(plan, &again));
    (alone || same()).then_some((words, planning))
}

fn machine(plan: &Plan) -> Option<Machine> {
    let world = plan.world();
    let mut assigned = Vec::new();
    for (nodes, state) in world.before.iter() {
        let topology = world.states.get(state).topology;
        let text = host_list(&world.names, nodes);
        if text.len() > HOSTS_MAX {
            return None;
        }
        let entries = read_hosts(&text).ok()?;
        let names = entries.into_iter().map(|entry| match entry {
            HostEntry::Names(range, _) => Some(range),
            HostEntry::Nth(_) | HostEntry::Empty(_) => None,
        });
        assigned.push((names.collect::<Option<Vec<_>>>()?, topology));
    }
    Some(Machine {
        assigned,
        local: world.local.map(|node| world.names.name(node)),
        ..Machine::new(world.topologies.clone(), world.cpusets.clone(), None)
    })
}

fn words(plan: &Plan) -> Option<Vec<String>> {
    let (world, table) = (plan.world(), plan.resolved_apps());
    let mut hosts = Vec::new();
    for (nodes, state) in world.before.iter() {
        let slots = world.states.get(state).slots;
        hosts.extend(folds(&world.names, nodes).map(|fold| format!("{fold}:{slots}")));
        if hosts.len() > HOSTS_MAX >> 4 {
            return None;
        }
    }
    let mut words = vec!["-H".to_owned(), hosts.join(",")];
    for app in table.ids() {
        let own = &table.policies[plan.app(app).policy()?];
        if app.row() > 0 {
            words.push(":".to_owned());
        }
        if let Some(np) = table.np[app] {
            words.extend(["-n".to_owned(), np.0.to_string()]);
        }
        for (option, value, origin) in given(plan, app) {
            let value = match origin {
                Origin::App => value,
                Origin::Job if app.row() == 0 => value,
                Origin::Default(_) if option == "--map-by" && app.row() == 0 => {
                    let qualifiers = policy::map_qualifiers(own);
                    if qualifiers.is_empty() {
                        continue;
                    }
                    policy::joined("", &qualifiers)
                }
                Origin::Job | Origin::Parent | Origin::Default(_) => continue,
            };
            let value = match app.row() {
                0 => value,
                _ => value.replace(":oversubscribe", ""),
            };
            words.extend([option.to_owned(), value]);
        }
        words.push("app".to_owned());
    }
    Some(words)
}

/// Plans with the same places but another order of ranks, each with one app changed: app, change, plan.
pub(super) fn other_orders(plan: &Plan) -> Vec<(usize, String, Plan)> {
    let placed = |changed: usize, order: Option<&RankOrder>| -> Vec<Placed> {
        let apps = plan.apps().iter().enumerate();
        apps.map(|(at, app)| Placed {
            policy: app.policy(),
            runs: app.runs().to_vec(),
            order: order
                .filter(|_| at == changed)
                .unwrap_or_else(|| app.order())
                .clone(),
            passes: app.passes().map(<[_]>::to_vec),
            claimed: app.claimed().clone(),
        })
        .collect()
    };
    let mut others = Vec::new();
    for (at, app) in plan.apps().iter().enumerate() {
        if matches!(app.order(), RankOrder::Listed(_)) || app.procs().0 == 0 {
            continue;
        }
        // A plan that was read may name a kind of objects and give a process none.
        let has_objects = |run: &PlacedRun| {
            let segments = plan.patterns().get(run.pattern).segments().iter();
            let mut places = segments.flat_map(|segment| &segment.runs);
            run.kind.is_some() && places.all(|place| place.place.object.is_some())
        };
        let objects = app.runs().iter().all(has_objects);
        for (word, order) in [
            ("node", RankOrder::Node),
            ("slot", RankOrder::Slot),
            ("span", RankOrder::Span),
            ("fill", RankOrder::Fill),
        ] {
            let by_object = matches!(order, RankOrder::Span | RankOrder::Fill);
            if &order == app.order() || (by_object && !objects) {
                continue;
            }
            let other = Plan::assemble(
                plan.world().clone(),
                plan.resolved_apps().clone(),
                plan.patterns().clone(),
                placed(at, Some(&order)),
            );
            let on = match at {
                0 => String::new(),
                at => format!(" on app {at}"),
            };
            others.push((at, format!("--rank-by {word}{on}"), other));
        }
    }
    others
}
