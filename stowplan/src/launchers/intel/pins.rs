//! What the variables say of pins. Source: `lines/intel/spec.md` 5 and 6.

use super::version::Version;
use crate::launchers::line::LineRefused;
use crate::launchers::line::named::leading_number;
use roaring::RoaringBitmap;
use stowplan_engine::limit::PUS_MAX;
use stowplan_engine::policy::ObjKind;

/// The order in which local ranks take domains.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Order {
    /// `bunch`, `range`, and whatever else is no order.
    Bunch,
    /// `compact`
    Compact,
    /// `spread`, `scatter`: their rule is not known.
    Spread,
}

/// What a domain is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cell {
    /// PUs.
    Unit,
    /// Cores, of which each gives its first PU.
    Core,
    /// Cores, of which each gives all its PUs.
    WholeCore,
}

/// The domains of local ranks.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Domains {
    /// The default.
    Auto,
    /// Objects of a kind.
    Shape(ObjKind),
    /// Blocks of a size, at least 1.
    Size(usize),
    /// A set for each local rank; default pins where there are not as many.
    Masks(Vec<RoaringBitmap>),
    /// A cpu for each local rank.
    Processors(Vec<u32>),
}

/// How local ranks are pinned.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Pins {
    /// They are not.
    Off,
    /// To domains.
    On {
        /// The domains.
        domains: Domains,
        /// Their order.
        order: Order,
        /// What they are made of.
        cell: Cell,
    },
}

/// What the variables say, and what an expert would say of that.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Spoken {
    pub(crate) version: Version,
    pub(crate) pins: Pins,
    /// The variable or rule that decided the domains, and what it says.
    pub(crate) domain: (String, String),
    /// The same for the order.
    pub(crate) order: (String, String),
    /// A list of processors beside domains, which are then made of these alone.
    pub(crate) processors: Option<Vec<u32>>,
    /// Values that are not obeyed, and why.
    pub(crate) ignored: Vec<String>,
}

/// Looks up a variable; an empty one is not set.
pub(crate) type Lookup<'a> = &'a dyn Fn(&str) -> Option<&'a str>;

/// Kinds of domains by their words.
const SHAPES: &[(&str, ObjKind)] = &[
    ("core", ObjKind::Core),
    ("socket", ObjKind::Package),
    ("sock", ObjKind::Package),
    ("numa", ObjKind::Numa),
    ("node", ObjKind::Machine),
    ("cache1", ObjKind::L1),
    ("cache2", ObjKind::L2),
    ("cache3", ObjKind::L3),
];

/// Values of `I_MPI_PIN` that turn pins off.
const OFF: &[&str] = &["off", "0", "no", "disable"];

const DOMAIN: &str = "I_MPI_PIN_DOMAIN";
pub(crate) const LIST: &str = "I_MPI_PIN_PROCESSOR_LIST";
const ORDER: &str = "I_MPI_PIN_ORDER";

/// Reads the variables.
///
/// # Errors
/// `not-modelled`
pub(crate) fn read(variable: Lookup<'_>, version: Version) -> Result<Spoken, LineRefused> {
    refuse_offload(variable)?;
    refuse_others(variable)?;
    let mut ignored = Vec::new();
    let order = variable(ORDER);
    let mut spoken_order = match order {
        Some("compact") => Order::Compact,
        Some("spread" | "scatter") => Order::Spread,
        Some(_) | None => Order::Bunch,
    };
    let mut domain = ("default".to_owned(), "auto".to_owned());
    let mut beside = None;
    let pins = if let Some(text) = variable("I_MPI_PIN").filter(|text| is_off(text)) {
        domain = ("I_MPI_PIN".to_owned(), text.to_owned());
        Pins::Off
    } else {
        let (domains, said) = match (variable(DOMAIN), variable(LIST)) {
            (Some(text), list) => {
                beside = list.and_then(numbers);
                domain = (DOMAIN.to_owned(), text.to_owned());
                domains(text, variable, &mut spoken_order, &mut ignored)?
            }
            (None, Some(text)) => {
                domain = (LIST.to_owned(), text.to_owned());
                (processors(text, version, &mut ignored)?, LIST)
            }
            (None, None) => (Domains::Auto, DOMAIN),
        };
        refuse_old(version, said)?;
        let cell = cell(variable, &domains);
        Pins::On {
            domains,
            order: spoken_order,
            cell,
        }
    };
    let order = order.map_or(("default", "bunch"), |text| (ORDER, text));
    Ok(Spoken {
        version,
        pins,
        domain,
        order: (order.0.to_owned(), order.1.to_owned()),
        processors: beside,
        ignored,
    })
}

