//! Every remedy runs as it is typed, and every note holds: random jobs are refused or placed, what is printed below them is pasted
//! into the job, and what the notes say is counted again on the plain mapper's rows, one process at a time.

use rayon::prelude::*;
use roaring::RoaringBitmap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use stowplan_answers::expert;
use stowplan_answers::expert::mended::mend;
use stowplan_answers::explain::remedies::remedies;
use stowplan_engine::error::Note;
use stowplan_engine::id::Id as _;
use stowplan_engine::map::Machine;
use stowplan_engine::plan::Plan;
use stowplan_engine::policy::{BindTo, MapBy, NoLocal, ObjKind};
use stowplan_engine::table::apps::AppId;
use stowplan_engine::table::names::NodeId;
use stowplan_engine::table::origins::Origin;
use stowplan_job::args::map_args;
use stowplan_job::error::JobError;
use stowplan_job::outside::FilesAlone;
use stowplan_job::place::place_on;
use stowplan_reference::Row;
use stowplan_scale_tests::arbitrary;
use stowplan_scale_tests::compare::Lab;
use stowplan_scale_tests::job::{Held, Job};

/// Jobs that are drawn. About a third of them are refused for lack of room.
const JOBS: u64 = 12_000;

thread_local! {
    static LAB: Lab = Lab::new();
}

fn words(apps: &[Vec<String>]) -> Vec<String> {
    let mut words = Vec::new();
    for (number, app) in apps.iter().enumerate() {
        if number > 0 {
            words.push(":".to_owned());
        }
        words.extend(app.iter().cloned());
        words.push("./x".to_owned());
    }
    words
}

/// The words of each app.
fn apps(job: &Job) -> Vec<Vec<String>> {
    let options = job.apps.iter().map(|app| {
        let pairs = app.options().into_iter();
        pairs
            .flat_map(|(option, value)| [option.to_owned(), value])
            .collect()
    });
    options.collect()
}

fn planned(machine: &Machine, job: &Job, words: &[String]) -> Result<(Plan, Vec<Note>), JobError> {
    let files = Held(&job.files);
    let mapped = place_on(machine, map_args(words)?, &FilesAlone(&files))?;
    let mut notes = mapped.notes;
    notes.extend(expert::notes(&mapped.plan));
    Ok((mapped.plan, notes))
}

/// Words as a shell reads them.
fn shell(text: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted) = (Vec::new(), String::new(), false);
    for sign in text.chars() {
        match sign {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(std::mem::take(&mut word)),
            _ => word.push(sign),
        }
    }
    words.push(word);
    words
}

/// The job with the words of a remedy typed into it: in place of the same option, or in front.
fn pasted(apps: &[Vec<String>], remedy: &str) -> Vec<Vec<String>> {
    let start = remedy.rfind(": ").map_or(0, |at| at + 2);
    let (typed, app) = match remedy[start..].rsplit_once(" on app ") {
        Some((typed, app)) => (typed, app.parse().unwrap()),
        None => (&remedy[start..], 0),
    };
    let mut apps = apps.to_vec();
    let own: &mut Vec<String> = &mut apps[app];
    for pair in shell(typed).chunks(2) {
        match own.iter().position(|word| *word == pair[0]) {
            Some(at) => own[at + 1].clone_from(&pair[1]),
            None => drop(own.splice(0..0, pair.iter().cloned())),
        }
    }
    apps
}

#[test]
fn every_remedy_of_a_refused_job_runs_as_it_is_typed() {
    let (refused, offered) = (AtomicUsize::new(0), AtomicUsize::new(0));
    (0..JOBS).into_par_iter().for_each(|number| {
        let job = arbitrary::job(7, number);
        LAB.with(|lab| {
            let machine = lab.machine(&job);
            let (apps, planning) = (apps(&job), |words: &[String]| {
                planned(&machine, &job, words)
            });
            let Err(error) = planning(&words(&apps)) else {
                return;
            };
            let found = remedies(&words(&apps), &error, &|words| Ok(planning(words)?.0));
            refused.fetch_add(1, Ordering::Relaxed);
            offered.fetch_add(found.len(), Ordering::Relaxed);
            for remedy in found {
                let now = pasted(&apps, &remedy.to_string());
                if let Err(why) = planning(&words(&now)) {
                    panic!(
                        "job {number}: {remedy}: {}\n{:?}",
                        why.message(),
                        words(&apps)
                    );
                }
                kept(number, &apps, &remedy.to_string(), &now);
            }
        });
    });
    let (refused, offered) = (refused.into_inner(), offered.into_inner());
    println!("{refused} refused jobs, {offered} remedies");
    assert!(refused > 1000 && offered > 1000, "{refused} {offered}");
}

