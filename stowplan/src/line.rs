//! A launcher's own line, with what stands around it.

use crate::job::draft::Draft;
use crate::job::files::GivenFiles;
use crate::job::line::cut;
use crate::job::script;
use crate::{Error, Job, Machine, Plan};

/// What errors call a script that came as text.
const SCRIPT: &str = "the script";

/// Options that stand before a line.
const OPTIONS: [&str; 6] = ["-H", "--alloc", "--as", "--env", "--granted", "--site"];

/// A launcher's own line, as its user types it, with the allocation and the settings that the launcher would see. It is placed by the
/// rules of that launcher.
///
/// Each method stands for the option of `stowplan map` that it names. What is said twice holds as said last, but hosts, variables and
/// files, which add up.
///
/// ```
/// use stowplan::{Line, Machine, Topology};
/// let machine = Machine::uniform(Topology::parse("package:2 core:4 pu:2")?);
/// let plan = Line::new("srun -n 4 -c 2 --cpu-bind=cores ./ocean".split(' '))
///     .rules("slurm@24.11")
///     .alloc("-N 2 --exclusive")
///     .hosts("n[0-1]")
///     .place(&machine)?;
/// assert_eq!((plan.launcher().name(), plan.launcher().version()), ("slurm", "24.11"));
/// # Ok::<(), stowplan::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Line {
    /// Our own options with their values.
    before: Vec<(&'static str, String)>,
    /// The launcher's word, and the words behind it.
    words: Vec<String>,
    files: Vec<(String, String)>,
}

impl Line {
    /// A line: the launcher's word and all that stands behind it, up to the program's arguments.
    /// ```
    /// # use stowplan::Line;
    /// let line = Line::new(["mpirun", "-np", "4", "./a"]).hosts("n0:4");
    /// assert!(line.job().is_ok());
    /// ```
    #[must_use]
    pub fn new(words: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self {
            words: words.into_iter().map(Into::into).collect(),
            ..Self::default()
        }
    }

    /// The launch line of a batch script, with what its directives say of the allocation. `number`: which of several lines, from 1;
    /// `variables`: those that stand around the script. No shell is started, and nothing is read from disk.
    ///
    /// # Errors
    /// `bad-script` for a text that no shell would read or that has no launch line, `ambiguous-line` for several without a number,
    /// `unknown-variable` at a value that only a shell could tell; errors of the directives.
    ///
    /// Cost: linear in the text, times the depth of its blocks.
    /// ```
    /// # use stowplan::{Line, Machine, Topology};
    /// let machine = Machine::uniform(Topology::parse("package:2 core:4 pu:1")?);
    /// let text = "#SBATCH -N 2 --ntasks-per-node=2\nmpirun -n $((SLURM_NNODES * RANKS)) ./a\n";
    /// assert_eq!(Line::from_script(text, None, &[]).unwrap_err().class(), "unknown-variable");
    /// let plan = Line::from_script(text, None, &[("RANKS", "2")])?.place(&machine)?;
    /// assert_eq!((plan.len(), plan.nodes().len()), (4, 2));
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn from_script(
        text: &str,
        number: Option<usize>,
        variables: &[(&str, &str)],
    ) -> Result<Self, Error> {
        let mut files = GivenFiles::default();
        files.give(SCRIPT, text);
        let mut words = vec!["--script".to_owned(), SCRIPT.to_owned()];
        if let Some(number) = number {
            words.extend(["--line".to_owned(), number.to_string()]);
        }
        for (name, value) in variables {
            words.extend(["--env".to_owned(), format!("{name}={value}")]);
        }
        let scripted = script::expand(&words, &files)?;
        let (words, files) = scripted.map_or_else(Default::default, |scripted| {
            (scripted.words, scripted.files)
        });
        let ours = cut(&words).map_or(0, |cut| cut.ours.len());
        let before = words[..ours].chunks_exact(2).filter_map(|pair| {
            let mut names = OPTIONS.into_iter();
            Some((names.find(|name| *name == pair[0])?, pair[1].clone()))
        });
        Ok(Self {
            before: before.collect(),
            words: words[ours..].to_vec(),
            files: files
                .iter()
                .map(|(name, text)| (name.to_owned(), text.to_owned()))
                .collect(),
        })
    }

    fn option(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.before.push((name, value.into()));
        self
    }

    fn last_option(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.before.retain(|(own, _)| *own != name);
        self.option(name, value)
    }

    /// Whose rules hold, `--as`: `hydra`, `slurm@23.11`. It is needed only where the launcher's word does not say.
    /// ```
    /// # use stowplan::Line;
    /// let line = Line::new(["mpiexec", "-n", "4", "./a"]).rules("hydra@4.3.2");
    /// ```
    #[must_use]
    pub fn rules(self, who: impl Into<String>) -> Self {
        self.last_option("--as", who)
    }