/// `I_MPI_PIN_CELL`. Kinds of objects beside a list of processors give the first PU of each core unless a unit is asked for; an
/// unknown word is half of both.
fn cell(variable: Lookup<'_>, domains: &Domains) -> Cell {
    let listed = variable(LIST).is_some_and(|list| numbers(list).is_some());
    match (variable("I_MPI_PIN_CELL"), domains) {
        (Some("core"), _) => Cell::Core,
        (Some("unit"), _) => Cell::Unit,
        (_, Domains::Shape(_) | Domains::Auto) if listed => Cell::Core,
        (Some(_), _) => Cell::WholeCore,
        (None, _) => Cell::Unit,
    }
}

fn is_off(text: &str) -> bool {
    OFF.contains(&text)
}

fn not_modelled(why: String) -> LineRefused {
    LineRefused::new("not-modelled", why)
}

/// GPUs pin ranks by rules that are not known.
fn refuse_offload(variable: Lookup<'_>) -> Result<(), LineRefused> {
    match variable("I_MPI_OFFLOAD") {
        None | Some("0") => Ok(()),
        Some(text) => Err(not_modelled(format!(
            "I_MPI_OFFLOAD={text}: how ranks are pinned to GPUs is not known"
        ))),
    }
}

/// Variables that move pins by rules that are not known.
const OTHERS: &[&str] = &[
    "I_MPI_PIN_PROCESSOR_EXCLUDE_LIST",
    "I_MPI_PIN_RESPECT_CPUSET",
    "I_MPI_PIN_RESPECT_HCA",
    "I_MPI_PIN_MODE",
];

fn refuse_others(variable: Lookup<'_>) -> Result<(), LineRefused> {
    let off = variable("I_MPI_PIN").is_some_and(is_off);
    let mut set = OTHERS
        .iter()
        .filter_map(|name| Some((name, variable(name)?)));
    match set.next().filter(|_| !off) {
        None => Ok(()),
        Some((name, text)) => Err(not_modelled(format!(
            "{name}={text}: what it does to pins is not known"
        ))),
    }
}

/// Pins before 2021.15 go by older code.
fn refuse_old(version: Version, said: &str) -> Result<(), LineRefused> {
    if version.pins_are_known() {
        return Ok(());
    }
    let refused = not_modelled(format!(
        "{said}: pins before Intel MPI 2021.15 go by older code that could not be asked"
    ));
    Err(refused.help(["unpinned ranks are known: --env I_MPI_PIN=off"]))
}

