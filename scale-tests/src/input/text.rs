//! Fuzz bodies for words and files from any bytes: directives, host lists, hostfiles, rankfiles, sequence and affinity files,
//! packed requests. They check a round trip, or what each reader promises about its answer.

use stowplan_engine::count::ProcCount;
use stowplan_engine::error::SpecError;
use stowplan_engine::error::spec::Owner;
use stowplan_engine::limit::NODES_MAX;
use stowplan_engine::spawn::SpawnRequest;
use stowplan_engine::spawn::request::owner;
use stowplan_engine::spawn::set::SetError;
use stowplan_engine::table::listings::Listing;
use stowplan_engine::text::host_types::HostEntry;
use stowplan_engine::text::hostfile::read_hostfile;
use stowplan_engine::text::hostlist::read_hosts;
use stowplan_engine::text::listings::{read_affinity, read_sequence};
use stowplan_engine::text::rankfile::read_rankfile;

/// The three setters, on apps and on the job: a stored value survives the relay, and a refused value changes nothing.
pub fn directive(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let mut request = SpawnRequest::new();
    let app = request.push_app(Some(ProcCount(1)), "");
    for owner in [owner(app), Owner::Job] {
        for set in [
            SpawnRequest::set_mapping,
            SpawnRequest::set_ranking,
            SpawnRequest::set_binding,
        ] {
            let before = packed(&request);
            match set(&mut request, owner, text) {
                Ok(()) => travels(&request),
                Err(SetError { error, .. }) => {
                    assert_eq!(packed(&request), before, "a refusal changes nothing");
                    refused(&error);
                }
            }
        }
    }
}

fn packed(request: &SpawnRequest) -> Vec<u8> {
    request.pack().expect("a small request fits")
}

fn travels(request: &SpawnRequest) {
    let bytes = packed(request);
    let again = SpawnRequest::unpack(&bytes).expect("what a setter stores is sound");
    assert_eq!(packed(&again), bytes);
}

/// A refusal can be printed.
fn refused(error: &SpecError) {
    assert!(!error.class().is_empty() && !error.to_string().is_empty());
    for at in error.places() {
        assert!(at.start <= at.end);
    }
}

/// Host lists: never more nodes than an id can count, and no separate entry for each node of a range.
pub fn hosts(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    match read_hosts(text) {
        Ok(entries) => {
            let nodes = |entry: &HostEntry| match entry {
                HostEntry::Names(names, _) => u64::from(names.count),
                HostEntry::Nth(_) | HostEntry::Empty(_) => 0,
            };
            assert!(entries.iter().map(nodes).sum::<u64>() <= u64::from(NODES_MAX));
        }
        Err(error) => assert!(error.start <= error.end && error.end <= text.len()),
    }
}

/// Hostfiles: at most one line of the answer for each line of the file.
pub fn hostfile(bytes: &[u8]) {
    match read_hostfile("f", bytes) {
        Ok(file) => assert!(file.lines.len() <= lines(bytes)),
        Err(error) => refused(&error),
    }
}

fn lines(bytes: &[u8]) -> usize {
    1 + bytes.iter().filter(|&&byte| byte == b'\n').count()
}

/// Rankfiles: ascending ranks, each once.
pub fn rankfile(bytes: &[u8]) {
    listed(read_rankfile("f", bytes), bytes);
}

/// Sequence files.
pub fn sequence(bytes: &[u8]) {
    listed(read_sequence("f", bytes), bytes);
}

/// LSF's affinity files.
pub fn affinity(bytes: &[u8]) {
    listed(read_affinity("f", bytes), bytes);
}

fn listed(read: Result<Listing, SpecError>, bytes: &[u8]) {
    let listing = match read {
        Ok(listing) => listing,
        Err(error) => return refused(&error),
    };
    let mut next = 0;
    let mut entries = 0_usize;
    for entry in &listing.entries {
        assert!(entry.number >= next && entry.count > 0, "entries ascend");
        next = entry.number + entry.count;
        entries += entry.count as usize;
        assert!(entry.line as usize <= lines(bytes));
    }
    assert!(entries <= lines(bytes), "an entry a line, at most");
}

/// Packed requests, as they come and behind a valid header: the reader trusts nothing, and what it accepts is written again as it was.
pub fn packed_request(bytes: &[u8]) {
    unpacked(bytes);
    let mut framed = b"STOWREQ\x01".to_vec();
    let Ok(length) = u32::try_from(bytes.len()) else {
        return;
    };
    framed.extend(length.to_le_bytes());
    framed.extend(crc32(bytes).to_le_bytes());
    framed.extend(bytes);
    unpacked(&framed);
}

fn unpacked(bytes: &[u8]) {
    match SpawnRequest::unpack(bytes) {
        Ok(request) => assert_eq!(packed(&request), bytes, "what is read is written the same"),
        Err(error) => refused(&error),
    }
}

/// CRC-32 as zlib defines it, bit by bit: a second opinion on the CRC-32 of the relay.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| {
        if crc & 1 == 1 {
            crc >> 1 ^ 0xedb8_8320
        } else {
            crc >> 1
        }
    };
    !bytes.iter().fold(u32::MAX, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), step)
    })
}