/// What a remedy leaves of a value that it changes: every qualifier but those that its label names.
fn kept(number: u64, apps: &[Vec<String>], remedy: &str, now: &[Vec<String>]) {
    for (own, new) in apps.iter().zip(now) {
        let Some(at) = own.iter().position(|word| word == "--map-by") else {
            continue;
        };
        let Some(then) = new.iter().position(|word| word == "--map-by") else {
            panic!("job {number}: {remedy} loses the map");
        };
        let (old, new) = (
            own[at + 1].to_ascii_lowercase(),
            new[then + 1].to_ascii_lowercase(),
        );
        let named = |word: &str| match word {
            word if word.starts_with("file=") || word.starts_with("nooversub") => true,
            word if word.starts_with("pe=") => remedy.contains("cpus"),
            word if word.starts_with("core") => remedy.contains("hardware thread"),
            _ => false,
        };
        if old.starts_with("ppr") || old.starts_with("pe-list") {
            continue;
        }
        for word in old.split(':').skip(1).filter(|word| !named(word)) {
            assert!(
                new.split(':').any(|own| own == word),
                "job {number}: {remedy} loses {word} of {old}: {new}"
            );
        }
    }
}

#[test]
fn every_note_holds_and_none_is_missing() {
    let (placed, given, mended) = (
        AtomicUsize::new(0),
        AtomicUsize::new(0),
        AtomicUsize::new(0),
    );
    (0..JOBS).into_par_iter().for_each(|number| {
        let job = match number % 4 {
            0 => arbitrary::job_with_gpus(8, number),
            _ => arbitrary::job(8, number),
        };
        LAB.with(|lab| {
            let Ok((resolved, _)) = job.resolve() else {
                return;
            };
            let Ok(rows) = lab.reference(&job, &resolved) else {
                return;
            };
            let machine = lab.machine(&job);
            let apps = apps(&job);
            let Ok((plan, mut notes)) = planned(&machine, &job, &words(&apps)) else {
                return;
            };
            placed.fetch_add(1, Ordering::Relaxed);
            let told = expert::notes(&plan);
            given.fetch_add(told.len(), Ordering::Relaxed);
            let told: BTreeMap<(String, Option<u32>), u64> = told
                .iter()
                .map(|note| {
                    (
                        (note.class().to_owned(), note.facts().app),
                        note.facts().count,
                    )
                })
                .collect();
            let wanted = Plain::of(&plan, &rows).notes();
            assert_eq!(told, wanted, "job {number}: {:?}", words(&apps));
            let dropped = notes
                .iter()
                .filter(|note| note.class() == "binding-dropped");
            let dropped: BTreeSet<Option<u32>> = dropped.map(|note| note.facts().app).collect();
            assert_eq!(
                dropped,
                unbound(&plan, &rows),
                "job {number}: {:?}",
                words(&apps)
            );
            if number % 16 > 0 {
                return;
            }
            let classes: Vec<&str> = notes.iter().map(Note::class).collect();
            mend(&mut notes, &words(&apps), plan.ranks(), &|words| {
                planned(&machine, &job, words)
            });
            for (note, class) in notes.iter().zip(classes) {
                let text = note.to_string();
                let Some((_, option)) = text
                    .strip_suffix(" mends it")
                    .and_then(|text| text.rsplit_once("; "))
                else {
                    continue;
                };
                mended.fetch_add(1, Ordering::Relaxed);
                let now = pasted(&apps, option);
                let after = planned(&machine, &job, &words(&now));
                let (_, after) =
                    after.unwrap_or_else(|why| panic!("job {number}: {text}: {}", why.message()));
                assert!(
                    after.iter().all(|note| note.class() != class),
                    "job {number}: {text}"
                );
            }
        });
    });
    println!("{placed:?} placed jobs, {given:?} notes, {mended:?} mended");
    assert!(placed.into_inner() > 1000 && given.into_inner() > 1000 && mended.into_inner() > 20);
}

/// A job as rows, and what notes say of it, counted one process at a time.
struct Plain<'p> {
    plan: &'p Plan,
    /// The rows of each node.
    nodes: BTreeMap<usize, Vec<&'p Row>>,
}

type Counts = BTreeMap<(String, Option<u32>), u64>;

impl<'p> Plain<'p> {
    fn of(plan: &'p Plan, rows: &'p [Row]) -> Self {
        let mut nodes: BTreeMap<usize, Vec<&Row>> = BTreeMap::new();
        rows.iter()
            .for_each(|row| nodes.entry(row.node).or_default().push(row));
        Self { plan, nodes }
    }

