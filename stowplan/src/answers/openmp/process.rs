//! From a process, its machine, mask and variables, to its threads.

use super::answer::{Thread, Threads};
use super::balanced::balanced;
use super::binding::{Binding, Place, Rule};
use super::layers::Layers;
use super::machine::Machine;
use super::refused::Refused;
use super::runtime::{Family, Runtime};
use super::seats::{Bind, Seat, team};
use super::team_sizes::{self, Sizes};
use super::variables::Variables;
use super::{gnu_binding, llvm};
use roaring::RoaringBitmap;

/// A process that opens parallel regions.
#[derive(Clone, Copy, Debug)]
pub struct Process<'a> {
    /// Its machine.
    pub machine: &'a Machine,
    /// The cpus that it starts with, by OS number.
    pub mask: &'a RoaringBitmap,
    /// The cpus that the kernel lets it have.
    pub allowed: &'a RoaringBitmap,
    /// Its variables.
    pub variables: &'a Variables,
    /// How many levels of parallel regions it opens; `None`: as many as `OMP_NUM_THREADS` has numbers.
    pub levels: Option<u32>,
}

impl<'a> Process<'a> {
    /// A process that the kernel lets have all cpus of its machine.
    #[must_use]
    pub fn uncaged(
        machine: &'a Machine,
        mask: &'a RoaringBitmap,
        variables: &'a Variables,
        levels: Option<u32>,
    ) -> Self {
        Self {
            machine,
            mask,
            allowed: machine.all(),
            variables,
            levels,
        }
    }
}

/// Where the threads of a process run.
///
/// # Errors
/// `bad-value` for a value that is none; `not-modelled` where no rule is known, or the runtime does not answer twice alike;
/// `runtime-aborts` where the runtime ends the program.
///
/// Cost: the cpus of the machine, the text of the variables, the threads.
pub fn threads(process: &Process<'_>, runtime: Runtime) -> Result<Threads, Refused> {
    let variables = process.variables;
    variables.refuse_unknown(runtime)?;
    let gnu = runtime.family() == Family::Gnu;
    let entries = match gnu {
        true => gnu_binding::bind_entries(variables),
        false => llvm::bind_entries(variables),
    };
    let said = team_sizes::said(variables, runtime, entries)?;
    let levels = levels(process.levels, said.numbers.len())?;
    let (binding, mask, layers, mut available) = match gnu {
        true => {
            let binding = gnu_binding::binding(process.machine, process.mask, variables)?;
            (binding, process.mask.clone(), None, process.mask.len())
        }
        false => {
            let own = llvm::decide(process.machine, process.mask, variables, runtime)?;
            (own.binding, own.mask, Some(own.layers), own.available)
        }
    };
    if let Binding::Places {
        covers: Some(covers),
        ..
    } = &binding
    {
        available = available.min(u64::from(*covers));
    }
    let available = u32::try_from(available).unwrap_or(u32::MAX);
    let sizes = said.sizes(runtime, levels, available)?;
    Seating {
        process,
        runtime,
        mask,
        layers,
        sizes,
    }
    .seat(binding)
}

/// How many levels there are.
fn levels(given: Option<u32>, numbers: usize) -> Result<u32, Refused> {
    let levels = given.unwrap_or_else(|| u32::try_from(numbers.max(1)).unwrap_or(u32::MAX));
    match levels {
        0 => Err(Refused::BadValue {
            name: "--levels",
            value: "0".to_owned(),
            wanted: "1 or 2 levels",
        }),
        1 | 2 => Ok(levels),
        more => Err(Refused::unknown(
            format!("{more} levels of parallel regions"),
            "more than two were not measured",
        )),
    }
}

/// A process whose teams have their sizes.
struct Seating<'a> {
    process: &'a Process<'a>,
    runtime: Runtime,
    /// The cpus that the runtime looks at.
    mask: RoaringBitmap,
    layers: Option<Layers>,
    sizes: Sizes,
}

