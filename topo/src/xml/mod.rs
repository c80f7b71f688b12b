//! Reads hwloc's XML, dialects 1, 2 and 3, without libhwloc.
//!
//! We refuse the files of dialects 1 and 2 that libhwloc 2.9 refuses, and the files of dialect 3 that hwloc 3 refuses. There is one
//! exception: page sizes left in a file of dialect 3 are accepted, because they say nothing about places. We also refuse faults that
//! libhwloc would read past: a number that is not a number, a set with letters in it, a PU whose cpuset is not its number. A topology
//! that nobody wrote is worse than an error.
//!
//! Instruction caches, caches in front of memory and Misc objects are skipped, and their children are kept. In dialect 1, memory is
//! above cpus. As in libhwloc, it becomes memory beside cpus.

mod allowed;
mod dialect;
mod distances;
mod draft;
mod insert;
mod merge;
mod object;
#[doc(hidden)]
pub mod sets;
mod tree;

use crate::error::{TopoError, XmlFault, whole};
use crate::kind::Kind;
use allowed::Allowed;
use dialect::Dialect;
use distances::Matrix;
use object::{Object, Place, object, words};
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;
use sets::Sets;
use stowplan_engine::limit::{OBJECTS_MAX, TEXT_BYTES_MAX};
use stowplan_engine::policy::ObjKind;
use stowplan_engine::table::topologies::{DraftObject, TopologyDraft, Vendor};
use tree::{Row, Tree};

/// The most objects above each other in one file. Real machines have about a dozen.
const DEPTH_MAX: usize = 256;
/// The most bytes of a file that an error quotes.
const REASON: usize = 200;

/// The topology of an hwloc XML file.
///
/// # Errors
/// `bad-topology`, with line and column, when the bytes are not XML, are not a topology, or have no PU or no NUMA node that may be
/// used.
///
/// Cost: linear in the bytes, in time and in memory.
/// ```
/// let xml = br#"<topology version="2.0"><object type="Machine" os_index="0" cpuset="0x1" complete_cpuset="0x1"
///   nodeset="0x1" complete_nodeset="0x1"><object type="NUMANode" os_index="0" cpuset="0x1" complete_cpuset="0x1"
///   nodeset="0x1" complete_nodeset="0x1"/><object type="PU" os_index="0" cpuset="0x1" complete_cpuset="0x1"
///   nodeset="0x1" complete_nodeset="0x1"/></object></topology>"#;
/// assert_eq!(stowplan_topo::xml::parse(xml).unwrap().pus_os, [0]);
/// let error = stowplan_topo::xml::parse(b"<topology><object/></topology>").unwrap_err();
/// assert_eq!(error.class(), "bad-topology");
/// ```
pub fn parse(bytes: &[u8]) -> Result<TopologyDraft, TopoError> {
    let mut file = File::new(bytes);
    let found = file.read();
    found.map_err(|(at, fault)| {
        let (line, column) = line_and_column(bytes, at);
        TopoError::Xml {
            file: String::new(),
            line,
            column,
            fault,
        }
    })
}

/// What is wrong, and at which byte.
type Fault = (usize, XmlFault);

/// An object whose end tag has not been read yet.
struct Frame {
    at: usize,
    object: Object,
    /// The row below which its children go. Set when the first child comes.
    settled: Option<Row>,
    /// Its own row, if it is in the tree.
    row: Option<Row>,
}

/// A file that is being read.
struct File<'b> {
    bytes: &'b [u8],
    reader: Reader<&'b [u8]>,
    /// Where the current event begins.
    at: usize,
    dialect: Dialect,
    sets: Sets,
    tree: Tree,
    frames: Vec<Frame>,
    allowed: Allowed,
    matrices: Vec<Matrix>,
    /// NUMA nodes by OS number, in the order of the file.
    nodes: Vec<u32>,
    /// Who made the cpus, if packages say it and agree.
    vendor: Option<Vendor>,
}

