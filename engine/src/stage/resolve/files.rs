//! The files that a request names: hostfiles, sequence files, rankfiles, LSF's affinity file.

use super::options::Options;
use crate::error::SpecError;
use crate::error::spec::FileFault;
use crate::id::Id as _;
use crate::policy::MapKind;
use crate::table::apps::Numbering;
use crate::table::listings::{EntryNode, Listing};
use crate::text::hostlist::plain;
use crate::text::hosts::{EntrySlots, HostEntry};
use crate::text::lines::file_at;
use crate::text::written::{read_affinity, read_rankfile, read_sequence};

/// Reads the files that a request names: the engine has no IO of its own.
pub trait Files {
    /// The bytes of a file.
    ///
    /// # Errors
    /// The reason in words, as `No such file or directory`.
    fn read(&self, path: &str) -> Result<Vec<u8>, String>;
}

/// No files at all: for a caller whose requests name none.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl Files for NoFiles {
    fn read(&self, _path: &str) -> Result<Vec<u8>, String> {
        Err("files are not read here".to_owned())
    }
}

/// What a file is read as.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum FileUse {
    Sequence,
    Rankfile,
}

pub(crate) fn read_lsf(path: &str, files: &dyn Files) -> Result<Listing, SpecError> {
    let bytes = files
        .read(path)
        .map_err(|reason| SpecError::BadAffinityfile {
            at: file_at(path),
            fault: FileFault::Unreadable(reason),
        })?;
    read_affinity(path, &bytes)
}

pub(crate) fn read_listing(
    as_what: FileUse,
    path: &str,
    files: &dyn Files,
) -> Result<Listing, SpecError> {
    let bytes = files.read(path).map_err(|reason| {
        let (at, fault) = (file_at(path), FileFault::Unreadable(reason));
        match as_what {
            FileUse::Sequence => SpecError::BadSeqfile { at, fault },
            FileUse::Rankfile => SpecError::BadRankfile { at, fault },
        }
    })?;
    match as_what {
        FileUse::Sequence => read_sequence(path, &bytes),
        FileUse::Rankfile => read_rankfile(path, &bytes),
    }
}

/// The nodes of an affinity file in order of first mention, with a slot per line.
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

pub(crate) fn file_use(options: &Options) -> Option<(FileUse, String, Numbering)> {
    let as_what = if options.kind == MapKind::Rankfile {
        FileUse::Rankfile
    } else {
        FileUse::Sequence
    };
    if !options.kind.is_listed() {
        return None;
    }
    let jobs = as_what == FileUse::Rankfile && options.job_numbering;
    let numbering = if jobs { Numbering::Job } else { Numbering::App };
    Some((as_what, options.file.clone()?, numbering))
}