    fn notes(&self) -> Counts {
        let mut counts = Counts::new();
        let mut add = |class: &str, app: Option<u32>, count: u64| {
            if count > 0 {
                *counts.entry((class.to_owned(), app)).or_insert(0) += count;
            }
        };
        add("nodes-idle", None, self.idle_nodes());
        for (&node, rows) in &self.nodes {
            for (app, count) in self.crossing(node, rows) {
                add("crosses", Some(app), count);
            }
            for (app, count) in self.one_domain(node, rows) {
                add("one-domain", Some(app), count);
            }
            add("cores-idle", None, self.idle_cores(node, rows));
            let sharing = self.sharing(node, rows);
            let apps: BTreeSet<u32> = sharing.iter().copied().collect();
            let app = (apps.len() == 1).then(|| sharing[0]);
            add("cores-shared", app, sharing.len() as u64);
            for (class, app, count) in self.gpus(node, rows) {
                add(class, app, count);
            }
        }
        counts
    }

    fn allowed(&self, node: usize) -> RoaringBitmap {
        let world = self.plan.world();
        let state = world.states.get(world.before.state(NodeId::from_row(node)));
        let os = world.topologies.pus_os(state.topology);
        world
            .pusets
            .get(state.allowed)
            .iter_ones()
            .map(|pu| os[pu])
            .collect()
    }

    fn objects(&self, node: usize, kind: ObjKind) -> Vec<RoaringBitmap> {
        let world = self.plan.world();
        let topology = world
            .states
            .get(world.before.state(NodeId::from_row(node)))
            .topology;
        let all: Vec<_> = match kind {
            ObjKind::Numa => world.topologies.domains(topology).to_vec(),
            _ => world.topologies.objects(topology, kind).collect(),
        };
        let allowed = self.allowed(node);
        let sets = all
            .into_iter()
            .map(|object| world.cpusets.get(world.topologies.cpuset(object)) & &allowed);
        sets.collect()
    }

    fn idle_nodes(&self) -> u64 {
        let world = self.plan.world();
        let table = self.plan.resolved_apps();
        let nolocal = table
            .ids()
            .filter_map(|app| table.policy(app))
            .all(|policy| policy.nolocal == NoLocal::Yes);
        let idle = (0..world.names.len() as usize).filter(|node| {
            let id = NodeId::from_row(*node);
            let slots = world.states.get(world.before.state(id)).slots;
            !self.nodes.contains_key(node) && slots > 0 && !(nolocal && world.local == Some(id))
        });
        idle.count() as u64
    }

    fn crossing(&self, node: usize, rows: &[&Row]) -> BTreeMap<u32, u64> {
        let kinds =
            [ObjKind::Package, ObjKind::Numa, ObjKind::L3].map(|kind| self.objects(node, kind));
        let mut found = BTreeMap::new();
        for row in rows {
            let Some(cpus) = mask(row) else { continue };
            let crosses = kinds.iter().any(|sets| {
                let met = sets.iter().filter(|set| !set.is_disjoint(&cpus)).count();
                met > 1 && sets.iter().any(|set| set.len() >= cpus.len())
            });
            *found.entry(u32::try_from(row.app).unwrap()).or_insert(0) += u64::from(crosses);
        }
        found
    }

    fn one_domain(&self, node: usize, rows: &[&Row]) -> BTreeMap<u32, u64> {
        let mut found = BTreeMap::new();
        let apps: BTreeSet<usize> = rows.iter().map(|row| row.app).collect();
        for app in apps {
            let policy = self.plan.resolved_apps().policy(AppId::from_row(app));
            let Some(MapBy::Object(kind)) = policy.map(|policy| policy.map) else {
                continue;
            };
            let domain = matches!(
                kind,
                ObjKind::Package
                    | ObjKind::Die
                    | ObjKind::Numa
                    | ObjKind::L5
                    | ObjKind::L4
                    | ObjKind::L3
            );
            let own: Vec<&&Row> = rows.iter().filter(|row| row.app == app).collect();
            let objects: BTreeSet<_> = own.iter().map(|row| row.object).collect();
            let several = self
                .objects(node, kind)
                .iter()
                .filter(|set| !set.is_empty())
                .count();
            if domain
                && own.len() > 1
                && objects.len() == 1
                && !objects.contains(&None)
                && several > 1
            {
                found.insert(u32::try_from(app).unwrap(), own.len() as u64);
            }
        }
        found
    }

    /// The cores that no mask meets; `None`: some process is unbound.
    fn free(&self, node: usize, rows: &[&Row]) -> Option<(u64, Vec<RoaringBitmap>)> {
        let cores: Vec<_> = self
            .objects(node, ObjKind::Core)
            .into_iter()
            .filter(|core| !core.is_empty())
            .collect();
        let masks: Option<Vec<_>> = rows.iter().map(|row| mask(row)).collect();
        let masks = masks?;
        let free = cores
            .iter()
            .filter(|core| masks.iter().all(|mask| mask.is_disjoint(core)));
        Some((free.count() as u64, cores))
    }

