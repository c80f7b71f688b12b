//! The words about threads in bytes, and who made the cpus, on which their meaning may depend.

use super::each_app::each_app;
use super::frame::BadPlan;
use super::wire::{Reader, Writer};
use crate::id::Id as _;
use crate::plan::World;
use crate::table::apps::{AppId, AppTable};
use crate::table::thread_words::ThreadWords;
use crate::table::topologies::{Topologies, TopologyId, Vendor};
use std::sync::Arc;

/// The number of the section, the last one.
pub(super) const THREAD_WORDS: u32 = 5;

const VENDORS: [Vendor; 4] = [Vendor::Unsaid, Vendor::Intel, Vendor::Amd, Vendor::Other];

/// Writes the words, if there are any. A plan without them has the same bytes as before this section existed.
pub(super) fn write(
    writer: &mut Writer,
    words: &ThreadWords,
    topologies: &Topologies,
    used: &[TopologyId],
) {
    if words.is_empty() {
        return;
    }
    writer.number(THREAD_WORDS);
    writer.size(words.apps.len());
    for (app, pairs) in &words.apps {
        writer.size(app.row());
        writer.size(pairs.len());
        for (name, value) in pairs {
            writer.text(name);
            writer.text(value);
        }
    }
    writer.number(u32::from(words.runtime.is_some()));
    words.runtime.iter().for_each(|word| writer.text(word));
    writer.maybe(words.levels);
    for &topology in used {
        let vendor = topologies.vendor(topology);
        let at = VENDORS.iter().position(|&own| own == vendor);
        writer.size(at.unwrap_or(0));
    }
}

/// Reads the section, behind its number.
pub(super) fn read(
    reader: &mut Reader<'_>,
    table: &mut AppTable,
    world: &mut World,
) -> Result<(), BadPlan> {
    let mut words = ThreadWords::default();
    let counted = "as many variables as are counted";
    each_app(reader, table.len(), |reader, app| {
        let pairs = reader.list(counted, |reader| {
            Ok((reader.text()?.to_owned(), reader.text()?.to_owned()))
        })?;
        reader.ensure(|| !pairs.is_empty(), counted)?;
        words.apps.insert(AppId::from_row(app), pairs);
        Ok(())
    })?;
    if reader.number(1, "whether a runtime is told")? == 1 {
        words.runtime = Some(reader.text()?.to_owned());
    }
    words.levels = reader.maybe("a number of levels")?;
    reader.ensure(|| !words.is_empty(), "words about threads")?;
    table.thread_words = words;
    let topologies = Arc::make_mut(&mut world.topologies);
    for topology in topologies.ids() {
        let at = reader.number(3, "who made the cpus")?;
        topologies.set_vendor(topology, VENDORS[at as usize]);
    }
    Ok(())
}
