//! A job that is read: its apps, as they were asked for.

use crate::explanation::Word;
use crate::{Job, Note};
use std::fmt;
use stowplan_engine::id::Id as _;
use stowplan_engine::spawn::keys;
use stowplan_engine::spawn::request::{AppRow, Label, SpawnRequest, owner};
use stowplan_engine::table::apps::AppId;

impl Job {
    /// The apps, in order. Entries of a request that are `null` are passed over, and their numbers with them. The line of a launcher
    /// that is not of prterun's family has none here: only a machine says what it comes to ([`Plan::new`](crate::Plan::new)).
    ///
    /// Cost: linear in the apps.
    /// ```
    /// # use stowplan::Job;
    /// let job = Job::from_command_line("-n 8 -H a:4,b:4 ./ocean -v : -n 1 ./io".split(' '))?;
    /// let programs: Vec<&str> = job.apps().filter_map(|app| app.program()).collect();
    /// assert_eq!(programs, ["./ocean", "./io"]);
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn apps(&self) -> impl Iterator<Item = JobApp<'_>> {
        let rows = self.request().apps().iter();
        rows.filter_map(|(id, row)| match *row {
            AppRow::App { np } => Some(JobApp {
                job: self,
                id,
                np: np.map(|np| np.0),
            }),
            AppRow::Hole => None,
        })
    }

    /// The variables that all apps have, as names with values, in the order given.
    /// ```
    /// # use stowplan::{App, Job};
    /// let job = Job::builder().env("OMP_PLACES", "cores").app(App::new("./a")).build()?;
    /// assert_eq!(job.env().collect::<Vec<_>>(), [("OMP_PLACES", "cores")]);
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn env(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        let all = self.args().env.iter();
        all.map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The files that were given with the job: names and contents, by name.
    /// ```
    /// # use stowplan::Job;
    /// let job = Job::from_command_line_with(["--hostfile", "hosts", "./a"], [("hosts", "a slots=2\n")])?;
    /// assert_eq!(job.given_files().collect::<Vec<_>>(), [("hosts", "a slots=2\n")]);
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn given_files(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.files().iter()
    }

    /// What is worth knowing of the words alone: old spellings, words and keys that have no effect, attributes that do not travel.
    /// A plan has these notes and those of its placement. Empty if the words contradict each other.
    ///
    /// Cost: the first time, that of reading the words; later nothing.
    /// ```
    /// # use stowplan::Job;
    /// let job = Job::from_json(r#"{"apps":[{"cmd":"./a","info":{"MY_KEY":"7"}}]}"#)?;
    /// assert_eq!(job.notes()[0].class(), "unknown-key");
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        self.read().notes()
    }
}

/// An app of a job, as it was asked for.
/// ```
/// use stowplan::{App, Job};
/// let job = Job::builder()
///     .map_by("core")
///     .app(App::new("./ocean").procs(64).hosts("n[0-3]:16").env("OMP_NUM_THREADS", "2"))
///     .app(App::new("./io").rank_by("node"))
///     .build()?;
/// let app = job.apps().next().ok_or("it has two")?;
/// assert_eq!((app.number(), app.program(), app.np()), (0, Some("./ocean"), Some(64)));
/// assert_eq!((app.hosts(), app.env().next()), (Some("n[0-3]:16"), Some("OMP_NUM_THREADS=2")));
/// let map = app.policies().next().ok_or("it has three")?;
/// assert_eq!((map.option(), map.value(), map.from()), ("--map-by", "core", "job"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct JobApp<'j> {
    job: &'j Job,
    id: AppId,
    np: Option<u32>,
}

