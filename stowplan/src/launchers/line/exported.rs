//! Variables that a launcher's own line sets for its programs: `--export`, `-genv`, `-env`, `--env`, `-E`, `-e`, and `env A=V ./x`.
//!
//! ```
//! use stowplan::launchers::line::exported::{Exported, exported};
//! use stowplan::launchers::line::Launcher;
//!
//! let line = "-n 4 --export=ALL,OMP_PLACES=cores ./x -e 1".split(' ').map(str::to_owned).collect::<Vec<_>>();
//! let programs = [line[3..].to_vec()];
//! let said = exported(Launcher::Slurm, &line, &programs);
//! assert_eq!(said, [[Exported::Set("OMP_PLACES".to_owned(), "cores".to_owned())]]);
//! ```

use super::asked::Launcher;

/// What a line says about one variable of a program, or about those that it does not name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Exported {
    /// It has this value.
    Set(String, String),
    /// It has the value that it has where the line is typed.
    Kept(String),
    /// It is taken away.
    Gone(String),
    /// Those that are not named are taken away.
    NoOthers,
}

/// Whom a word concerns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Whom {
    All,
    /// The program behind it.
    Next,
}

/// What a line says about the variables of each of its programs. `programs`: each with its arguments, as the line was read.
///
/// Cost: the words.
#[must_use]
pub fn exported(
    launcher: Launcher,
    words: &[String],
    programs: &[Vec<String>],
) -> Vec<Vec<Exported>> {
    let parted: Vec<&[String]> = match launcher {
        Launcher::Slurm | Launcher::Hydra | Launcher::Intel | Launcher::Pals => {
            words.split(|word| word == ":").collect()
        }
        Launcher::Prte | Launcher::Flux | Launcher::Aprun | Launcher::Jsrun => vec![words],
    };
    // Programs of a file are not parts of the line: then the line says what holds for all.
    let parts = if parted.len() == programs.len() {
        parted
    } else {
        vec![words]
    };
    let mut all: Vec<Vec<Exported>> = vec![Vec::new(); programs.len()];
    for (number, part) in parts.iter().enumerate() {
        let argv = programs.get(number).map_or(0, Vec::len);
        let options = &part[..part.len().saturating_sub(argv)];
        let mut reader = Reader {
            launcher,
            options,
            at: 0,
        };
        while let Some((whom, said)) = reader.next() {
            let single = whom == Whom::Next && parts.len() == programs.len();
            for (row, own) in all.iter_mut().enumerate() {
                if !single || row == number {
                    own.extend(said.iter().cloned());
                }
            }
        }
    }
    for (own, argv) in all.iter_mut().zip(programs) {
        own.extend(of_env(argv));
    }
    all
}

/// The variables that `env A=V ./x` sets.
fn of_env(argv: &[String]) -> impl Iterator<Item = Exported> + '_ {
    let name = argv
        .first()
        .map(|word| word.rsplit('/').next().unwrap_or(word));
    let is_env = name == Some("env");
    let words = argv.iter().skip(1).take_while(move |_| is_env);
    words.map_while(|word| {
        let (name, value) = word.split_once('=')?;
        Some(Exported::Set(name.to_owned(), value.to_owned()))
    })
}

struct Reader<'w> {
    launcher: Launcher,
    options: &'w [String],
    at: usize,
}

impl<'w> Reader<'w> {
    /// What the next word about variables says.
    fn next(&mut self) -> Option<(Whom, Vec<Exported>)> {
        while let Some(word) = self.options.get(self.at) {
            self.at += 1;
            let said = match self.launcher {
                Launcher::Slurm => self
                    .long(word, "--export")
                    .map(|value| (Whom::Next, of_slurm(value))),
                Launcher::Hydra | Launcher::Intel | Launcher::Pals => self.of_hydra(word),
                Launcher::Flux => self.of_flux(word),
                Launcher::Aprun => self.short(word, "-e").map(|value| (Whom::All, pair(value))),
                Launcher::Jsrun => {
                    let value = self.short(word, "-E").or_else(|| self.long(word, "--env"));
                    value.map(|value| (Whom::All, pair(value)))
                }
                Launcher::Prte => None,
            };
            if said.is_some() {
                return said;
            }
        }
        None
    }

