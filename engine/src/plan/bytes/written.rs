//! What was written of node names beyond the part that is compared: domains, users and ports.

use super::frame::BadPlan;
use super::ranges::nodes_behind;
use super::wire::{Reader, Writer};
use crate::table::names::{Names, Written};
use crate::text::printable::disturbs;

/// The number of the section.
pub(super) const WRITTEN: u32 = 7;

/// Writes what was written, if there is anything. A plan without it has the same bytes as before this section existed.
pub(super) fn write(writer: &mut Writer, names: &Names) {
    if names.is_plain() {
        return;
    }
    let all = names.all_written();
    writer.number(WRITTEN);
    writer.size(all.len());
    let mut end = 0;
    for (nodes, written) in all {
        writer.number(nodes.first - end);
        writer.number(nodes.count);
        for text in [&written.domain, &written.user, &written.port] {
            writer.text(text);
        }
        end = nodes.end();
    }
}

/// Reads the section, behind its number.
pub(super) fn read(reader: &mut Reader<'_>, names: &mut Names) -> Result<(), BadPlan> {
    let count = reader.number(names.len(), "a number of stretches of nodes")? as usize;
    let mut end = 0;
    for _ in 0..count {
        let gap = reader.number(u32::MAX, "nodes of which nothing was written")?;
        let many = reader.number(u32::MAX, "a number of nodes")?;
        let nodes = nodes_behind(end, gap, many, names.len());
        let nodes = *reader.require(nodes.as_ref(), "nodes of the pool")?;
        let mut text = || {
            let text = reader.text()?;
            reader.ensure(
                || !text.contains(disturbs),
                "text without control characters",
            )?;
            Ok(text.to_owned())
        };
        let written = Written {
            domain: text()?,
            user: text()?,
            port: text()?,
        };
        let domain = written.domain.is_empty() || written.domain.starts_with('.');
        reader.ensure(
            || domain && !written.is_empty(),
            "a domain, a user or a port",
        )?;
        names.keep_written(nodes, &written);
        end = nodes.end();
    }
    Ok(())
}
