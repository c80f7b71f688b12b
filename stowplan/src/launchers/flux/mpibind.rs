//! `-o mpibind=…`: the plug-in that places tasks and GPUs by memory, with our own policy of that name.

use super::affinity::Sets;
use super::schedule::Got;
use super::words::{Line, Said, settings};
use crate::launchers::line::{LineAsked, LineRefused};
use stowplan_engine::count::ProcCount;
use stowplan_engine::error::spec::Owner;
use stowplan_engine::id::Id as _;
use stowplan_engine::map::{CpuList, Machine, Mapped, map_resolved};
use stowplan_engine::policy::CpuMode;
use stowplan_engine::spawn::attributes::{Scope, Value};
use stowplan_engine::spawn::{SpawnRequest, Spoken, keys};
use stowplan_engine::stage::resolve::{Context, NoFiles, resolve};
use stowplan_engine::table::names::NodeId;

/// The options of the plug-in as our qualifiers; `None`: it is off or not asked for.
///
/// # Errors
/// `not-modelled` for an option of it that is not known here.
pub(super) fn asked_for(asked: &LineAsked<'_>, line: &Line) -> Result<Option<String>, LineRefused> {
    let mut found = None;
    for (said, name, value) in settings(line) {
        match name.strip_prefix("mpibind") {
            Some("") => {}
            Some(rest) if rest.starts_with('.') => {
                return Err(unknown(asked, said, name));
            }
            Some(_) | None => continue,
        }
        found = qualifiers(asked, said, value.unwrap_or("on"))?;
    }
    Ok(found)
}

fn unknown(asked: &LineAsked<'_>, said: &Said, option: &str) -> LineRefused {
    let why = format!("{option}: what this option of mpibind does is not known here");
    said.refuses(asked, "not-modelled", &why)
}

fn qualifiers(
    asked: &LineAsked<'_>,
    said: &Said,
    value: &str,
) -> Result<Option<String>, LineRefused> {
    let mut words = String::from("mpibind");
    for option in value.split(',').filter(|option| !option.is_empty()) {
        let (name, value) = option.split_once(':').unwrap_or((option, "1"));
        match name {
            "off" => return Ok(None),
            "on" | "verbose" | "v" => {}
            "greedy" if matches!(value, "0" | "1") => words += &format!(":greedy={value}"),
            "gpu_optim" if matches!(value, "0" | "1") => words += &format!(":gpu={value}"),
            "smt" if value.parse::<u16>().is_ok_and(|smt| smt > 0) => {
                words += &format!(":smt={value}");
            }
            _ => return Err(unknown(asked, said, option)),
        }
    }
    Ok(Some(words))
}

/// What each task of a node gets by the plug-in's rule: cpus, GPUs.
///
/// # Errors
/// `launch-fails` with the policy's reason.
///
/// Cost: the topology and the tasks of the node.
pub(super) fn sets(
    asked: &LineAsked<'_>,
    words: &str,
    got: &Got,
    tasks: u32,
) -> Result<(Sets, Sets), LineRefused> {
    if tasks == 0 {
        return Ok((Vec::new(), Vec::new()));
    }
    let mapped = placed(asked, words, got, tasks)
        .map_err(|error| asked.refused("launch-fails", format_args!("-o {words}: {error}")))?;
    let plan = mapped.plan;
    let node = NodeId::from_row(0);
    let gpus_of = plan.given_gpus_on(node);
    let (mut cpus, mut gpus) = (Sets::new(), Sets::new());
    for place in plan.procs_on(node) {
        let own = place.cpus.map(|set| plan.world().cpusets.get(set).clone());
        cpus.push((1, own));
        let seen = gpus_of.of(node, place.local_rank).iter().copied();
        gpus.push((1, Some(seen.collect())));
    }
    Ok((cpus, gpus))
}

/// The tasks of one node, placed by the engine.
fn placed(asked: &LineAsked<'_>, words: &str, got: &Got, tasks: u32) -> Result<Mapped, String> {
    let mut draft = asked.hardware.topologies().draft(got.topology);
    draft.gpus.retain(|gpu| got.gpus.contains(gpu.visible));
    let mut machine = Machine::uniform(draft).map_err(|error| error.to_string())?;
    let mut cores = got.cores.iter();
    let ranges = std::iter::from_fn(|| cores.next_range().map(|own| (*own.start(), *own.end())));
    machine.cpu_list = Some(CpuList {
        ranges: ranges.collect(),
        mode: CpuMode::Core,
        text: crate::launchers::cpus::ranges(&got.cores, ','),
    });
    let mut request = SpawnRequest::new();
    request.push_app(Some(ProcCount(tasks)), "");
    let hosts = Value::String(format!("n:{tasks}"));
    let set = request.set_attribute(Owner::App(0), keys::APP_DASH_HOST, hosts, Scope::Global);
    set.map_err(|error| format!("{error:?}"))?;
    let set = request.set_mapping(Owner::App(0), words);
    set.map_err(|error| format!("{error:?}"))?;
    let context = Context {
        parent: None,
        spoken: &Spoken::default(),
        affinity: None,
        files: &NoFiles,
    };
    let resolved = resolve(request, context).map_err(|error| error.to_string())?;
    map_resolved(resolved, machine).map_err(|error| error.to_string())
}
