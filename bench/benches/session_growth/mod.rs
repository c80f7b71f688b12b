//! A table of nanoseconds an event: in memory, journaled, synced, replayed, at three sizes.

use std::hint::black_box;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::Instant;
use stowplan::answers::journal_file::JournalFile;
use stowplan_bench::session_mix::{Mix, Source, events, run, written};
use stowplan_session::{Event, Journal, Mode, ReplayError, State, Store, recover};

const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
/// Events of one run, and of one with syncs.
const EVENTS: usize = 400_000;
const SYNCED: usize = 20_000;
/// How many events are written, or written and synced, at a time.
const GROUP: usize = 64;

/// What is timed.
const ROWS: [(&str, Row); 5] = [
    ("memory", memory),
    ("journaled", journaled),
    ("file", filed),
    ("replay", replayed),
    ("synced", synced),
];

/// One run: nanoseconds an event.
type Row = fn(&Mix, &[Event<'_>]) -> f64;

/// Nanoseconds that this thread was on a core, when the kernel tells; otherwise the time that passed.
fn on_core(since: Instant) -> u128 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let first = told
        .as_deref()
        .and_then(|line| line.split_whitespace().next()?.parse().ok());
    first.unwrap_or_else(|| since.elapsed().as_nanos())
}

/// Nanoseconds of the work for each event.
fn each(work: impl FnOnce(), events: usize) -> f64 {
    let start = Instant::now();
    let before = on_core(start);
    work();
    ratio(on_core(start) - before, events as u128)
}

#[expect(
    clippy::float_arithmetic,
    clippy::cast_precision_loss,
    reason = "for people; nothing is decided by it"
)]
fn ratio(one: u128, two: u128) -> f64 {
    one as f64 / two as f64
}

