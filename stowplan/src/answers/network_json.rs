//! A network as JSON, as `stowplan topo show` writes it.

use crate::answers::json_text;
use crate::score::network::{Network, host_list};

fn quoted(text: &str) -> String {
    json_text::text(text)
}

/// The network as one line of JSON.
#[must_use]
pub fn json(network: &Network) -> String {
    let nodes = network.names().len();
    let levels = network.levels().iter().map(|level| {
        let objects = level.objects.iter().zip(level.stretches(nodes));
        let objects: Vec<String> = objects
            .map(|(name, own)| {
                let list = host_list::write(network.names(), own.into_iter());
                format!("{{\"name\":{},\"nodes\":{}}}", quoted(name), quoted(&list))
            })
            .collect();
        format!(
            "{{\"level\":{},\"objects\":[{}]}}",
            quoted(&level.word),
            objects.join(",")
        )
    });
    let levels: Vec<String> = levels.collect();
    let order = host_list::write(network.names(), std::iter::once((0, nodes)));
    let places = (0..nodes).map_while(|node| {
        let spot = network.spot(node)?;
        let at: Vec<String> = spot.at.iter().map(u32::to_string).collect();
        let name = network
            .names()
            .name(stowplan_engine::id::Id::from_row(node as usize));
        Some(format!(
            "{}:[{},{}]",
            quoted(&name),
            quoted(spot.name),
            at.join(",")
        ))
    });
    let places: Vec<String> = places.collect();
    let places = if places.is_empty() {
        String::new()
    } else {
        format!(",\"places\":{{{}}}", places.join(","))
    };
    format!(
        "{{\"version\":1,\"kind\":\"{}\",\"levels\":[{}],\"order\":{}{places}}}\n",
        network.kind().word(),
        levels.join(","),
        quoted(&order)
    )
}
