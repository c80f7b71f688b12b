//! Notes on decided options: words that have no effect, and words of the job that do not reach an app.
//! Source: errors "Notes".

use super::dedupe::AppOptions;
use super::options::Options;
use crate::error::Note;
use crate::error::spec::Owner;
use crate::policy::{MapBy, RankBy};
use crate::spawn::keys;
use crate::spawn::policy::Flags;
use crate::spawn::request::{SpawnRequest, owner};

/// The notes on a request: first those on the job, then those on the apps.
pub(crate) fn remarks(request: &SpawnRequest, options: &AppOptions, job: &Options) -> Vec<Note> {
    let mut notes = Vec::new();
    let mut note = |word: &str, owner, why| {
        notes.push(Note::NoEffect {
            word: word.to_owned(),
            owner,
            why,
        })
    };
    let job_map_used = options.distinct().any(|(_, options)| !options.own_map);
    if job_map_used && job.flags.has(Flags::ORDERED) && job.map_word != MapBy::PeList {
        note("ordered", Owner::Job, "only a pe-list has an order");
    }
    let files = options.distinct().any(|(_, options)| reads_file(options));
    if job.file.is_some() && !files {
        note("file", Owner::Job, "no app is mapped by seq or rankfile");
    }
    if job.rank_said.is_some() && job_map_used && job.rank == RankBy::Listed {
        note("rank-by", Owner::Job, "the file gives the ranks");
    }
    for (app, options) in options.iter() {
        let who = owner(app);
        let own = request.attributes().of(who);
        let says = |key| own.iter().any(|row| row.key == key);
        let map = options.map_word;
        if options.own_map && options.flags.has(Flags::ORDERED) && map != MapBy::PeList {
            note("ordered", who, "only a pe-list has an order");
        }
        if says(keys::APP_MAP_FILE) && !reads_file(options) {
            note("file", who, "the app is not mapped by seq or rankfile");
        }
        if says(keys::APP_PPR) && map != MapBy::PPR {
            note("PRTE_APP_PPR", who, "the app is not mapped by ppr");
        }
        if says(keys::APP_CPUSET) && map != MapBy::PeList {
            note("PRTE_APP_CPUSET", who, "the app is not mapped by pe-list");
        }
        if says(keys::APP_RANKBY) && options.rank == RankBy::Listed {
            note("rank-by", who, "the file gives the ranks");
        }
        if options.pe_unused {
            note("the job's pe", who, "the app cannot use it");
        }
    }
    unused_words(&mut notes, options, job);
    notes
}

/// Whether an app is mapped by sequence file or rankfile.
fn reads_file(options: &Options) -> bool {
    matches!(options.map_word, MapBy::Seq | MapBy::Rankfile)
}

/// Notes rank and bind words of the job that apps with their own map do not use.
fn unused_words(notes: &mut Vec<Note>, options: &AppOptions, job: &Options) {
    for (app, options) in options.iter() {
        let Some(app) = owner(app).app().filter(|_| options.own_map) else {
            continue;
        };
        let mut note = |word, instead: &str| {
            let instead = instead.to_owned();
            notes.push(Note::JobWordUnused { word, app, instead });
        };
        if job.rank_said.is_some() && options.rank_said.is_none() {
            note("rank-by", options.rank.word());
        }
        if job.bind_said.is_some() && options.bind_said.is_none() {
            note("bind-to", options.bind.word());
        }
    }
}
