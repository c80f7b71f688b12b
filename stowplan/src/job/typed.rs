//! What a job was made of, so that what would work instead can be told in the same words.

use crate::job::whose::{Kind, Whose};
use std::collections::BTreeMap;
use stowplan_engine::id::Id as _;
use stowplan_engine::spawn::SpawnRequest;
use stowplan_engine::spawn::request::AppRow;

/// What a job was made of.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Typed {
    /// The words of a command line, or those that would make the same job.
    Words(Vec<String>),
    /// The text of a request in JSON.
    Request(String),
    /// Neither: it came from bytes, was changed afterwards, or no command line says the same.
    #[default]
    Nothing,
}

/// What was set on a job that began empty.
pub(crate) struct Set<'d> {
    pub(crate) policies: &'d BTreeMap<(Whose, Kind), String>,
    pub(crate) hosts: &'d BTreeMap<u32, String>,
    pub(crate) hostfiles: &'d BTreeMap<u32, String>,
}

impl Set<'_> {
    /// The words of a command line for this job. A command line's first app speaks for the job, so there are none if that app has
    /// policies of its own beside other apps. Variables are left out: they place nothing.
    pub(crate) fn words(&self, request: &SpawnRequest) -> Typed {
        let alone = request.apps().len() == 1;
        let own = |kind| self.policies.contains_key(&(Whose::App(0), kind));
        if [Kind::Map, Kind::Rank, Kind::Bind]
            .into_iter()
            .any(|kind| own(kind) && !alone)
        {
            return Typed::Nothing;
        }
        let mut words: Vec<String> = Vec::new();
        for (id, row) in request.apps().iter() {
            let AppRow::App { np } = *row else {
                return Typed::Nothing;
            };
            let app = u32::try_from(id.row()).unwrap_or(u32::MAX);
            if app > 0 {
                words.push(":".to_owned());
            }
            let mut say = |option: &str, value: &str| {
                words.extend([option.to_owned(), value.to_owned()]);
            };
            if let Some(np) = np {
                say("-n", &np.0.to_string());
            }
            if let Some(hosts) = self.hosts.get(&app) {
                say("-H", hosts);
            }
            if self.hostfiles.contains_key(&app) {
                say("--hostfile", &hostfile_name(app));
            }
            for kind in [Kind::Map, Kind::Rank, Kind::Bind] {
                let of_app = self.policies.get(&(Whose::App(app), kind));
                let of_job = self.policies.get(&(Whose::Job, kind)).filter(|_| app == 0);
                if let Some(text) = of_app.or(of_job) {
                    say(kind.option(), text);
                }
            }
            let label = request.label(id);
            words.push(label.map_or_else(|| "program".to_owned(), |label| label.cmd.clone()));
        }
        Typed::Words(words)
    }
}

/// The name under which the contents of an app's hostfile are a file of the job.
pub(crate) fn hostfile_name(app: u32) -> String {
    format!("hostfile of app {app}")
}