fn memory(mix: &Mix, events: &[Event<'_>]) -> f64 {
    let mut state = mix.state.clone();
    each(
        || {
            black_box(run(&mut state, events));
        },
        events.len(),
    )
}

/// Submits events and writes them in groups.
fn write<S: Store>(state: &mut State, journal: &mut Journal<S>, events: &[Event<'_>]) {
    for group in events.chunks(GROUP) {
        for event in group {
            journal.submit(state, event).expect("shorter than a frame");
        }
        journal.flush().expect("there is room");
    }
}

fn journaled(mix: &Mix, events: &[Event<'_>]) -> f64 {
    let mut state = mix.state.clone();
    let mut journal = Journal::begin(Vec::new(), &mix.config, &mix.initial).expect("in memory");
    each(|| write(&mut state, &mut journal, events), events.len())
}

fn place() -> PathBuf {
    let folder = std::env::var_os("STOWPLAN_BENCH_DIR").map_or_else(std::env::temp_dir, Into::into);
    folder.join(format!("stowplan-bench-{}.journal", std::process::id()))
}

fn file_journal(mix: &Mix) -> Journal<JournalFile> {
    let path = place();
    let _ = std::fs::remove_file(&path);
    let (file, _) = JournalFile::open(&path).expect("a folder to write in");
    Journal::begin(file, &mix.config, &mix.initial).expect("there is room")
}

fn filed(mix: &Mix, events: &[Event<'_>]) -> f64 {
    let mut state = mix.state.clone();
    let mut journal = file_journal(mix);
    let spent = each(|| write(&mut state, &mut journal, events), events.len());
    let _ = std::fs::remove_file(place());
    spent
}

/// Replays a journal of everything that made the state, followed by the events; subtracts the time of the first part alone.
#[expect(
    clippy::float_arithmetic,
    reason = "for people; nothing is decided by it"
)]
fn replayed(mix: &Mix, events: &[Event<'_>]) -> f64 {
    let mut journal =
        Journal::compact(Vec::new(), &mix.initial, &mix.state, 0).expect("fits a frame");
    let before = journal.store().clone();
    let mut state = mix.state.clone();
    write(&mut state, &mut journal, events);
    let bytes = journal.into_store();
    drop(state);
    let replay = |bytes: &[u8]| {
        each(
            || {
                let back = recover::<ReplayError>(bytes, Mode::Fast, |_, _, _| Ok(()));
                std::mem::forget(back.expect("just written"));
            },
            events.len(),
        )
    };
    let alone = replay(&before);
    replay(&bytes) - alone
}

/// How many times longer a journal that is synced after each group takes than writing and syncing its bytes alone. This is
/// wall-clock time, because a sync waits.
fn synced(mix: &Mix, events: &[Event<'_>]) -> f64 {
    let events = &events[..SYNCED.min(events.len())];
    let mut state = mix.state.clone();
    let mut journal = file_journal(mix);
    let mut written = Vec::new();
    let start = Instant::now();
    for group in events.chunks(GROUP) {
        for event in group {
            journal
                .submit(&mut state, event)
                .expect("shorter than a frame");
        }
        written.push(journal.waiting());
        journal.commit().expect("there is room");
    }
    let ours = start.elapsed();
    drop(journal);
    let bytes = std::fs::read(place()).expect("just written");
    let _ = std::fs::remove_file(place());
    let mut rest = &bytes[bytes.len() - written.iter().sum::<usize>()..];
    let (mut file, _) = JournalFile::open(&place()).expect("a folder to write in");
    file.append(&bytes[..bytes.len() - rest.len()])
        .and_then(|()| file.sync())
        .expect("there is room");
    let start = Instant::now();
    for len in written {
        let (group, behind) = rest.split_at(len);
        file.append(group)
            .and_then(|()| file.sync())
            .expect("there is room");
        rest = behind;
    }
    let alone = start.elapsed();
    let _ = std::fs::remove_file(place());
    ratio(ours.as_nanos(), alone.as_nanos())
}

/// Prints the table.
#[expect(
    clippy::float_arithmetic,
    reason = "an exponent for people; nothing is decided by it"
)]
pub(super) fn tell(words: &[String]) {
    let said = |word: &str| words.iter().any(|other| other.eq_ignore_ascii_case(word));
    let some = |all: &[String]| all.iter().any(|word| said(word));
    let sources = [Source::Granted, Source::Carved].map(|source| format!("{source:?}"));
    let (by_source, by_size) = (some(&sources), some(&SIZES.map(|size| size.to_string())));
    let by_row = some(&ROWS.map(|row| row.0.to_owned()));
    let mut out = std::io::stdout();
    for source in [Source::Granted, Source::Carved] {
        if by_source && !said(&format!("{source:?}")) {
            continue;
        }
        let mut times: Vec<(usize, Vec<f64>)> = Vec::new();
        for size in SIZES {
            if by_size && !said(&size.to_string()) {
                continue;
            }
            let mut mix = Mix::new(size, source);
            let stream = mix.stream(EVENTS);
            let bytes = written(&mix, &stream);
            let events = events(&bytes);
            let rows = ROWS.iter().filter(|row| !by_row || said(row.0));
            let best = |row: Row| {
                let runs = (0..5).map(|_| row(&mix, &events));
                runs.fold(f64::INFINITY, f64::min)
            };
            times.push((size, rows.map(|row| best(row.1)).collect()));
        }
        let names: Vec<&str> = ROWS
            .iter()
            .filter(|row| !by_row || said(row.0))
            .map(|row| row.0)
            .collect();
        for (at, name) in names.iter().enumerate() {
            let _ = write!(out, "session/{source:?}/{name}:");
            for (size, best) in &times {
                let _ = write!(out, "  {:.1} at {size}", best[at]);
            }
            // Sizes grow by 100 from first to last, so the exponent is half the decimal logarithm of the ratio.
            if times.len() == SIZES.len() {
                let exponent = (times[2].1[at] / times[0].1[at]).log10() / 2.0;
                let _ = write!(out, "  exponent {exponent:.2}");
            }
            let _ = writeln!(out);
        }
    }
}
