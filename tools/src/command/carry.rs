//! `--onto` of subcommands: a saved plan is carried onto the hosts that were granted.

use super::here;
use super::saved::Saved;
use crate::Console;
use crate::report::Refused;
use crate::surroundings::Surroundings;
use stowplan_answers::onto::{Misfit, onto};
use stowplan_engine::plan::bytes::Remark;
use stowplan_engine::table::names::Names;
use stowplan_job::error::one_line;
use stowplan_job::granted::{granted, grants};
use stowplan_job::words::CommandLine;

/// What stands behind the options of a subcommand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Behind {
    /// More options, and plans.
    Options,
    /// A program with words of its own.
    Program,
}

/// The words of a subcommand, and the words of hosts among them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Split {
    /// The words of the subcommand.
    pub(super) own: Vec<String>,
    /// The words of hosts; `None`: there is no `--onto`.
    pub(super) hosts: Option<Vec<String>>,
}

/// Takes `--onto` and the options of hosts behind it out of the words of a subcommand.
pub(super) fn take(args: &[String], behind: Behind) -> Split {
    let end = args.iter().position(|word| word == "--");
    let (words, rest) = args.split_at(end.unwrap_or(args.len()));
    let is_onto = |word: &String| word == "--onto" || word.starts_with("--onto=");
    // Words of a program are its own, also without `--` before them.
    let plain = |word: &&String| !word.starts_with('-') || *word == "-";
    let own = match behind {
        Behind::Options => words.len(),
        Behind::Program => {
            let mut plain = (0..).zip(words).filter(|(_, word)| plain(word));
            plain.nth(1).map_or(words.len(), |(at, _)| at)
        }
    };
    let Some(at) = words[..own].iter().position(is_onto) else {
        return Split {
            own: args.to_vec(),
            hosts: None,
        };
    };
    let mut left = &words[at + 1..];
    let mut hosts = Vec::new();
    if let Some((_, list)) = words[at].split_once('=') {
        hosts.extend(["-H".to_owned(), list.to_owned()]);
    } else if let Some((list, rest)) = left.split_first().filter(|(word, _)| plain(word))
        && words[..at].iter().any(|word| plain(&word))
    {
        hosts.extend(["-H".to_owned(), list.clone()]);
        left = rest;
    }
    let mut split = split(left, behind);
    hosts.append(&mut split.hosts.unwrap_or_default());
    let mut all = words[..at].to_vec();
    all.append(&mut split.own);
    all.extend_from_slice(rest);
    Split {
        own: all,
        hosts: Some(hosts),
    }
}

/// Parts the options of hosts from the other words.
pub(super) fn split(words: &[String], behind: Behind) -> Split {
    let (mut own, mut hosts) = (Vec::new(), Vec::new());
    let mut rest = words;
    while let Some(word) = rest.first() {
        let is_option = word.starts_with('-') && word.len() > 1;
        if !is_option && behind == Behind::Program {
            own.extend_from_slice(rest);
            break;
        }
        let line = CommandLine::read(rest);
        let first = line.apps.first().and_then(|app| app.options.first());
        let count = match first.filter(|_| is_option) {
            Some(option) => option.to_words().len().clamp(1, rest.len()),
            None => 1,
        };
        let granting = first.and_then(|option| option.meaning).is_some_and(grants);
        let (taken, behind) = rest.split_at(count);
        match granting && is_option {
            true => hosts.extend_from_slice(taken),
            false => own.extend_from_slice(taken),
        }
        rest = behind;
    }
    Split {
        own,
        hosts: Some(hosts),
    }
}

/// Prints notes in words.
pub(super) fn print(notes: &[Remark], console: &mut Console<'_>) {
    for Remark { class, text, .. } in notes {
        // The worst that can happen to a note is that nobody reads it.
        let _ = writeln!(console.err, "note[{}]: {}", one_line(class), one_line(text));
    }
}

/// Prints what is to be said of the hosts that a plan was carried onto.
pub(super) fn print_carried(notes: &[Remark], console: &mut Console<'_>) {
    let carried = ["topology-differs", "topology-assumed", "nodes-idle"];
    let told = notes.iter().filter(|note| carried.contains(&&*note.class));
    print(&told.cloned().collect::<Vec<_>>(), console);
}

/// Carries a saved plan onto the hosts that words name. Notes on nodes that it no longer has are dropped.
///
/// # Errors
/// `does-not-fit`; errors of the words, of hosts and of topologies.
pub(super) fn carry(
    saved: Saved,
    hosts: &[String],
    console: &mut Console<'_>,
) -> Result<Saved, Refused> {
    let asked = here::words(hosts, console)?;
    let outside = Surroundings {
        files: console.files,
    };
    let from = asked.asked.job.cores_from.as_ref();
    let mut granted = granted(&asked.words, from, &saved.plan, &outside)?;
    if asked.hosts.is_some() {
        // A batch system counts tasks, which its launcher may be asked to exceed.
        granted.slots.iter_mut().for_each(|slots| *slots = None);
    }
    let told = |misfit: Misfit| Refused::Told {
        class: misfit.class(),
        sentence: misfit.to_string(),
    };
    let carried = onto(&saved.plan, &granted).map_err(told)?;
    let before = &saved.plan.world().names;
    let mut notes = saved.notes;
    notes.retain(|note| !names_nodes(&note.text, before));
    notes.extend(carried.notes);
    let mut sources = saved.sources;
    sources.hosts = asked.hosts;
    Ok(Saved {
        plan: carried.plan,
        sources,
        notes,
    })
}

/// Carries a plan if `--onto` was said.
///
/// # Errors
/// As [`carry`].
pub(super) fn carry_if(
    saved: Saved,
    hosts: Option<&[String]>,
    console: &mut Console<'_>,
) -> Result<Saved, Refused> {
    match hosts {
        None => Ok(saved),
        Some(hosts) => carry(saved, hosts, console),
    }
}

/// Whether a text names nodes: one of these, or a range of names.
fn names_nodes(text: &str, names: &Names) -> bool {
    let part = |sign: char| !(sign.is_ascii_alphanumeric() || "._-".contains(sign));
    let mut words = text.split(part).filter(|word| !word.is_empty());
    // The article is a word of most notes.
    text.contains('[') || words.any(|word| word != "a" && names.find_name(word).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn the_words_of_hosts_are_parted_from_the_others() {
        let parted = |line: &str, behind| {
            let split = take(&words(line), behind);
            (
                split.own.join(" "),
                split.hosts.map(|hosts| hosts.join(" ")),
            )
        };
        let some = |own: &str, hosts: &str| (own.to_owned(), Some(hosts.to_owned()));
        let (options, program) = (Behind::Options, Behind::Program);
        assert_eq!(parted("p --onto g0,g1", options), some("p", "-H g0,g1"));
        assert_eq!(
            parted("p --onto -H g0 --live f --topo t", options),
            some("p --live f", "-H g0 --topo t")
        );
        assert_eq!(
            parted("p --onto=g0 --here", options),
            some("p", "-H g0 --here")
        );
        assert_eq!(parted("--onto -H g p", options), some("p", "-H g"));
        assert_eq!(
            parted("p --onto --here --omp -- ./x -H 3", program),
            some("p --omp -- ./x -H 3", "--here")
        );
        assert_eq!(
            parted("p --onto -H g ./x -H 3", program),
            some("p ./x -H 3", "-H g")
        );
        assert_eq!(
            parted("p ./x --onto 3", program),
            ("p ./x --onto 3".to_owned(), None)
        );
    }
}
