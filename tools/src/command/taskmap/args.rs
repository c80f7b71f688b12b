//! Reads the command line of `taskmap`.

use super::Refused;
use stowplan_engine::count::Rank;
use stowplan_engine::limit::TASKMAP_TASKS_MAX;
use stowplan_engine::taskmap::{ENCODER_WORDS, Encoder, FORM_WORDS, Form, JobNode, Limits, Scheme};

/// What the user wants from a map.
#[derive(Clone, Copy, Debug)]
pub(super) enum Question<'a> {
    Form(Form),
    NodeOf(Rank),
    TasksOf(JobNode),
    CountOf(JobNode),
    Check(&'a str),
    Explain,
    Describe,
}

/// The command line, with defaults.
#[derive(Clone, Debug)]
pub(super) struct Wanted<'a> {
    pub(super) question: Question<'a>,
    pub(super) scheme: Option<Scheme<'a>>,
    pub(super) hosts: Option<&'a str>,
    pub(super) encoder: Encoder,
    pub(super) limits: Limits,
    /// The map; `None` if it comes from standard input.
    pub(super) map: Option<&'a str>,
}

/// An option of the subcommand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Word {
    To,
    NodeId,
    TaskIds,
    Ntasks,
    Check,
    Explain,
    Describe,
    Scheme,
    Hosts,
    Encoder,
    MaxItems,
    MaxChars,
}

/// Options, in the order of the help text. Source: taskmap "Task maps".
const WORDS: &[(&str, Word)] = &[
    ("--to", Word::To),
    ("--nodeid", Word::NodeId),
    ("--taskids", Word::TaskIds),
    ("--ntasks", Word::Ntasks),
    ("--check", Word::Check),
    ("--explain", Word::Explain),
    ("--describe", Word::Describe),
    ("--scheme", Word::Scheme),
    ("--hosts", Word::Hosts),
    ("--encoder", Word::Encoder),
    ("--max-items", Word::MaxItems),
    ("--max-chars", Word::MaxChars),
];

fn bad_option(sentence: String) -> Refused {
    Refused::Told {
        class: "bad-option",
        sentence,
    }
}

fn bad_value(sentence: String) -> Refused {
    Refused::Told {
        class: "bad-value",
        sentence,
    }
}

/// Reads the arguments after `taskmap`, left to right, then refuses combinations that do not work together.
pub(super) fn read(args: &[String]) -> Result<Wanted<'_>, Refused> {
    let mut said = Said::default();
    let mut rest = args.iter().map(String::as_str);
    while let Some(arg) = rest.next() {
        if arg == "--" {
            said.maps.extend(rest.by_ref());
        } else if arg == "-" || !arg.starts_with('-') {
            said.maps.push(arg);
        } else {
            said.option(arg, &mut rest)?;
        }
    }
    said.wanted()
}

/// The options read so far.
#[derive(Default)]
struct Said<'a> {
    words: Vec<Word>,
    questions: Vec<Question<'a>>,
    scheme: Option<Scheme<'a>>,
    hosts: Option<&'a str>,
    encoder: Encoder,
    limits: Limits,
    maps: Vec<&'a str>,
}

impl<'a> Said<'a> {
    /// Takes `--name`, `--name=value`, or `--name` and its value from `rest`.
    fn option(
        &mut self,
        arg: &'a str,
        rest: &mut impl Iterator<Item = &'a str>,
    ) -> Result<(), Refused> {
        let (name, value) = arg
            .split_once('=')
            .map_or((arg, None), |(name, value)| (name, Some(value)));
        let word = find(name)?;
        if self.words.contains(&word) {
            return Err(bad_option(format!("{name} is given twice")));
        }
        self.words.push(word);
        if matches!(word, Word::Explain | Word::Describe) && value.is_some() {
            return Err(bad_option(format!(
                "{name} takes no value, `{arg}` gives one"
            )));
        }
        let mut value = || {
            value
                .or_else(|| rest.next())
                .ok_or_else(|| bad_option(format!("{name} needs a value behind it")))
        };
        match word {
            Word::To => self
                .questions
                .push(Question::Form(choice(name, value()?, FORM_WORDS)?)),
            Word::NodeId => self
                .questions
                .push(Question::NodeOf(Rank(small(name, value()?)?))),
            Word::TaskIds => self
                .questions
                .push(Question::TasksOf(JobNode(small(name, value()?)?))),
            Word::Ntasks => self
                .questions
                .push(Question::CountOf(JobNode(small(name, value()?)?))),
            Word::Check => self.questions.push(Question::Check(value()?)),
            Word::Explain => self.questions.push(Question::Explain),
            Word::Describe => self.questions.push(Question::Describe),
            Word::Scheme => self.scheme = Some(Scheme::read(value()?)?),
            Word::Hosts => self.hosts = Some(value()?),
            Word::Encoder => self.encoder = choice(name, value()?, ENCODER_WORDS)?,
            Word::MaxItems => self.limits.items = number(name, value()?, u64::MAX)?,
            Word::MaxChars => self.limits.chars = Some(number(name, value()?, u64::MAX)?),
        }
        Ok(())
    }