    fn idle_cores(&self, node: usize, rows: &[&Row]) -> u64 {
        let Some((free, cores)) = self.free(node, rows) else {
            return 0;
        };
        let asked = rows.iter().any(|row| {
            let table = self.plan.resolved_apps();
            let app = AppId::from_row(row.app);
            let policy = table.policy(app).unwrap();
            let listed = matches!(
                policy.map,
                MapBy::Ppr { .. }
                    | MapBy::Rankfile
                    | MapBy::PeList
                    | MapBy::Lsf
                    | MapBy::Mpibind(_)
            );
            let bound = matches!(table.origins[app].unwrap().bind, Origin::App | Origin::Job);
            listed || bound || policy.pe > 1
        });
        if 2 * free > cores.len() as u64 && !asked {
            free
        } else {
            0
        }
    }

    /// The apps of the ranks that have different hardware threads of a core, each as often as it has such ranks.
    fn sharing(&self, node: usize, rows: &[&Row]) -> Vec<u32> {
        let Some((free, cores)) = self.free(node, rows).filter(|(free, _)| *free > 0) else {
            return Vec::new();
        };
        assert!(free > 0);
        let mut sharing = Vec::new();
        for row in rows {
            let own = mask(row).unwrap();
            let shares = cores.iter().any(|core| {
                let part = &own & core;
                let split = || {
                    rows.iter()
                        .map(|other| &mask(other).unwrap() & core)
                        .filter(|part| !part.is_empty() && part.len() < core.len())
                };
                let apart = split().any(|one| split().any(|other| one.is_disjoint(&other)));
                !part.is_empty() && part.len() < core.len() && apart
            });
            if shares {
                sharing.push(u32::try_from(row.app).unwrap());
            }
        }
        sharing
    }

    fn gpus(&self, node: usize, rows: &[&Row]) -> Vec<(&'static str, Option<u32>, u64)> {
        if !self.plan.asks_for_gpus() && rows.iter().all(|row| row.gpus.is_empty())
            || !asked_gpus(self.plan)
        {
            return Vec::new();
        }
        let world = self.plan.world();
        let topology = world
            .states
            .get(world.before.state(NodeId::from_row(node)))
            .topology;
        let near = self.objects(node, ObjKind::Gpu);
        let visible: Vec<u32> = world
            .topologies
            .gpus(topology)
            .iter()
            .map(|gpu| gpu.visible)
            .collect();
        let users = |gpu: &u32| rows.iter().filter(|row| row.gpus.contains(gpu)).count();
        let idle = visible.iter().filter(|gpu| users(gpu) == 0).count() as u64;
        let shared = visible.iter().filter(|gpu| users(gpu) > 1).count() as u64;
        let mut found = Vec::new();
        if idle > 0 && shared > 0 {
            found.push(("gpus-idle", None, idle));
            found.push(("gpu-shared", None, shared));
        }
        for row in rows {
            let cpus = mask(row).unwrap_or_else(|| self.allowed(node));
            let far = row.gpus.iter().any(|gpu| {
                let at = visible.iter().position(|own| own == gpu);
                at.is_some_and(|at| near[at].is_disjoint(&cpus))
            });
            found.push((
                "gpu-far",
                Some(u32::try_from(row.app).unwrap()),
                u64::from(far),
            ));
        }
        found
    }
}

/// The apps that keep a binding of which some process found none.
fn unbound(plan: &Plan, rows: &[Row]) -> BTreeSet<Option<u32>> {
    let left = rows.iter().filter(|row| {
        let settled = plan.app(AppId::from_row(row.app)).policy().unwrap();
        let policy = plan.resolved_apps().policies[settled];
        // An entry of a file without cpus asks for none.
        row.cpus.is_none() && matches!(policy.bind, BindTo::Object(_)) && !policy.map.is_listed()
    });
    left.map(|row| u32::try_from(row.app).ok()).collect()
}

fn asked_gpus(plan: &Plan) -> bool {
    let shares = |run: &stowplan_engine::plan::PlacedRun| {
        let mut segments = plan.patterns().get(run.pattern).segments().iter();
        segments.any(|segment| !segment.shares.is_empty())
    };
    plan.asks_for_gpus() || plan.apps().iter().any(|app| app.runs().iter().any(shares))
}

fn mask(row: &Row) -> Option<RoaringBitmap> {
    row.cpus.as_ref().map(|cpus| cpus.iter().collect())
}
