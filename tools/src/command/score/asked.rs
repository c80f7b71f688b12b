//! The command lines of `score` and `advise`: their own options before `--`, the job after it.

use crate::report::Refused;
use stowplan_engine::text::words::nearest;
use stowplan_score::error::ScoreError;
use stowplan_score::pattern::Part;

/// How the answer is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// For people.
    Text,
    /// One line, for programs.
    Json,
    /// A line per level of the machine.
    Tsv,
    /// A page with a picture.
    Html,
    /// The picture alone.
    Svg,
}

/// Options of the network, which may stand before `--` or among the job's words.
const NETWORK: &[&str] = &["network", "network-levels", "node-order"];

/// An option with its name and its value.
pub type Given = (String, String);

/// A command line.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The command, for use in messages.
    pub command: &'static str,
    /// The patterns in the order given.
    pub parts: Vec<Part>,
    /// `--format`.
    pub format: Format,
    /// The options that only this command has.
    pub others: Vec<Given>,
    /// Words that are not options.
    pub words: Vec<String>,
    /// The words of the job; `None`: there is no `--`.
    pub job: Option<Vec<String>>,
}

impl Asked {
    /// Reads the command line. `formats`: those that the command has; `others`: its other options, each with a value.
    ///
    /// # Errors
    /// The first of `bad-option`, `bad-value` and `bad-pattern`, from left to right.
    pub fn read(
        command: &'static str,
        args: &[String],
        formats: &[(&str, Format)],
        others: &[&str],
    ) -> Result<Self, Refused> {
        let end = args.iter().position(|word| word == "--");
        let mut asked = Self {
            command,
            parts: Vec::new(),
            format: Format::Text,
            others: Vec::new(),
            words: Vec::new(),
            job: end.map(|end| args[end + 1..].to_vec()),
        };
        let mut own = args[..end.unwrap_or(args.len())].iter();
        while let Some(word) = own.next() {
            if word.len() < 2 || !word.starts_with('-') {
                asked.words.push(word.clone());
                continue;
            }
            let (name, inline) = match word.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (word.as_str(), None),
            };
            let bare = name.strip_prefix("--").unwrap_or(name);
            if !["pattern", "format"].contains(&bare)
                && !others.contains(&bare)
                && !NETWORK.contains(&bare)
            {
                return Err(asked.unknown(name, others));
            }
            let Some(value) = inline.or_else(|| own.next().cloned()) else {
                return Err(told(
                    "bad-option",
                    format!("{command} {name}: its value is missing"),
                ));
            };
            match bare {
                "pattern" => asked.parts.push(Part::read(&value).map_err(refused)?),
                "format" => match formats.iter().find(|(word, _)| *word == value) {
                    Some(&(_, format)) => asked.format = format,
                    None => {
                        let words: Vec<&str> = formats.iter().map(|(word, _)| *word).collect();
                        let sentence =
                            format!("--format {value}: it is none of: {}", words.join(" "));
                        return Err(told("bad-value", sentence));
                    }
                },
                _ if asked.others.iter().any(|(other, _)| other == bare) => {
                    return Err(told(
                        "bad-option",
                        format!("{command} {name}: it stands there twice"),
                    ));
                }
                _ => asked.others.push((bare.to_owned(), value)),
            }
        }
        asked.distances_from_job(others);
        asked.network_to_job(args, end.unwrap_or(args.len()))?;
        Ok(asked)
    }

    /// `--distances` may stand among the job's options too.
    fn distances_from_job(&mut self, others: &[&str]) {
        let Some(job) = self.job.as_mut().filter(|_| others.contains(&"distances")) else {
            return;
        };
        let Some(at) = job.iter().position(|word| word == "--distances") else {
            return;
        };
        let mut taken = job.drain(at..job.len().min(at + 2)).skip(1);
        if let Some(value) = taken.next() {
            self.others.push(("distances".to_owned(), value));
        }
    }

    /// Options of the network are the job's: those before `--` go to its words. Beside a saved plan they stay.
    fn network_to_job(&mut self, args: &[String], end: usize) -> Result<(), Refused> {
        let Some(job) = &mut self.job else {
            return Ok(());
        };
        let own = self
            .others
            .extract_if(.., |(name, _)| NETWORK.contains(&name.as_str()));
        let mut words: Vec<String> = Vec::new();
        for (name, value) in own {
            let dashed = format!("--{name}");
            let inline = format!("{dashed}=");
            let twice = args[end..]
                .iter()
                .any(|word| *word == dashed || word.starts_with(&inline));
            if twice {
                let command = self.command;
                let sentence = format!(
                    "{command} {dashed}: it stands before -- and among the words of the job"
                );
                return Err(told("bad-option", sentence));
            }
            words.extend([dashed, value]);
        }
        job.splice(0..0, words);
        Ok(())
    }

    fn unknown(&self, name: &str, others: &[&str]) -> Refused {
        let mut options = vec!["--pattern".to_owned(), "--format".to_owned()];
        options.extend(others.iter().map(|name| format!("--{name}")));
        let job = match self.job {
            Some(_) => "",
            None => "; the job's stand behind --",
        };
        let command = self.command;
        let sentence = format!(
            "{command} has no option {name}: it has {}{job}",
            options.join(" ")
        );
        let refused = told("bad-option", sentence);
        let known = options.iter().map(|option| &option[2..]);
        match nearest(known, name.trim_start_matches('-')) {
            Some(near) => Refused::Mended {
                refused: Box::new(refused),
                remedies: vec![format!("did you mean --{near}?")],
            },
            None => refused,
        }
    }

    /// The value of one of the command's other options.
    #[must_use]
    pub fn other(&self, name: &str) -> Option<&str> {
        let found = self.others.iter().find(|(other, _)| other == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Refuses a command line without a pattern.
    ///
    /// # Errors
    /// `bad-option`.
    pub fn needs_a_pattern(&self) -> Result<(), Refused> {
        if !self.parts.is_empty() {
            return Ok(());
        }
        let command = self.command;
        let sentence = format!(
            "{command}: --pattern is needed, to say who talks to whom: --pattern halo:50x48"
        );
        Err(told("bad-option", sentence))
    }
}

/// A refusal in words.
#[must_use]
pub fn told(class: &'static str, sentence: String) -> Refused {
    Refused::Told { class, sentence }
}

/// The refusal for an error of the score.
#[must_use]
pub fn refused(error: ScoreError) -> Refused {
    told(error.class(), error.to_string())
}