impl<'j> JobApp<'j> {
    fn request(self) -> &'j SpawnRequest {
        self.job.request()
    }

    fn label(self) -> Option<&'j Label> {
        self.request().label(self.id)
    }

    fn attribute(self, key: u16) -> Option<&'j str> {
        self.request().attributes().string(owner(self.id), key)
    }

    /// The number of the app, from 0.
    /// ```
    /// # let job = stowplan::Job::from_command_line("./a : ./b".split(' '))?;
    /// assert_eq!(job.apps().map(|app| app.number()).collect::<Vec<_>>(), [0, 1]);
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn number(self) -> u32 {
        u32::try_from(self.id.row()).unwrap_or(u32::MAX)
    }

    /// The program. `None` if the words name none.
    /// ```
    /// # let job = stowplan::Job::from_command_line("-n 1 ./a : -n 2".split(' '))?;
    /// assert_eq!(job.apps().map(|app| app.program()).collect::<Vec<_>>(), [Some("./a"), None]);
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn program(self) -> Option<&'j str> {
        let program = self.label().map(|label| label.cmd.as_str());
        program.filter(|program| !program.is_empty())
    }

    /// The arguments of the program, without its name.
    /// ```
    /// # let job = stowplan::Job::from_command_line("-n 1 ./a -v in.nc".split(' '))?;
    /// assert_eq!(job.apps().next().map(|app| app.argv()), Some(&["-v".to_owned(), "in.nc".to_owned()][..]));
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn argv(self) -> &'j [String] {
        self.label().map_or(&[], |label| &label.argv)
    }

    /// The directory in which the program starts. `None` if the words name none.
    /// ```
    /// # use stowplan::Job;
    /// let job = Job::from_json(r#"{"apps":[{"cmd":"./a","cwd":"/scratch"}]}"#)?;
    /// assert_eq!(job.apps().next().and_then(|app| app.cwd()), Some("/scratch"));
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn cwd(self) -> Option<&'j str> {
        let cwd = self.label().map(|label| label.cwd.as_str());
        cwd.filter(|cwd| !cwd.is_empty())
    }

    /// The environment words of the app itself, `NAME=VALUE`, or `NAME` for one whose value is the launcher's. [`Job::env`] has those
    /// of all apps.
    /// ```
    /// # let job = stowplan::Job::from_command_line("-x OMP_PLACES=cores ./a".split(' '))?;
    /// assert_eq!(job.apps().next().unwrap().env().collect::<Vec<_>>(), ["OMP_PLACES=cores"]);
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn env(self) -> impl Iterator<Item = &'j str> {
        let number = self.number();
        let said = self.label().map_or(&[][..], |label| &label.env);
        let exported = self.job.args().exported.iter();
        let exported = exported.filter(move |(app, _)| *app == number);
        let exported = exported.map(|(_, word)| word.as_str());
        said.iter().map(String::as_str).chain(exported)
    }

    /// The host list, as `-H` takes it. `None` if the app names no hosts.
    /// ```
    /// # let job = stowplan::Job::from_command_line("-H n[0-3]:2 ./a".split(' '))?;
    /// assert_eq!(job.apps().next().and_then(|app| app.hosts()), Some("n[0-3]:2"));
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn hosts(self) -> Option<&'j str> {
        self.attribute(keys::APP_DASH_HOST)
    }

    /// The name of the hostfile, or several with commas. [`Job::given_files`] has the contents. `None` if the app has none.
    /// ```
    /// # let job = stowplan::Job::from_command_line("--hostfile h ./a".split(' '))?;
    /// assert_eq!(job.apps().next().and_then(|app| app.hostfile()), Some("h"));
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn hostfile(self) -> Option<&'j str> {
        self.attribute(keys::APP_HOSTFILE)
    }

    /// How many processes were asked for. `None`: as many as policy and slots give.
    /// ```
    /// # let job = stowplan::Job::from_command_line("-n 8 ./a : ./b".split(' '))?;
    /// assert_eq!(job.apps().map(|app| app.np()).collect::<Vec<_>>(), [Some(8), None]);
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub const fn np(self) -> Option<u32> {
        self.np
    }

    /// The policies: `--map-by`, `--rank-by` and `--bind-to` with their values, defaults included, each with where it came from. A
    /// default binding that depends on how many processes the job has is `by-size` until all apps say that. Empty if the words
    /// of the job contradict each other; [`Plan::new`](crate::Plan::new) says how.
    ///
    /// Cost: the first time for a job, that of reading its words; later nothing.
    /// ```
    /// # let job = stowplan::Job::from_command_line("-n 8 --rank-by node ./a".split(' '))?;
    /// let app = job.apps().next().unwrap();
    /// let said: Vec<_> = app.policies().map(|word| (word.value(), word.from(), word.rule())).collect();
    /// let bind = ("core", "default", Some("bind-as-mapped"));
    /// assert_eq!(said, [("core", "default", Some("map-core")), ("node", "job", None), bind]);
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn policies(self) -> impl ExactSizeIterator<Item = Word<'j>> {
        self.job
            .read()
            .policies(self.id.row())
            .iter()
            .map(Word::new)
    }
}

impl fmt::Debug for JobApp<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (number, program) = (self.number(), self.program().unwrap_or("no program"));
        write!(f, "JobApp({number}: {program})")
    }
}
