//! What was shown beside a plan: where its topologies came from, and its notes. The mapper and the judge do not use it.

use super::frame::BadPlan;
use super::wire::{Reader, Writer};
use crate::error::note::Facts;
use crate::id::Id as _;
use crate::limit::APPS_MAX;
use crate::table::topologies::TopologyId;

/// The number of the section of remarks.
pub(super) const REMARKS: u32 = 2;
/// The number of the section of facts of the notes, the last one.
pub(super) const FACTS: u32 = 8;
/// The number of the section that says how the line was read.
pub(super) const READING: u32 = 6;

/// What was shown beside a plan, kept so that it can be shown again.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Remarks {
    /// Where each topology came from. Shape `[topologies]`; `None`: nobody said.
    pub sources: Vec<Option<String>>,
    /// Notes in the order in which they were found; those of many apps are folded.
    pub notes: Vec<Remark>,
    /// How the words of the job were read, if they were a line in another grammar than ours.
    pub reading: Option<ReadingRemark>,
}

/// How a line was read: by whose rules, and what these derived.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReadingRemark {
    /// Whose rules.
    pub rules: String,
    /// Their version.
    pub version: String,
    /// How it was known whose line it is: a word, and the sign if there was one.
    pub by: (String, String),
    /// The line's first word.
    pub command: String,
    /// What was derived, each with its origin.
    pub derived: Vec<(String, String)>,
}

/// A note in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Remark {
    /// Its class.
    pub class: String,
    /// Its text.
    pub text: String,
    /// Of what it holds.
    pub facts: Facts,
}

/// Writes the remarks, unless there are none. `topologies`: those that the plan uses, in the order in which they are written.
pub(super) fn write(writer: &mut Writer, remarks: &Remarks, topologies: &[TopologyId]) {
    let source = |id: TopologyId| remarks.sources.get(id.row())?.as_deref();
    let silent = topologies.iter().all(|&id| source(id).is_none());
    if silent && remarks.notes.is_empty() {
        return;
    }
    writer.number(REMARKS);
    writer.size(topologies.len());
    for &id in topologies {
        let words = source(id);
        writer.number(u32::from(words.is_some()));
        words.into_iter().for_each(|words| writer.text(words));
    }
    writer.size(remarks.notes.len());
    for note in &remarks.notes {
        writer.text(&note.class);
        writer.text(&note.text);
    }
}

/// Reads the section, behind its number.
pub(super) fn read(reader: &mut Reader<'_>, topologies: usize) -> Result<Remarks, BadPlan> {
    let count = reader.number(u32::MAX, "a number of topologies")? as usize;
    reader.ensure(|| count == topologies, "a source for each topology")?;
    let sources = reader.items(count, |reader| {
        let said = reader.number(1, "whether a source is told")? == 1;
        let words = said.then(|| reader.text());
        Ok(words.transpose()?.map(str::to_owned))
    })?;
    let count = reader.number(APPS_MAX, "a number of notes")? as usize;
    let some = count <= reader.left();
    reader.ensure(|| some, "as many notes as are counted")?;
    let notes = reader.items(count, |reader| {
        let class = reader.text()?.to_owned();
        let text = reader.text()?.to_owned();
        let facts = Facts::default();
        Ok(Remark { class, text, facts })
    })?;
    Ok(Remarks {
        sources,
        notes,
        reading: None,
    })
}

/// Writes the facts of the notes, if any note has some.
pub(super) fn write_facts(writer: &mut Writer, remarks: &Remarks) {
    if remarks
        .notes
        .iter()
        .all(|note| note.facts == Facts::default())
    {
        return;
    }
    writer.number(FACTS);
    for Remark { facts, .. } in &remarks.notes {
        writer.maybe(facts.app);
        writer.text(&facts.nodes);
        writer.number(facts.count);
        writer.text(&facts.ranks);
    }
}

/// Reads that section, behind its number.
pub(super) fn read_facts(reader: &mut Reader<'_>, notes: &mut [Remark]) -> Result<(), BadPlan> {
    for Remark { facts, .. } in notes {
        *facts = Facts {
            app: reader.maybe("an app")?,
            nodes: reader.text()?.to_owned(),
            count: reader.long()?,
            ranks: reader.text()?.to_owned(),
        };
    }
    Ok(())
}

/// Writes how the line was read. A plan of our own words has the same bytes as before this section existed.
pub(super) fn write_reading(writer: &mut Writer, remarks: &Remarks) {
    let Some(reading) = &remarks.reading else {
        return;
    };
    writer.number(READING);
    let (by, sign) = &reading.by;
    for text in [&reading.rules, &reading.version, by, sign, &reading.command] {
        writer.text(text);
    }
    writer.size(reading.derived.len());
    for (what, origin) in &reading.derived {
        writer.text(what);
        writer.text(origin);
    }
}

/// Reads that section, behind its number.
pub(super) fn read_reading(reader: &mut Reader<'_>) -> Result<ReadingRemark, BadPlan> {
    let mut text = || Ok(reader.text()?.to_owned());
    let (rules, version, by) = (text()?, text()?, (text()?, text()?));
    let command = text()?;
    let count = reader.number(APPS_MAX, "a number of derived facts")? as usize;
    let some = count <= reader.left();
    reader.ensure(|| some, "as many derived facts as are counted")?;
    let derived = reader.items(count, |reader| {
        Ok((reader.text()?.to_owned(), reader.text()?.to_owned()))
    })?;
    Ok(ReadingRemark {
        rules,
        version,
        by,
        command,
        derived,
    })
}