/// `I_MPI_PIN_DOMAIN`; the second is the variable that said it.
fn domains(
    text: &str,
    variable: Lookup<'_>,
    order: &mut Order,
    ignored: &mut Vec<String>,
) -> Result<(Domains, &'static str), LineRefused> {
    if let Some(masks) = text.strip_prefix('[') {
        return Ok((Domains::Masks(masks_of(masks)), DOMAIN));
    }
    if let Some(lists) = text.strip_prefix("list:") {
        let sets = lists.split(':').map(|list| cpus(list).unwrap_or_default());
        return Ok((Domains::Masks(sets.collect()), DOMAIN));
    }
    let (shape, layout) = match text.split_once(':') {
        Some((shape, layout)) => (shape, Some(layout)),
        None => (text, None),
    };
    let named = SHAPES.iter().find(|(word, _)| *word == shape);
    *order = match layout {
        None => *order,
        Some("compact") => Order::Compact,
        Some("platform") => Order::Bunch,
        Some("scatter") => Order::Spread,
        Some(_) => {
            return Err(not_modelled(format!(
                "{DOMAIN}={text}: what this layout means is not known"
            )));
        }
    };
    let domains = match (shape, named) {
        ("omp", _) => by_threads(text, variable, ignored),
        ("auto", _) => Domains::Auto,
        (_, Some((_, kind))) if layout.is_none() => Domains::Shape(*kind),
        (_, Some(_)) => {
            ignored.push(format!(
                "{DOMAIN}={text}: with a layout after it {shape} is lost, domains are auto"
            ));
            Domains::Auto
        }
        // As C's `atoi` reads it: `3x` is 3.
        (digits, None) if leading_number(digits) > 0 => {
            Domains::Size(usize::try_from(leading_number(digits)).unwrap_or(usize::MAX))
        }
        ("0", None) => Domains::Auto,
        (_, None) => {
            ignored.push(format!(
                "{DOMAIN}={text} is no domain, and nothing is said of that: domains are auto"
            ));
            Domains::Auto
        }
    };
    Ok((domains, DOMAIN))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// `omp`: domains of as many cpus as there are threads.
fn by_threads(text: &str, variable: Lookup<'_>, ignored: &mut Vec<String>) -> Domains {
    let Some(threads) = variable("OMP_NUM_THREADS") else {
        ignored.push(format!(
            "{DOMAIN}={text}: OMP_NUM_THREADS is not set, domains are auto"
        ));
        return Domains::Auto;
    };
    if !is_number(threads) {
        ignored.push(format!(
            "{DOMAIN}={text}: OMP_NUM_THREADS={threads} is no single number, domains are auto"
        ));
        return Domains::Auto;
    }
    match threads.parse() {
        Ok(0) => Domains::Auto,
        number => Domains::Size(number.unwrap_or(usize::MAX)),
    }
}

/// `0x3,0xc]`: a mask for each local rank; none at all if one is broken.
fn masks_of(text: &str) -> Vec<RoaringBitmap> {
    let list = text.strip_suffix(']').unwrap_or(text);
    let masks: Option<Vec<_>> = list.split(',').map(mask).collect();
    masks.unwrap_or_default()
}

/// The cpus of a mask; those beyond what any node has are left off.
fn mask(text: &str) -> Option<RoaringBitmap> {
    let digits = text.trim().strip_prefix("0x")?;
    let mut cpus = RoaringBitmap::new();
    for (place, digit) in (0_u32..).step_by(4).zip(digits.bytes().rev()) {
        let digit = char::from(digit).to_digit(16)?;
        if place < PUS_MAX {
            cpus.extend(
                (0..4)
                    .filter(|bit| digit >> bit & 1 == 1)
                    .map(|bit| place + bit),
            );
        }
    }
    (!digits.is_empty()).then_some(cpus)
}

/// The cpus of a list as written: numbers and ranges; `None`: it is no such list.
fn numbers(text: &str) -> Option<Vec<u32>> {
    let mut found = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        if !is_number(first) || !is_number(last) {
            return None;
        }
        let (first, last) = (first.parse::<u32>().ok()?, last.parse::<u32>().ok()?);
        if last < first || last >= PUS_MAX || found.len() > PUS_MAX as usize {
            return None;
        }
        found.extend(first..=last);
    }
    Some(found)
}

fn cpus(text: &str) -> Option<RoaringBitmap> {
    numbers(text).map(|numbers| numbers.into_iter().collect())
}

/// `I_MPI_PIN_PROCESSOR_LIST`
fn processors(
    text: &str,
    version: Version,
    ignored: &mut Vec<String>,
) -> Result<Domains, LineRefused> {
    if let Some(mut list) = numbers(text) {
        if !version.keeps_the_order_of_lists() {
            list.sort_unstable();
        }
        return Ok(Domains::Processors(list));
    }
    let set = text.split(':').next().unwrap_or_default();
    let documented = text.contains(":map=") || text.contains(":grain=") || text.contains(":shift=");
    if set == "all" || set == "allsocks" || documented {
        ignored.push(format!(
            "{LIST}={text}: this form ends in an error message, ranks are pinned as without it"
        ));
        return Ok(Domains::Auto);
    }
    Err(not_modelled(format!(
        "{LIST}={text}: what this list means is not known"
    )))
}
