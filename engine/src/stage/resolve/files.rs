//! The files that a request names: hostfiles, sequence files, rankfiles, LSF's affinity file.

use super::options::Options;
use crate::error::SpecError;
use crate::error::spec::{FileFault, FileKind};
use crate::id::Id as _;
use crate::policy::MapBy;
use crate::table::apps::Numbering;
use crate::table::listings::{EntryNode, Listing};
use crate::text::host_types::{EntrySlots, HostEntry};
use crate::text::hostlist::plain;
use crate::text::lines::bad_file;
use crate::text::listings::read_sequence;
use crate::text::rankfile::read_rankfile;

/// Reads the files that a request names: the engine has no IO of its own.
pub trait Files {
    /// The bytes of a file.
    ///
    /// # Errors
    /// The reason in words, such as `No such file or directory`.
    fn read(&self, path: &str) -> Result<Vec<u8>, String>;

    /// Whether a file is there and is a saved plan. A caller that cannot tell says no.
    fn is_plan(&self, _path: &str) -> bool {
        false
    }
}

/// No files at all: for a caller whose requests name none.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl Files for NoFiles {
    fn read(&self, _path: &str) -> Result<Vec<u8>, String> {
        Err("files are not read here".to_owned())
    }
}

/// The bytes of a file.
///
/// # Errors
/// The error of this kind of file, if the file cannot be read.
pub(crate) fn read_file(
    files: &dyn Files,
    kind: FileKind,
    path: &str,
) -> Result<Vec<u8>, SpecError> {
    let bad = |reason| bad_file(kind, path, FileFault::Unreadable(reason));
    files.read(path).map_err(bad)
}

/// The file that lists the processes of an app.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ListingFile<'a> {
    pub(crate) kind: FileKind,
    pub(crate) path: &'a str,
}

impl<'a> ListingFile<'a> {
    /// The file that an app names; `None` if the app is not mapped by a file.
    pub(crate) fn of(options: &'a Options) -> Option<Self> {
        let kind = if options.map_word == MapBy::Seq {
            FileKind::Sequence
        } else if options.map_word == MapBy::Rankfile {
            FileKind::Rankfile
        } else {
            return None;
        };
        let path = options.file.as_deref()?;
        Some(Self { kind, path })
    }

    /// Whether the file numbers the ranks of the job or of the app.
    pub(crate) fn numbering(self, options: &Options) -> Numbering {
        if self.kind == FileKind::Rankfile && options.job_numbering {
            Numbering::Job
        } else {
            Numbering::App
        }
    }

    pub(crate) fn read(self, files: &dyn Files) -> Result<Listing, SpecError> {
        let bytes = read_file(files, self.kind, self.path)?;
        if self.kind == FileKind::Rankfile {
            read_rankfile(self.path, &bytes)
        } else {
            read_sequence(self.path, &bytes)
        }
    }
}

/// The nodes of an affinity file in order of first mention, with one slot for each line.
pub(crate) fn pool_of(listing: &Listing) -> Vec<HostEntry> {
    let mut slots: Vec<u32> = vec![0; listing.names.len()];
    for entry in &listing.entries {
        if let EntryNode::Name(name) = entry.node {
            slots[name.row()] = slots[name.row()].saturating_add(entry.count);
        }
    }
    let entry =
        |(name, count): (&String, u32)| HostEntry::Names(plain(name), EntrySlots::Count(count));
    listing
        .names
        .values()
        .iter()
        .zip(slots)
        .map(entry)
        .collect()
}
