//! A command line cut into apps and options, so that an option can be changed and the job planned again.

use crate::job::options::{Meaning, Old, Row, Takes, find, spelled};

/// A job's command line, in pieces. Reading checks nothing: [`crate::job::args::map_args`] says what is wrong in the words.
/// ```
/// use stowplan::job::options::Meaning;
/// use stowplan::job::words::CommandLine;
///
/// let words = ["-n", "4", "--map-by", "core", "./a", "--", "-x", ":", "-n", "2", "./b"];
/// let mut line = CommandLine::read(&words.map(str::to_owned));
/// assert_eq!(line.apps.len(), 2);
/// assert_eq!(line.apps[0].value(Meaning::MapBy), Some("core"));
/// line.apps[0].set(Meaning::MapBy, "--map-by", Some("numa"));
/// line.apps[1].set(Meaning::BindTo, "--bind-to", Some("core"));
/// line.apps[1].set(Meaning::Np, "-n", None);
/// let again = ["-n", "4", "--map-by", "numa", "./a", "--", "-x", ":", "--bind-to", "core", "./b"];
/// assert_eq!(line.to_words(), again);
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CommandLine {
    /// The apps, in the order of the command line.
    pub apps: Vec<AppWords>,
}

/// The words of one app.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AppWords {
    /// Its options.
    pub options: Vec<OptionWords>,
    /// Its program and the program's arguments.
    pub program: Vec<String>,
}