impl<'b> File<'b> {
    fn new(bytes: &'b [u8]) -> Self {
        Self {
            bytes,
            reader: Reader::from_reader(bytes),
            at: 0,
            dialect: Dialect::One,
            sets: Sets::default(),
            tree: Tree::default(),
            frames: Vec::new(),
            allowed: Allowed::default(),
            matrices: Vec::new(),
            nodes: Vec::new(),
            vendor: None,
        }
    }

    fn read(&mut self) -> Result<TopologyDraft, Fault> {
        if self.bytes.len() > TEXT_BYTES_MAX {
            let (found, limit) = (self.bytes.len() as u64, TEXT_BYTES_MAX as u64);
            let what = "bytes";
            return Err((0, XmlFault::TooLarge { what, found, limit }));
        }
        self.open_document()?;
        loop {
            match self.event()? {
                Event::Start(tag) => self.tag(&tag, Closes::Later)?,
                Event::Empty(tag) => self.tag(&tag, Closes::AtOnce)?,
                Event::End(_) => match self.frames.is_empty() {
                    true => break,
                    false => self.close()?,
                },
                Event::Eof => return Err(self.not_xml("it ends before its last tag")),
                Event::DocType(_) => return Err(self.not_xml("a DOCTYPE inside")),
                Event::GeneralRef(_)
                | Event::Text(_)
                | Event::CData(_)
                | Event::Comment(_)
                | Event::Decl(_)
                | Event::PI(_) => {}
            }
        }
        self.finish()
    }

