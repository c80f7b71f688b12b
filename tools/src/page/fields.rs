//! What a request may say: one type for each path. `openapi.json` says the same for others.

use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// Texts of files that a line names, by name.
pub type Texts = BTreeMap<String, String>;

/// `POST /v1/map`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Map<'b> {
    /// Given back as it is.
    #[serde(borrow)]
    pub id: Option<&'b RawValue>,
    /// The job; beside a request its options.
    #[serde(default)]
    pub line: String,
    /// A spawn request in place of a line that names apps.
    #[serde(borrow)]
    pub request: Option<&'b RawValue>,
    /// Files.
    #[serde(default)]
    pub files: Texts,
    /// As `--dark`.
    #[serde(default)]
    pub dark: bool,
    /// As `--size`: `16:9`.
    pub size: Option<String>,
    /// In place of `--format` of the line.
    pub format: Option<String>,
    /// In place of `--ranks`.
    pub ranks: Option<String>,
    /// In place of `--node`.
    pub node: Option<String>,
    /// In place of `--columns`.
    pub columns: Option<String>,
}

/// `POST /v1/explain`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Explain<'b> {
    /// Given back as it is.
    #[serde(borrow)]
    pub id: Option<&'b RawValue>,
    /// The job; `RANK -- job` too.
    pub line: String,
    /// Files.
    #[serde(default)]
    pub files: Texts,
    /// A rank.
    pub rank: Option<u32>,
    /// Ranks: `3,8-9`.
    pub ranks: Option<String>,
    /// Hosts in place of ranks.
    pub node: Option<String>,
    /// OS numbers of cpus in place of ranks.
    pub cpus: Option<String>,
}

/// `POST /v1/diff`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Diff<'b> {
    /// Given back as it is.
    #[serde(borrow)]
    pub id: Option<&'b RawValue>,
    /// The job before; `-- job -- job` too.
    pub line: String,
    /// The job after.
    pub other: Option<String>,
    /// Files.
    #[serde(default)]
    pub files: Texts,
    /// `json`, `tsv` or `svg`.
    pub format: Option<String>,
    /// As `--dark`.
    #[serde(default)]
    pub dark: bool,
    /// As `--size`: `16:9`.
    pub size: Option<String>,
}

/// `POST /v1/score`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Score<'b> {
    /// Given back as it is.
    #[serde(borrow)]
    pub id: Option<&'b RawValue>,
    /// The job; `--pattern P -- job` too.
    pub line: String,
    /// Files.
    #[serde(default)]
    pub files: Texts,
    /// Who talks to whom.
    pub pattern: Option<String>,
}

/// `POST /v1/export`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Export<'b> {
    /// Given back as it is.
    #[serde(borrow)]
    pub id: Option<&'b RawValue>,
    /// The job; `DIALECT job` too, where DIALECT and job are no launcher's line.
    pub line: String,
    /// Files.
    #[serde(default)]
    pub files: Texts,
    /// One dialect; absent: all of them.
    pub dialect: Option<String>,
}