/// One option as written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OptionWords {
    /// Its name as written, with its dashes.
    pub name: String,
    /// What it means. `None` if there is no such option.
    pub meaning: Option<Meaning>,
    /// Its value, or key and value.
    pub values: Vec<String>,
    /// How the first value is joined.
    joined: Joined,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Joined {
    /// Joined to the name by this sign: `=`, or nothing.
    Behind(&'static str),
    Apart,
}

impl CommandLine {
    /// Cuts a command line. Cost: linear.
    #[must_use]
    pub fn read(words: &[String]) -> Self {
        let segments = words.split(|word| word == ":");
        let apps = segments.filter(|segment| !segment.is_empty());
        Self {
            apps: apps.map(AppWords::read).collect(),
        }
    }

    /// The words again.
    #[must_use]
    pub fn to_words(&self) -> Vec<String> {
        let mut words = Vec::new();
        for (number, app) in self.apps.iter().enumerate() {
            if number > 0 {
                words.push(":".to_owned());
            }
            app.options
                .iter()
                .for_each(|option| option.write(&mut words));
            words.extend_from_slice(&app.program);
        }
        words
    }
}

impl AppWords {
    fn read(segment: &[String]) -> Self {
        let mut options = Vec::new();
        let mut rest = segment;
        while let Some((word, behind)) = rest.split_first() {
            if word == "--" || word.len() < 2 || !word.starts_with('-') {
                break;
            }
            let spelled = spelled(word);
            let (row, sign) = (spelled.row, spelled.sign);
            let joined = match spelled.value {
                Some(_) => Joined::Behind(sign),
                None => Joined::Apart,
            };
            let mut values: Vec<String> = spelled.value.into_iter().map(str::to_owned).collect();
            let apart = row.map_or(0, wanted).saturating_sub(values.len());
            let apart = apart.min(behind.len());
            values.extend_from_slice(&behind[..apart]);
            rest = &behind[apart..];
            options.push(OptionWords {
                name: word[..spelled.named].to_owned(),
                meaning: row.map(|row| row.meaning),
                values,
                joined,
            });
        }
        Self {
            options,
            program: rest.to_vec(),
        }
    }

    /// The value of an option; the last one if the option is given more than once. `None` if it is not given or has no value.
    #[must_use]
    pub fn value(&self, meaning: Meaning) -> Option<&str> {
        let mut given = self.options.iter().rev();
        let option = given.find(|option| option.meaning == Some(meaning))?;
        option.values.last().map(String::as_str)
    }

    /// What the app says of its mapping, old spellings spelled out: `-N 4 --oversubscribe` is `ppr:4:node:oversubscribe`. `None`: nothing.
    #[must_use]
    pub fn map_said(&self) -> Option<String> {
        let (mut policy, mut qualifiers) = (String::new(), Vec::new());
        let said = self.options.iter().filter_map(OptionWords::mapping);
        for (at, said) in said.enumerate() {
            // The first begins the list of qualifiers, so that an empty list tells that nothing was said.
            if at == 0 {
                qualifiers.push(String::new());
            }
            let (own, rest) = split_map(&said);
            if !own.is_empty() {
                policy = own;
            }
            qualifiers.extend(rest);
        }
        qualifiers.first()?;
        qualifiers[0] = policy;
        Some(qualifiers.join(":"))
    }

    /// Sets a variable of the app, as `-x` does.
    pub fn set_variable(&mut self, name: &str, value: &str) {
        let text = format!("{name}={value}");
        let own = |option: &&mut OptionWords| {
            let given = option.values.last().map_or("", String::as_str);
            let (given, _) = given.split_once('=').unwrap_or((given, ""));
            option.meaning == Some(Meaning::Exported) && given == name
        };
        // The last one counts.
        match self.options.iter_mut().rev().find(own) {
            Some(option) => option.values = vec![text],
            None => self.options.push(OptionWords {
                name: "-x".to_owned(),
                meaning: Some(Meaning::Exported),
                values: vec![text],
                joined: Joined::Apart,
            }),
        }
    }

    /// Replaces an option by this name and value. `None` removes the option.
    pub fn set(&mut self, meaning: Meaning, name: &str, value: Option<&str>) {
        let given = |option: &OptionWords| option.meaning == Some(meaning);
        let at = self.options.iter().position(given);
        self.options.retain(|option| !given(option));
        if let Some(value) = value {
            let option = OptionWords {
                name: name.to_owned(),
                meaning: Some(meaning),
                values: vec![value.to_owned()],
                joined: Joined::Apart,
            };
            self.options
                .insert(at.unwrap_or(self.options.len()), option);
        }
    }
}

impl OptionWords {
    /// The value of `--map-by` that it stands for; `None`: it says nothing of the mapping.
    fn mapping(&self) -> Option<String> {
        let value = self.values.last().map_or("", String::as_str);
        let meaning = self.meaning?;
        // These stay beside any mapping.
        let stays = matches!(meaning, Meaning::Old(Old::HwtCpus | Old::NoLocal));
        if meaning == Meaning::MapBy {
            return Some(value.to_owned());
        }
        if stays || !matches!(meaning, Meaning::Old(_)) {
            return None;
        }
        let row = find(self.name.trim_start_matches('-'))?;
        let new = match row.metavar {
            "" => row.help.to_owned(),
            metavar => row.help.replace(metavar, value),
        };
        new.strip_prefix("--map-by ").map(str::to_owned)
    }

    /// Its words.
    #[must_use]
    pub fn to_words(&self) -> Vec<String> {
        let mut words = Vec::new();
        self.write(&mut words);
        words
    }

    fn write(&self, words: &mut Vec<String>) {
        match (self.joined, self.values.split_first()) {
            (Joined::Behind(sign), Some((first, rest))) => {
                words.push(format!("{}{sign}{first}", self.name));
                words.extend_from_slice(rest);
            }
            (Joined::Behind(_) | Joined::Apart, _) => {
                words.push(self.name.clone());
                words.extend_from_slice(&self.values);
            }
        }
    }
}

/// Splits a map value into the policy and its qualifiers.
#[must_use]
pub fn split_map(value: &str) -> (String, Vec<String>) {
    let mut parts = value.split(':').map(str::to_owned);
    let mut head = parts.next().unwrap_or_default();
    if head.eq_ignore_ascii_case("ppr") {
        for part in parts.by_ref().take(2) {
            head = format!("{head}:{part}");
        }
    }
    (head, parts.collect())
}

/// How many words an option takes as its value.
const fn wanted(row: &Row) -> usize {
    match row.takes {
        Takes::Nothing | Takes::Maybe => 0,
        Takes::One => 1,
        Takes::Two => 2,
    }
}
