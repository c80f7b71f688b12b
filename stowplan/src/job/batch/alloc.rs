//! `--alloc 'WORDS'` before a launcher that takes no such words: the hosts and slots that they fix.

use super::directives::{Batch, slurm};
use super::hosts::{Hosts, Whose, names_hosts};
use crate::job::error::bad_words;
use crate::job::line::Cut;
use crate::job::options::Meaning;
use crate::job::words::CommandLine;
use crate::launchers::line::quoted_words;
use crate::launchers::slurm::job_told;
use stowplan_engine::error::{Note, SpecError};

/// Our own words with hosts in place of the words of salloc, and a note if their names are made up.
///
/// # Errors
/// Errors of the words; `not-modelled` where they do not fix the slots of each node.
pub(crate) fn with_hosts(
    text: &str,
    cut: Cut<'_>,
) -> Result<(Vec<String>, Option<Note>), SpecError> {
    let refused = |class, sentence: String, help| {
        bad_words(class, format!("--alloc {text}: {sentence}"), help)
    };
    let told = quoted_words(text).and_then(|words| job_told(&words));
    let told = told.map_err(|own| {
        let sentence = own.sentence.replacen("--alloc: ", "", 1);
        refused(own.class, sentence, own.help)
    })?;
    let asked = slurm::of_told(&told);
    let mut ours = CommandLine::read(cut.ours);
    for app in &mut ours.apps {
        app.options
            .retain(|option| option.meaning != Some(Meaning::Alloc));
    }
    let hosts = Hosts::of(&ours, Some((Batch::Slurm, &asked)))?;
    let mut words = ours.to_words();
    if hosts.whose == Whose::Ours || names_hosts(cut.words) {
        return Ok((words, None));
    }
    let list = hosts.list.clone().unwrap_or_else(|| "n[0-1]".to_owned());
    if let Some(why) = asked.unclear {
        let names = list.split(':').next().unwrap_or(&list);
        let help = format!("say the nodes and their slots: -H {names}:N");
        return Err(refused("not-modelled", why, vec![help]));
    }
    words.extend(["-H".to_owned(), list]);
    let note = (hosts.whose == Whose::Invented).then(|| Note::OfLine {
        class: "invented-nodes",
        text: format!(
            "--alloc counts nodes and names none: they are called {}",
            hosts.names()
        ),
    });
    Ok((words, note))
}