impl Seating<'_> {
    fn seat(&self, binding: Binding) -> Result<Threads, Refused> {
        match binding {
            Binding::Unbound { cpus, word } => Ok(self.together(cpus, word)),
            Binding::Balanced(fineness) => {
                if self.sizes.inner.is_some() {
                    let why = "two levels of it were not measured";
                    return Err(Refused::unknown("KMP_AFFINITY=balanced", why));
                }
                let threads = usize_of(self.sizes.outer);
                let Some(layers) = self.layers.as_ref().filter(|_| threads > 1) else {
                    return Ok(self.together(self.mask.clone(), "kmp"));
                };
                let sets = balanced(layers, fineness, threads)?;
                self.each(sets)
            }
            Binding::Places {
                list, rule, word, ..
            } => self.places(list, &rule, word),
        }
    }

    /// All numbers of threads, in order.
    fn numbers(&self) -> impl Iterator<Item = (u32, Option<u32>)> {
        let inner = self.sizes.inner;
        (0..self.sizes.outer).flat_map(move |outer| {
            let of = move |at: u32| (outer, inner.map(|_| at));
            (0..inner.unwrap_or(1)).map(of)
        })
    }

    /// Threads that nothing binds.
    fn together(&self, cpus: RoaringBitmap, word: &'static str) -> Threads {
        let mut threads = self.unbound(cpus, word);
        threads.bound = false;
        threads
    }

    /// Threads that all have the same cpus.
    fn unbound(&self, cpus: RoaringBitmap, word: &'static str) -> Threads {
        let own = self.numbers().map(|(outer, inner)| Thread {
            outer,
            inner,
            place: None,
            cpus: 0,
        });
        let threads = own.collect();
        self.answer(word, Vec::new(), vec![cpus], threads)
    }

    fn answer(
        &self,
        bind: &'static str,
        places: Vec<RoaringBitmap>,
        sets: Vec<RoaringBitmap>,
        threads: Vec<Thread>,
    ) -> Threads {
        Threads {
            runtime: self.runtime,
            number: self.sizes.outer,
            bind,
            bound: true,
            start: self.process.mask.clone(),
            places,
            sets,
            threads,
        }
    }

    /// Threads that have cpus and no places.
    fn each(&self, sets: Vec<RoaringBitmap>) -> Result<Threads, Refused> {
        let mut cut = Vec::with_capacity(sets.len());
        for (thread, set) in sets.iter().enumerate() {
            let own = set & self.process.allowed;
            if own.is_empty() {
                return Err(self.nowhere(&thread.to_string(), set));
            }
            cut.push(own);
        }
        let threads = self
            .numbers()
            .enumerate()
            .map(|(cpus, (outer, inner))| Thread {
                outer,
                inner,
                place: None,
                cpus,
            });
        let threads = threads.collect();
        Ok(self.answer("kmp", Vec::new(), cut, threads))
    }

    fn places(
        &self,
        list: Vec<Place>,
        rule: &Rule,
        word: &'static str,
    ) -> Result<Threads, Refused> {
        if let [only] = list.as_slice()
            && only.cpus == *self.process.mask
        {
            return Ok(self.unbound(only.cpus.clone(), word));
        }
        let seats = self.seats(rule, list.len())?;
        let allowed = self.process.allowed;
        let mut sets: Vec<RoaringBitmap> = list.iter().map(|place| &place.cpus & allowed).collect();
        let gnu = self.runtime.family() == Family::Gnu;
        let mut threads = Vec::with_capacity(seats.len());
        for (at, ((outer, inner), place)) in self.numbers().zip(seats).enumerate() {
            let mut thread = Thread {
                outer,
                inner,
                place: Some(place),
                cpus: place,
            };
            if sets[place].is_empty() && gnu && at == 0 {
                // The first thread is there already: it stays where it is.
                sets.push(self.process.mask.clone());
                thread.cpus = sets.len() - 1;
            } else if sets[place].is_empty() {
                return Err(self.nowhere(&thread.name(), &list[place].cpus));
            }
            threads.push(thread);
        }
        let told = list.into_iter().map(|place| place.told).collect();
        let start = (gnu && !sets[0].is_empty()).then(|| sets[0].clone());
        let mut answer = self.answer(word, told, sets, threads);
        answer.start = start.unwrap_or(answer.start);
        Ok(answer)
    }

    fn nowhere(&self, thread: &str, place: &RoaringBitmap) -> Refused {
        let cpus = stowplan_engine::table::cpusets::list_form(place);
        let runtime = self.runtime.exact();
        let message = match self.runtime.family() {
            Family::Gnu => format!(
                "thread {thread} cannot be created: its place {cpus} has no cpu that the process may use"
            ),
            Family::Llvm | Family::Intel => format!(
                "thread {thread} cannot be bound: its place {cpus} has no cpu that the process may use"
            ),
        };
        let instead =
            "OMP_PLACES=cores takes the places from the cpus that the process has".to_owned();
        Refused::Aborts {
            runtime,
            message,
            instead,
        }
    }

    /// The place of each thread.
    fn seats(&self, rule: &Rule, places: usize) -> Result<Vec<usize>, Refused> {
        let (outer, inner) = (usize_of(self.sizes.outer), self.sizes.inner.map(usize_of));
        match rule {
            Rule::Number { offset } => {
                let place = |thread: usize| (thread + offset) % places;
                match inner {
                    None => Ok((0..outer).map(place).collect()),
                    Some(inner) if outer > 1 && inner > 1 && places > 1 => Err(Refused::unknown(
                        format!("{outer} teams of {inner} threads bound by their numbers"),
                        "the inner threads get their numbers in a race",
                    )),
                    Some(inner) => Ok((0..outer * inner).map(place).collect()),
                }
            }
            Rule::Words(words) => {
                let family = self.runtime.family();
                let (first, last) = (words.first(), words.last());
                let bind = first.copied().unwrap_or(Bind::Close);
                let teams = team(family, bind, outer, Seat::of_program(places), places);
                let Some(inner) = inner else {
                    return Ok(teams.iter().map(|seat| seat.place).collect());
                };
                let bind = words.get(1).or(last).copied().unwrap_or(bind);
                let seats = teams
                    .iter()
                    .flat_map(|&seat| team(family, bind, inner, seat, places));
                Ok(seats.map(|seat| seat.place).collect())
            }
        }
    }
}

fn usize_of(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