    fn wanted(self) -> Result<Wanted<'a>, Refused> {
        let map = match self.maps.as_slice() {
            [] | ["-"] => None,
            [map] => Some(*map),
            [_, more, ..] => {
                return Err(bad_option(format!(
                    "one map is read, `{}` is another",
                    shown(more)
                )));
            }
        };
        let question = match self.questions.as_slice() {
            [] => Question::Form(Form::Map),
            [question] => *question,
            [_, _, ..] => return Err(together(&self.words)),
        };
        if let (Some(Scheme::Hostfile(file)), None) = (self.scheme, self.hosts) {
            return Err(bad_option(format!(
                "--scheme hostfile:{file} needs --hosts, the job's hosts"
            )));
        }
        let Self {
            scheme,
            hosts,
            encoder,
            limits,
            ..
        } = self;
        Ok(Wanted {
            question,
            scheme,
            hosts,
            encoder,
            limits,
            map,
        })
    }
}

/// The error if there is more than one question.
fn together(said: &[Word]) -> Refused {
    let asks = |word: &Word| match word {
        Word::To
        | Word::NodeId
        | Word::TaskIds
        | Word::Ntasks
        | Word::Check
        | Word::Explain
        | Word::Describe => true,
        Word::Scheme | Word::Hosts | Word::Encoder | Word::MaxItems | Word::MaxChars => false,
    };
    let name = |word: &Word| {
        WORDS
            .iter()
            .find(|(_, other)| other == word)
            .map_or("", |(name, _)| name)
    };
    let names: Vec<&str> = said.iter().filter(|word| asks(word)).map(name).collect();
    bad_option(format!(
        "one form or question at a time, not {}",
        names.join(" and ")
    ))
}

fn find(name: &str) -> Result<Word, Refused> {
    if let Some((_, word)) = WORDS.iter().find(|(known, _)| *known == name) {
        return Ok(*word);
    }
    let alike = |known: &str| {
        known
            .bytes()
            .zip(name.bytes())
            .take_while(|(a, b)| a == b)
            .count()
    };
    let nearest = WORDS
        .iter()
        .map(|(known, _)| *known)
        .max_by_key(|known| alike(known))
        .unwrap_or_default();
    let shown = shown(name);
    Err(bad_option(format!(
        "`{shown}` is unknown to taskmap, the nearest is {nearest}; a map goes behind `--`"
    )))
}

fn choice<T: Copy>(name: &str, value: &str, words: &[(&str, T)]) -> Result<T, Refused> {
    words
        .iter()
        .find(|(word, _)| *word == value)
        .map(|(_, choice)| *choice)
        .ok_or_else(|| {
            let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            let shown = shown(value);
            bad_value(format!("{name} `{shown}`, there are {}", words.join(", ")))
        })
}

fn number(name: &str, value: &str, most: u64) -> Result<u64, Refused> {
    let digits = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    let number = value
        .parse()
        .ok()
        .filter(|&number| digits && number <= most);
    number.ok_or_else(|| {
        let shown = shown(value);
        bad_value(format!(
            "{name} `{shown}`, a number from 0 to {most} is needed"
        ))
    })
}

/// A number of a task or a node.
fn small(name: &str, value: &str) -> Result<u32, Refused> {
    let number = number(name, value, u64::from(TASKMAP_TASKS_MAX))?;
    Ok(u32::try_from(number).expect("checked against TASKMAP_TASKS_MAX"))
}

/// A given text, cut to a readable length.
fn shown(text: &str) -> String {
    text.chars().take(64).collect()
}