    fn value(&mut self) -> Option<&'w str> {
        let value = self.options.get(self.at)?;
        self.at += 1;
        Some(value)
    }

    /// The value of a long word: behind `=`, or the next word.
    fn long(&mut self, word: &'w str, name: &str) -> Option<&'w str> {
        match word.strip_prefix(name)? {
            "" => self.value(),
            rest => rest.strip_prefix('='),
        }
    }

    /// The value of a letter: stuck to it, or the next word.
    fn short(&mut self, word: &'w str, name: &str) -> Option<&'w str> {
        match word.strip_prefix(name)? {
            "" => self.value(),
            rest => Some(rest.strip_prefix('=').unwrap_or(rest)),
        }
    }

    /// `-genv A V`, `-env A=V`, `-genvlist A,B`, `-envnone`; one dash or two.
    fn of_hydra(&mut self, word: &'w str) -> Option<(Whom, Vec<Exported>)> {
        let bare = word.strip_prefix("--").or_else(|| word.strip_prefix('-'))?;
        let (name, stuck) = match bare.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (bare, None),
        };
        let name = name.to_ascii_lowercase();
        let (whom, name) = match name.strip_prefix('g') {
            Some(rest) if rest.starts_with("env") => (Whom::All, rest.to_owned()),
            Some(_) | None => (Whom::Next, name),
        };
        let said = match name.as_str() {
            "envnone" => vec![Exported::NoOthers],
            "envlist" => {
                let list = stuck.or_else(|| self.value())?;
                let kept = list.split(',').map(|name| Exported::Kept(name.to_owned()));
                std::iter::once(Exported::NoOthers).chain(kept).collect()
            }
            "env" => {
                let first = stuck.or_else(|| self.value())?;
                match first.split_once('=') {
                    Some((name, value)) => vec![Exported::Set(name.to_owned(), value.to_owned())],
                    None => vec![Exported::Set(first.to_owned(), self.value()?.to_owned())],
                }
            }
            _ => return None,
        };
        Some((whom, said))
    }

    /// `--env=A=V`, `--env=-A`, `--env-remove=A`; patterns that name no variable say nothing of one.
    fn of_flux(&mut self, word: &'w str) -> Option<(Whom, Vec<Exported>)> {
        if let Some(name) = self.long(word, "--env-remove") {
            return Some((Whom::All, gone(name)));
        }
        let rule = self.long(word, "--env")?;
        let said = match rule.strip_prefix('-') {
            Some(name) => gone(name),
            None if rule.contains('=') => pair(rule),
            None if rule.contains(['*', '?', '[', '^', '/']) => Vec::new(),
            None => pair(rule),
        };
        Some((Whom::All, said))
    }
}

/// A rule of Flux that takes variables away.
fn gone(name: &str) -> Vec<Exported> {
    match name {
        "*" => vec![Exported::NoOthers],
        name => vec![Exported::Gone(name.to_owned())],
    }
}

/// `A=V`, or a name alone.
fn pair(text: &str) -> Vec<Exported> {
    vec![match text.split_once('=') {
        Some((name, value)) => Exported::Set(name.to_owned(), value.to_owned()),
        None => Exported::Kept(text.to_owned()),
    }]
}

/// The value of srun's `--export`: names and pairs apart by commas that no quotes hold together; without ALL nothing else is exported.
fn of_slurm(value: &str) -> Vec<Exported> {
    let (mut items, mut item, mut quote) = (Vec::new(), String::new(), None);
    for sign in value.chars() {
        match (quote, sign) {
            (None, '\'' | '"') => quote = Some(sign),
            (Some(open), _) if open == sign => quote = None,
            (None, ',') => items.push(std::mem::take(&mut item)),
            (Some(_) | None, _) => item.push(sign),
        }
    }
    items.push(item);
    let word = |item: &String, word: &str| item.eq_ignore_ascii_case(word);
    let all = items.iter().any(|item| word(item, "all"));
    let named = items.iter().filter(|item| {
        !item.is_empty() && !["all", "none", "nil"].iter().any(|own| word(item, own))
    });
    let named = named.flat_map(|item| pair(item));
    let others = (!all).then_some(Exported::NoOthers);
    others.into_iter().chain(named).collect()
}
