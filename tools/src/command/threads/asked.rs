//! The command line of `threads`.

use crate::command::given::Given;
use crate::report::{Refused, told};
use roaring::RoaringBitmap;
use stowplan::answers::openmp::{Runtime, Variables};
use stowplan::job::line::variables::of_file;
use stowplan::launchers::cpus::read_stepped;
use stowplan_engine::limit::PUS_MAX;
use stowplan_engine::stage::resolve::Files;

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

impl Asked {
    /// Reads the values.
    ///
    /// # Errors
    /// `bad-option`, `bad-value`, `unknown-variable` or `not-modelled`, with the word.
    pub(super) fn of(given: &Given<'_>, files: &dyn Files) -> Result<Self, Refused> {
        given.no_words()?;
        let needed = |name: &str| {
            given.value(name).ok_or_else(|| {
                let sentence =
                    format!("threads: --{name} is needed: stowplan threads --topo T --cpus LIST");
                told("bad-option", sentence)
            })
        };
        let levels = given.parsed("levels", "1 or 2", |value| {
            let digits = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
            digits.then(|| value.parse().unwrap_or(u32::MAX))
        });
        let allowed = given.value("allowed").map(|value| list("--allowed", value));
        Ok(Self {
            topology: needed("topo")?.to_owned(),
            cpus: list("--cpus", needed("cpus")?)?,
            allowed: allowed.transpose()?,
            variables: variables(given, files)?,
            runtime: given.value("omp").map(runtime).transpose()?,
            levels: levels?,
            form: given.choice("format", FORMS)?.unwrap_or(Form::Text),
        })
    }
}

/// The variables: those around, in order, then those of `-x`, which win.
fn variables(given: &Given<'_>, files: &dyn Files) -> Result<Variables, Refused> {
    let mut around: Vec<(String, String)> = Vec::new();
    for (name, value) in given.options() {
        match name {
            "env" => around.push(pair(&format!("--env {value}"), value)?),
            "env-file" => around.extend(of_file(value, files)?),
            "env-here" => around.extend(std::env::vars_os().filter_map(|(name, value)| {
                Some((name.into_string().ok()?, value.into_string().ok()?))
            })),
            _ => {}
        }
    }
    let mut variables: Variables = around.iter().map(|(name, value)| (name, value)).collect();
    for word in given.all("x") {
        if let Some((name, value)) = word.split_once('=') {
            variables.set(name, value);
        } else if !around.iter().any(|(name, _)| name == word) {
            let sentence = format!("-x {word}: no --env, --env-file or --env-here says its value");
            return Err(told("unknown-variable", sentence));
        }
    }
    Ok(variables)
}

fn pair(what: &str, text: &str) -> Result<(String, String), Refused> {
    let (name, value) = text
        .split_once('=')
        .filter(|(name, _)| !name.is_empty())
        .ok_or_else(|| told("bad-value", format!("{what}: NAME=VALUE is needed")))?;
    Ok((name.to_owned(), value.to_owned()))
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
        .map_err(|error: stowplan::answers::openmp::runtime::BadRuntime| {
            told(error.class(), error.to_string())
        })
}