    /// The words of `salloc`, `sbatch` or `flux alloc` that made the job, `--alloc`.
    /// ```
    /// # use stowplan::Line;
    /// let line = Line::new(["srun", "./a"]).alloc("-N 2 --ntasks-per-node=4");
    /// ```
    #[must_use]
    pub fn alloc(self, words: impl Into<String>) -> Self {
        self.last_option("--alloc", words)
    }

    /// What of each node the job was given, `--granted`: `n0=0-7,n1=0-3`, or the name of a file that [`Line::file`] gives.
    /// ```
    /// # use stowplan::Line;
    /// let line = Line::new(["srun", "-n2", "./a"]).hosts("n[0-1]").granted("n0=0-7,n1=0-3");
    /// ```
    #[must_use]
    pub fn granted(self, cpus: impl Into<String>) -> Self {
        self.last_option("--granted", cpus)
    }

    /// Settings of the site, `--site`: `KEY=VALUE,…`, or the name of a file that [`Line::file`] gives.
    /// ```
    /// # use stowplan::Line;
    /// let line = Line::new(["flux", "run", "-n2", "./a"]).hosts("n0").site("policy=lonodex");
    /// ```
    #[must_use]
    pub fn site(self, settings: impl Into<String>) -> Self {
        self.last_option("--site", settings)
    }

    /// A variable that the launcher would see, `--env`. Nothing is read from the environment of this process.
    /// ```
    /// # use stowplan::Line;
    /// let line = Line::new(["srun", "-n2", "./a"]).hosts("n0").env("SLURM_HINT", "nomultithread");
    /// ```
    #[must_use]
    pub fn env(self, name: &str, value: &str) -> Self {
        self.option("--env", format!("{name}={value}"))
    }

    /// Hosts of the allocation, `-H`: `n[000-127]:8`. The line's own words about hosts choose among them.
    /// ```
    /// # use stowplan::Line;
    /// let line = Line::new(["mpiexec.hydra", "-n", "4", "./a"]).hosts("n[0-1]:4");
    /// ```
    #[must_use]
    pub fn hosts(self, list: impl Into<String>) -> Self {
        self.option("-H", list)
    }

    /// Gives the contents of a file that the line, its variables or its settings name. Nothing is read from disk.
    /// ```
    /// # use stowplan::Line;
    /// let line = Line::new(["mpiexec.hydra", "-f", "hosts", "-n", "2", "./a"]).file("hosts", "a:1\nb:1\n");
    /// assert!(line.job().is_ok());
    /// ```
    #[must_use]
    pub fn file(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.files.push((name.into(), text.into()));
        self
    }

    /// The line as a job, to be relayed or placed later.
    ///
    /// # Errors
    /// `bad-option` where no launcher's word begins the line; `ambiguous-launcher`, and errors in the words that stand before it. What
    /// the launcher itself refuses is found when the line is placed.
    /// ```
    /// # use stowplan::Line;
    /// assert_eq!(Line::new(["./a", "-n", "2"]).job().unwrap_err().class(), "bad-option");
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn job(&self) -> Result<Job, Error> {
        if cut(&self.words).is_none_or(|cut| !cut.ours.is_empty()) {
            let first = self.words.first().map_or("nothing", String::as_str);
            let sentence = format!("{first} is no launcher's word, which begins a line");
            return Err(Error::told("bad-option", &sentence));
        }
        let before = self.before.iter();
        let mut words: Vec<String> = before
            .flat_map(|(name, value)| [(*name).to_owned(), value.clone()])
            .collect();
        words.extend_from_slice(&self.words);
        let mut draft = Draft::from_words(&words)?;
        for (name, text) in &self.files {
            draft.set_file(name, text)?;
        }
        Job::of_draft(&draft)
    }

    /// Places the line on a machine.
    ///
    /// # Errors
    /// As [`Line::job`]. What the launcher would do is `launcher-refuses`, `launch-fails` or `would-wait`, and `not-modelled` if it is
    /// not known.
    ///
    /// Cost: grows with the distinct nodes, not with the processes.
    /// ```
    /// # use stowplan::{Line, Machine, Topology};
    /// let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let refused = Line::new(["srun", "-n", "0", "./a"]).hosts("n0").place(&machine).unwrap_err();
    /// assert_eq!(refused.class(), "launcher-refuses");
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn place(&self, machine: &Machine) -> Result<Plan, Error> {
        Plan::new(&self.job()?, machine)
    }
}
