//! What the words after `taskmap` ask for.

use crate::command::given::Given;
use crate::report::{Refused, told};
use stowplan_engine::count::Rank;
use stowplan_engine::limit::TASKMAP_TASKS_MAX;
use stowplan_engine::taskmap::{ENCODER_WORDS, Encoder, FORM_WORDS, Form, JobNode, Limits, Scheme};
use stowplan_engine::text::digits;

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

/// Reads the values, then refuses combinations that do not work together. Source: taskmap "Task maps".
pub(super) fn wanted<'a>(given: &Given<'a>) -> Result<Wanted<'a>, Refused> {
    let small =
        |name| Ok::<_, Refused>(number(given, name, u64::from(TASKMAP_TASKS_MAX))?.map(task));
    let questions = [
        ("--to", given.choice("to", FORM_WORDS)?.map(Question::Form)),
        (
            "--nodeid",
            small("nodeid")?.map(|task| Question::NodeOf(Rank(task))),
        ),
        (
            "--taskids",
            small("taskids")?.map(|node| Question::TasksOf(JobNode(node))),
        ),
        (
            "--ntasks",
            small("ntasks")?.map(|node| Question::CountOf(JobNode(node))),
        ),
        ("--check", given.value("check").map(Question::Check)),
        (
            "--explain",
            given.has("explain").then_some(Question::Explain),
        ),
        (
            "--describe",
            given.has("describe").then_some(Question::Describe),
        ),
    ];
    let asked = questions.iter().filter(|(_, question)| question.is_some());
    let names: Vec<&str> = asked.map(|(name, _)| *name).collect();
    if names.len() > 1 {
        let sentence = format!(
            "one form or question at a time, not {}",
            names.join(" and ")
        );
        return Err(told("bad-option", sentence));
    }
    let question = questions.iter().find_map(|(_, question)| *question);
    let scheme = given.value("scheme").map(Scheme::read).transpose()?;
    let hosts = given.value("hosts");
    if let (Some(Scheme::Hostfile(file)), None) = (scheme, hosts) {
        let sentence = format!("--scheme hostfile:{file} needs --hosts, the job's hosts");
        return Err(told("bad-option", sentence));
    }
    let all = Limits::default();
    Ok(Wanted {
        question: question.unwrap_or(Question::Form(Form::Map)),
        scheme,
        hosts,
        encoder: given.choice("encoder", ENCODER_WORDS)?.unwrap_or_default(),
        limits: Limits {
            items: number(given, "max-items", u64::MAX)?.unwrap_or(all.items),
            chars: number(given, "max-chars", u64::MAX)?.or(all.chars),
        },
        map: match given.words[..] {
            [] => None,
            _ => Some(given.only("MAP")?.as_str()).filter(|map| *map != "-"),
        },
    })
}

fn number(given: &Given<'_>, name: &str, most: u64) -> Result<Option<u64>, Refused> {
    given.parsed(name, &format!("a number from 0 to {most}"), |value| {
        digits::number(value).filter(|&number| number <= most)
    })
}

/// The number of a task or a node.
fn task(number: u64) -> u32 {
    u32::try_from(number).expect("checked against TASKMAP_TASKS_MAX")
}
