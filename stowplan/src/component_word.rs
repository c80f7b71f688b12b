//! Jobs that say the word of a component in `--map-by`.

use crate::component::Registry;
use crate::job::draft::{Draft, Whose};
use crate::job::options::Meaning;
use crate::job::words::CommandLine;
use crate::{Error, Job, JobBuilder};

impl Registry {
    /// As [`Job::from_command_line`], where `--map-by` also takes the words of these components. Such a job is refused as
    /// `failed-map` when it is placed without them.
    ///
    /// # Errors
    /// As [`Job::from_command_line`].
    /// ```
    /// # use stowplan::component::{Component, Registry};
    /// # use stowplan::{Job, Machine, Plan, Topology};
    /// let mut registry = Registry::standard();
    /// registry.register(Component::new("rack", 99).word("rack"))?;
    /// let job = registry.job("-n 2 -H a:4 --map-by rack ./x".split(' '))?;
    /// let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// assert_eq!(Plan::new(&job, &machine).unwrap_err().class(), "failed-map");
    /// assert!(Job::from_command_line("-n 2 -H a:4 --map-by rack ./x".split(' ')).is_err());
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn job(&self, words: impl IntoIterator<Item = impl Into<String>>) -> Result<Job, Error> {
        let words: Vec<String> = words.into_iter().map(Into::into).collect();
        let mut line = CommandLine::read(&words);
        let mut said = Vec::new();
        for (number, app) in (0..).zip(&mut line.apps) {
            let Some((word, plain)) = app.value(Meaning::MapBy).and_then(|text| self.split(text))
            else {
                continue;
            };
            app.set(Meaning::MapBy, "--map-by", Some(&plain));
            // The first app of a command line speaks for the job.
            let whose = match number {
                0 => Whose::Job,
                _ => Whose::App(number),
            };
            said.push((whose, word));
        }
        if said.is_empty() {
            return Job::from_command_line(words);
        }
        let mut draft = Draft::from_words(&line.to_words())?;
        for (whose, word) in said {
            draft.set_map_word(whose, &word);
        }
        Job::of_draft(&draft)
    }

    /// As [`JobBuilder::build`], where the map policies of the job and its apps may also be words of these components.
    ///
    /// # Errors
    /// As [`JobBuilder::build`].
    /// ```
    /// # use stowplan::component::{Component, Registry};
    /// # use stowplan::{App, Job};
    /// let mut registry = Registry::standard();
    /// registry.register(Component::new("rack", 99).word("rack"))?;
    /// let job = registry.build(Job::builder().app(App::new("./x").hosts("a:4").map_by("rack:pe=2")))?;
    /// assert_eq!(job.apps().count(), 1);
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn build(&self, builder: JobBuilder) -> Result<Job, Error> {
        builder.build_where(|text| self.split(text))
    }

    /// A map policy that says the word of a component: the word, and the policy with `slot` in its place.
    fn split(&self, text: &str) -> Option<(String, String)> {
        let end = text.find(':').unwrap_or(text.len());
        let (word, qualifiers) = text.split_at(end);
        self.has_word(word)
            .then(|| (word.to_ascii_lowercase(), format!("slot{qualifiers}")))
    }
}