    /// Reads the next event. Sets `at` to where it begins.
    fn event(&mut self) -> Result<Event<'b>, Fault> {
        self.at = position(self.reader.buffer_position());
        self.reader.read_event().map_err(|error| {
            // The error may quote a tag of any length.
            let mut reason = error.to_string();
            reason.truncate(whole(&reason, REASON));
            let at = position(self.reader.error_position());
            (at, XmlFault::NotXml { reason })
        })
    }

    fn not_xml(&self, reason: &str) -> Fault {
        let reason = reason.to_owned();
        (self.at, XmlFault::NotXml { reason })
    }

    fn no_topology(&self, reason: &str) -> Fault {
        let reason = reason.to_owned();
        (self.at, XmlFault::NotTopology { reason })
    }

    /// Reads up to and including `<topology version=…>`.
    fn open_document(&mut self) -> Result<(), Fault> {
        loop {
            match self.event()? {
                Event::Start(tag) => {
                    return self.dialect_of(&tag);
                }
                Event::Empty(_) => return Err(self.no_topology("an empty document")),
                Event::Eof => return Err(self.no_topology("there is no <topology>")),
                Event::Text(text) if text.trim_ascii().is_empty() => {}
                Event::Text(_) | Event::CData(_) | Event::GeneralRef(_) | Event::End(_) => {
                    return Err(self.no_topology("there is text before <topology>"));
                }
                Event::DocType(_) | Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
            }
        }
    }

    fn dialect_of(&mut self, tag: &BytesStart<'_>) -> Result<(), Fault> {
        match tag.name().as_ref() {
            // The first releases used this name.
            "root" => return Ok(()),
            "topology" => {}
            other => {
                let mut other = other.escape_debug().to_string();
                other.truncate(whole(&other, REASON));
                let reason = format!("<{other}> is no <topology>");
                return Err((self.at, XmlFault::NotTopology { reason }));
            }
        }
        let mut version = None;
        self.attributes(tag, |key, value| {
            if key == "version" {
                version = Some(value.to_owned());
            }
            Ok(())
        })?;
        let major = version
            .as_deref()
            .and_then(|version| version.split_once('.'))
            .and_then(|(major, _)| major.parse::<u32>().ok());
        self.dialect = match major {
            None | Some(0 | 1) => Dialect::One,
            Some(2) => Dialect::Two,
            Some(3) => Dialect::Three,
            Some(_) => return Err(self.no_topology("it is of a dialect beyond 3")),
        };
        Ok(())
    }

    /// Gives each attribute of a tag to `take`.
    fn attributes(
        &self,
        tag: &BytesStart<'_>,
        mut take: impl FnMut(&str, &str) -> Result<(), XmlFault>,
    ) -> Result<(), Fault> {
        let mut left = tag.attributes_raw().trim_ascii_start();
        while !left.is_empty() {
            let (key, value, rest) = first_attribute(left)
                .ok_or_else(|| self.not_xml("an attribute that is not name=\"value\""))?;
            take(key, value).map_err(|fault| (self.at, fault))?;
            left = rest;
        }
        Ok(())
    }

    /// Takes a tag inside the topology.
    fn tag(&mut self, tag: &BytesStart<'_>, closes: Closes) -> Result<(), Fault> {
        let name = tag.name();
        let inside = self.frames.last().map(|frame| frame.settled.is_some());
        match (name.as_ref(), inside) {
            ("object", _) => {
                self.open(tag)?;
                return match closes {
                    Closes::AtOnce => self.close(),
                    Closes::Later => Ok(()),
                };
            }
            ("info", Some(false)) => self.info(tag)?,
            ("page_type" | "userdata", Some(false)) => {}
            ("distances", Some(false)) if self.dialect == Dialect::One => {
                return self.distances(tag, closes);
            }
            ("distances2", None) if self.dialect != Dialect::One => {
                return self.distances(tag, closes);
            }
            (_, Some(_)) => {
                let what = format!(
                    "<{}> cannot be in an object here",
                    name.as_ref().escape_debug()
                );
                return Err((self.at, XmlFault::BadObject { what }));
            }
            (_, None) if self.tree.root().is_none() => {
                return Err(self.no_topology("it does not begin with an <object>"));
            }
            (_, None) => {}
        }
        match closes {
            Closes::AtOnce => Ok(()),
            Closes::Later => self.pass_over(),
        }
    }

    /// Skips everything up to the end of the tag that was opened last.
    fn pass_over(&mut self) -> Result<(), Fault> {
        let mut open = 1_usize;
        while open > 0 {
            match self.event()? {
                Event::Start(_) => open += 1,
                Event::End(_) => open -= 1,
                Event::Eof => return Err(self.not_xml("it ends before its last tag")),
                Event::Empty(_)
                | Event::Text(_)
                | Event::CData(_)
                | Event::Comment(_)
                | Event::Decl(_)
                | Event::PI(_)
                | Event::DocType(_)
                | Event::GeneralRef(_) => {}
            }
        }
        Ok(())
    }

    fn info(&mut self, tag: &BytesStart<'_>) -> Result<(), Fault> {
        let (mut said, mut vendor) = (false, Vendor::Unsaid);
        let sound = self.attributes(tag, |key, value| {
            match (key, value) {
                ("name", "CPUVendor") => said = true,
                ("value", "GenuineIntel") => vendor = Vendor::Intel,
                ("value", "AuthenticAMD") => vendor = Vendor::Amd,
                _ => {}
            }
            Ok(())
        });
        if said {
            let differs = self.vendor.is_some_and(|known| known != vendor);
            self.vendor = Some(if differs { Vendor::Unsaid } else { vendor });
        }
        if self.dialect != Dialect::One {
            return Ok(());
        }
        sound?;
        let (mut name, mut value) = (None, None);
        self.attributes(tag, |key, given| {
            match key {
                "name" => name = Some(given.to_owned()),
                "value" => value = Some(given.to_owned()),
                _ => return Err(object("an <info> with more than name and value")),
            }
            Ok(())
        })?;
        let (Some(name), Some(value)) = (name, value) else {
            return Ok(());
        };
        let value = words("value", &value).map_err(|fault| (self.at, fault))?;
        if let Some(frame) = self.frames.last_mut() {
            frame.object.info(self.dialect, &name, &value);
        }
        Ok(())
    }

    fn open(&mut self, tag: &BytesStart<'_>) -> Result<(), Fault> {
        if self.frames.is_empty() && self.tree.root().is_some() {
            return Err(self.no_topology("it has a second outermost object"));
        }
        self.settle()?;
        for (what, found, limit) in [
            ("objects", self.tree.len(), OBJECTS_MAX as usize - 1),
            ("objects above each other", self.frames.len(), DEPTH_MAX),
        ] {
            if found >= limit {
                let (found, limit) = (found as u64 + 1, limit as u64);
                return Err((self.at, XmlFault::TooLarge { what, found, limit }));
            }
        }
        let mut object = Object::new();
        let mut sets = std::mem::take(&mut self.sets);
        let place = match self.frames.is_empty() {
            true => Place::Outermost,
            false => Place::Inside,
        };
        let taken = self.attributes(tag, |key, value| {
            object.attribute(key, value, place, &mut sets)
        });
        self.sets = sets;
        taken?;
        self.frames.push(Frame {
            at: self.at,
            object,
            settled: None,
            row: None,
        });
        Ok(())
    }

    /// Puts the innermost open object into the tree, if it is not there yet. All of its own tags have been read by then.
    fn settle(&mut self) -> Result<(), Fault> {
        let above = self.frames.len().checked_sub(2);
        let parent = above.and_then(|above| self.frames[above].settled);
        let Some(frame) = self
            .frames
            .last_mut()
            .filter(|frame| frame.settled.is_none())
        else {
            return Ok(());
        };
        let given = &frame.object;
        let known = self.tree.len();
        let row = insert::insert(&mut self.tree, &self.sets, self.dialect, given, parent)
            .map_err(|fault| (frame.at, fault))?;
        if parent.is_none() {
            self.allowed = Allowed {
                cpus: given.allowed_cpuset,
                nodes: given.allowed_nodeset,
            };
        }
        frame.settled = Some(row);
        frame.row = Some(row).filter(|row| row.number() >= known);
        if self.tree.node(row).kind == Kind::Numa && frame.row.is_some() {
            self.nodes.extend(given.os);
        }
        Ok(())
    }

    fn close(&mut self) -> Result<(), Fault> {
        self.settle()?;
        if let Some(row) = self.frames.pop().and_then(|frame| frame.row) {
            self.tree.order_children(row, &self.sets);
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<TopologyDraft, Fault> {
        let end = self.bytes.len();
        let no_topology = |reason: &str| {
            let reason = reason.to_owned();
            (end, XmlFault::NotTopology { reason })
        };
        let Some(root) = self.tree.root() else {
            return Err(no_topology("it has no object"));
        };
        self.tree.add_missing_memory(root, self.dialect, &self.sets);
        merge::groups(&mut self.tree, &self.sets, self.allowed);
        let mut draft = draft::draft(&self.tree, &self.sets, self.allowed);
        if draft.pus_os.is_empty() {
            return Err(no_topology("it has no PU that may be used"));
        }
        let is_memory = |object: &DraftObject| object.kind == ObjKind::Numa;
        if !draft.objects.iter().any(is_memory) {
            return Err(no_topology("it has no NUMA node that may be used"));
        }
        let matrices = std::mem::take(&mut self.matrices);
        draft.vendor = self.vendor.unwrap_or_default();
        draft.latency = distances::latency(matrices, &self.nodes, &draft);
        Ok(draft)
    }
}

/// Name and value of the attribute at the start of a text, and the text after it.
fn first_attribute(text: &str) -> Option<(&str, &str, &str)> {
    let (key, rest) = text.split_once('=')?;
    let key = key.trim_ascii_end();
    let rest = rest.trim_ascii_start();
    let quote = *rest.as_bytes().first()?;
    if key.is_empty() || !matches!(quote, b'"' | b'\'') {
        return None;
    }
    let length = rest.as_bytes()[1..]
        .iter()
        .position(|&byte| byte == quote)?;
    let (value, rest) = (&rest[1..=length], &rest[length + 2..]);
    Some((key, value, rest.trim_ascii_start()))
}

/// Whether a tag closes itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Closes {
    /// `<object/>`
    AtOnce,
    /// `<object>`
    Later,
}

fn position(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

/// Line and column of a byte, from 1.
fn line_and_column(bytes: &[u8], at: usize) -> (u32, u32) {
    let before = &bytes[..at.min(bytes.len())];
    let lines = before.iter().filter(|&&byte| byte == b'\n').count();
    let line_start = before.iter().rposition(|&byte| byte == b'\n');
    let column = before.len() - line_start.map_or(0, |newline| newline + 1);
    let number = |count: usize| u32::try_from(count + 1).unwrap_or(u32::MAX);
    (number(lines), number(column))
}
