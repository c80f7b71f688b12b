//! The GPUs that programs see on this node: the variables of the vendors.

use super::{Found, Lookup, Unused};

/// The variables, and whether their numbers may have a part of the GPU behind a dot.
const NAMES: [&str; 4] = ["CUDA_VISIBLE_DEVICES", ROCR, "ZE_AFFINITY_MASK", HIP];
const ROCR: &str = "ROCR_VISIBLE_DEVICES";
/// Its numbers count among the GPUs that `ROCR` leaves.
const HIP: &str = "HIP_VISIBLE_DEVICES";
/// Variables with the name of this node.
const NODES: [&str; 2] = ["SLURMD_NODENAME", "HOSTNAME"];

/// Takes the GPUs that this node shows, unless the same source said which GPUs the job has.
pub(super) fn gpus(lookup: &dyn Lookup, found: &mut Found) {
    if !found.devices.is_empty() {
        return;
    }
    let set = NAMES
        .iter()
        .find_map(|name| Some((*name, lookup.variable(name)?)));
    let Some((name, text)) = set else {
        return;
    };
    let said = format!("{name}={text}");
    if name == ROCR
        && let Some(among) = lookup.variable(HIP)
    {
        found.unused.push(Unused {
            said: format!("{HIP}={among}"),
            word: format!(
                "it counts among the GPUs of {said}; --devices gpu=only:LIST takes some of them"
            ),
        });
    }
    if name == "ZE_AFFINITY_MASK" && text.contains('.') {
        found.unused.push(Unused {
            said: said.clone(),
            word: "the tiles after the dots are not counted, whole GPUs are".to_owned(),
        });
    }
    let Some(numbers) = numbers(&text) else {
        found.unused.push(Unused {
            said,
            word: "it has no numbers of GPUs; --devices gpu=only:LIST takes these".to_owned(),
        });
        return;
    };
    let devices = match numbers[..] {
        [] => "gpu=none".to_owned(),
        _ => format!("gpu=only:{}", numbers.join(",")),
    };
    let label = |name: &str| name.split('.').next().unwrap_or(name).to_owned();
    let names: Vec<String> = found.hosts.names().map(label).collect();
    let here = NODES
        .iter()
        .filter_map(|name| lookup.variable(name))
        .find(|own| names.contains(&label(own)));
    match (here, names.len()) {
        (_, 1) => found.devices.push(devices),
        (Some(here), _) => found.devices.push(format!("{here}={devices}")),
        (None, _) => found.unused.push(Unused {
            said,
            word: format!("of which host it is, is not known; --devices HOST={devices} says it"),
        }),
    }
    found.seen = Some(name.to_owned());
}

/// The numbers of a list; of `1.0` the GPU, 1. Empty: no GPU. `None`: other names than numbers.
fn numbers(text: &str) -> Option<Vec<String>> {
    if ["", "-1", "NoDevFiles", "none"].contains(&text.trim()) {
        return Some(Vec::new());
    }
    let mut numbers: Vec<String> = Vec::new();
    for part in text.split(',') {
        let gpu = part.trim().split('.').next().unwrap_or_default();
        let number: u32 = gpu.parse().ok()?;
        let number = number.to_string();
        if !numbers.contains(&number) {
            numbers.push(number);
        }
    }
    Some(numbers)
}
