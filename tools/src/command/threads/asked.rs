//! The command line of `threads`.

use crate::report::Refused;
use roaring::RoaringBitmap;
use stowplan_answers::openmp::{Runtime, Variables};
use stowplan_engine::limit::PUS_MAX;
use stowplan_engine::stage::resolve::Files;
use stowplan_job::line::variables::of_file;
use stowplan_launchers::cpus::read_stepped;

/// How the answer is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    Text,
    Tsv,
    Ndjson,
    Json,
}

const FORMS: &[(&str, Form)] = &[
    ("text", Form::Text),
    ("tsv", Form::Tsv),
    ("ndjson", Form::Ndjson),
    ("json", Form::Json),
];

/// A command line.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) topology: String,
    pub(super) cpus: RoaringBitmap,
    pub(super) allowed: Option<RoaringBitmap>,
    pub(super) variables: Variables,
    pub(super) runtime: Option<Runtime>,
    pub(super) levels: Option<u32>,
    pub(super) form: Form,
}

/// Words before they are put together.
#[derive(Default)]
struct Words<'a> {
    once: Vec<(&'static str, &'a str)>,
    /// `-x`, in order.
    given: Vec<&'a str>,
    /// Variables of `--env`, `--env-file` and `--env-here`, in order.
    around: Vec<(String, String)>,
}

/// The options that may stand once.
const ONCE: &[&str] = &["topo", "cpus", "allowed", "omp", "levels", "format"];

fn told(class: &'static str, sentence: String) -> Refused {
    Refused::Told { class, sentence }
}

impl Asked {
    /// Reads the command line.
    ///
    /// # Errors
    /// `bad-option`, `bad-value`, `unknown-variable` or `not-modelled`, with the word.
    pub(super) fn read(args: &[String], files: &dyn Files) -> Result<Self, Refused> {
        let words = Words::read(args, files)?;
        let needed = |name: &str| {
            let found = words.get(name);
            found.ok_or_else(|| {
                let sentence =
                    format!("threads: --{name} is needed: stowplan threads --topo T --cpus LIST");
                told("bad-option", sentence)
            })
        };
        let topology = needed("topo")?.to_owned();
        let cpus = list("--cpus", needed("cpus")?)?;
        let allowed = words.get("allowed").map(|value| list("--allowed", value));
        let runtime = words.get("omp").map(runtime).transpose()?;
        let levels = words.get("levels").map(levels).transpose()?;
        let form = words.get("format").map(form).transpose()?;
        Ok(Self {
            topology,
            cpus,
            allowed: allowed.transpose()?,
            variables: words.variables()?,
            runtime,
            levels,
            form: form.unwrap_or(Form::Text),
        })
    }
}

impl<'a> Words<'a> {
    fn read(args: &'a [String], files: &dyn Files) -> Result<Self, Refused> {
        let mut words = Self::default();
        let mut rest = args.iter();
        while let Some(word) = rest.next() {
            let bare = word.trim_start_matches('-');
            let (name, stuck) = match bare.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (bare, None),
            };
            if !word.starts_with('-') || bare.is_empty() {
                return Err(unknown(word));
            }
            if name == "env-here" && stuck.is_none() {
                let all = std::env::vars_os();
                let text = all.filter_map(|(name, value)| {
                    Some((name.into_string().ok()?, value.into_string().ok()?))
                });
                words.around.extend(text);
                continue;
            }
            let once = ONCE.iter().find(|own| **own == name);
            if once.is_none() && !["x", "env", "env-file"].contains(&name) {
                return Err(unknown(word));
            }
            let value = stuck.or_else(|| rest.next().map(String::as_str));
            let value = value
                .ok_or_else(|| told("bad-option", format!("threads {word}: a value is needed")))?;
            match (once, name) {
                (Some(name), _) if words.get(name).is_some() => {
                    return Err(told(
                        "bad-option",
                        format!("threads --{name} is given twice"),
                    ));
                }
                (Some(name), _) => words.once.push((name, value)),
                (None, "x") => words.given.push(value),
                (None, "env") => words.around.push(pair(&format!("--env {value}"), value)?),
                (None, _) => words.around.extend(of_file(value, files)?),
            }
        }
        Ok(words)
    }

    fn get(&self, name: &str) -> Option<&'a str> {
        let found = self.once.iter().find(|(own, _)| *own == name);
        found.map(|&(_, value)| value)
    }

    /// The variables: those around, then those of `-x`, which win.
    fn variables(&self) -> Result<Variables, Refused> {
        let mut variables: Variables = self
            .around
            .iter()
            .map(|(name, value)| (name, value))
            .collect();
        for word in &self.given {
            if let Some((name, value)) = word.split_once('=') {
                variables.set(name, value);
                continue;
            }
            let here = self.around.iter().any(|(name, _)| name == word);
            if !here {
                let sentence =
                    format!("-x {word}: no --env, --env-file or --env-here says its value");
                return Err(told("unknown-variable", sentence));
            }
        }
        Ok(variables)
    }
}

fn pair(what: &str, text: &str) -> Result<(String, String), Refused> {
    let (name, value) = text
        .split_once('=')
        .filter(|(name, _)| !name.is_empty())
        .ok_or_else(|| told("bad-value", format!("{what}: NAME=VALUE is needed")))?;
    Ok((name.to_owned(), value.to_owned()))
}

fn unknown(word: &str) -> Refused {
    let sentence = format!(
        "threads {word}: its options are --topo --cpus -x --env --env-file --env-here --omp --levels --allowed --format"
    );
    told("bad-option", sentence)
}

fn list(option: &str, value: &str) -> Result<RoaringBitmap, Refused> {
    let set = read_stepped(value, PUS_MAX - 1);
    set.ok_or_else(|| {
        let sentence =
            format!("{option} {value}: a list of OS numbers of cpus is needed, as 1-7,65-71");
        told("bad-value", sentence)
    })
}

/// The runtime of `--omp`.
///
/// # Errors
/// `bad-value`, or `not-modelled` for a version that was not measured.
pub(in super::super) fn runtime(value: &str) -> Result<Runtime, Refused> {
    value
        .parse()
        .map_err(|error: stowplan_answers::openmp::runtime::BadRuntime| {
            told(error.class(), error.to_string())
        })
}

fn levels(value: &str) -> Result<u32, Refused> {
    let digits = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    let number = digits.then(|| value.parse().unwrap_or(u32::MAX));
    number.ok_or_else(|| told("bad-value", format!("--levels {value}: 1 or 2 is needed")))
}

fn form(value: &str) -> Result<Form, Refused> {
    let found = FORMS.iter().find(|(word, _)| *word == value);
    found.map(|(_, form)| *form).ok_or_else(|| {
        told(
            "bad-value",
            format!("--format {value}: threads knows text tsv ndjson json"),
        )
    })
}
