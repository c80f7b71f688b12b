//! How LLVM's libomp and Intel's libiomp5 bind: which variable decides, and what its places are.

use super::binding::{Binding, Fineness, Place, Rule};
use super::kmp::{self, Duplicates, Entry, Granularity, Respect, Type};
use super::layers::{Layer, Layers};
use super::llvm_places::{self, Given, Seen};
use super::machine::Machine;
use super::refused::Refused;
use super::runtime::Runtime;
use super::seats::Bind;
use super::subset;
use super::variables::Variables;
use roaring::RoaringBitmap;

/// What `OMP_PROC_BIND` is to LLVM.
#[derive(Clone, PartialEq, Eq, Debug)]
enum ProcBind {
    Unset,
    True,
    False,
    Disabled,
    Words(Vec<Bind>),
    Bad,
}

const BINDS: &[(&str, Bind)] = &[
    ("master", Bind::Primary),
    ("primary", Bind::Primary),
    ("close", Bind::Close),
    ("spread", Bind::Spread),
];

fn proc_bind(variables: &Variables) -> ProcBind {
    let Some(value) = variables.get("OMP_PROC_BIND") else {
        return ProcBind::Unset;
    };
    let mut scan = super::scan::Scan::new(value);
    scan.blanks();
    let whole = [
        ("disabled", ProcBind::Disabled),
        ("false", ProcBind::False),
        ("true", ProcBind::True),
    ];
    if let Some((_, bind)) = whole.into_iter().find(|(word, _)| scan.word(word)) {
        return bind;
    }
    let mut words = Vec::new();
    for _ in value.split(',') {
        let Some((_, bind)) = BINDS.iter().find(|(word, _)| scan.word(word)) else {
            return ProcBind::Bad;
        };
        words.push(*bind);
        // What stands between two entries is passed over, one character of it.
        if let Some(between) = scan.blanks().peek() {
            scan.take(between);
        }
        scan.blanks();
    }
    ProcBind::Words(words)
}

/// How many entries `OMP_PROC_BIND` has.
pub(super) fn bind_entries(variables: &Variables) -> usize {
    match proc_bind(variables) {
        ProcBind::Words(_) | ProcBind::Bad => {
            let value = variables.get("OMP_PROC_BIND").unwrap_or_default();
            value.split(',').count()
        }
        ProcBind::Unset => 0,
        ProcBind::True | ProcBind::False | ProcBind::Disabled => 1,
    }
}

/// Whether `OMP_PROC_BIND` is no word at all to the runtime.
pub(super) fn is_bad(variables: &Variables) -> bool {
    proc_bind(variables) == ProcBind::Bad
}

/// Whether `OMP_PROC_BIND` is one word of its own, or a list of words, and nothing else.
pub(super) fn takes_proc_bind(variables: &Variables) -> bool {
    let value = variables.get("OMP_PROC_BIND").unwrap_or_default();
    let value = value.trim().to_ascii_lowercase();
    let known = |word: &str| BINDS.iter().any(|(own, _)| *own == word.trim());
    ["true", "false", "disabled"].contains(&value.as_str()) || value.split(',').all(known)
}

/// Whether `OMP_PROC_BIND` is false and wins over `OMP_PLACES`.
pub(super) fn bind_wins(variables: &Variables, runtime: Runtime) -> bool {
    let off = matches!(proc_bind(variables), ProcBind::False | ProcBind::Disabled);
    off && !places_win(variables, runtime)
}

/// Whether `OMP_PLACES`, if it is set, binds threads; no other variable is looked at first.
pub(super) fn binds_by_places(variables: &Variables, runtime: Runtime) -> bool {
    let bad = is_bad(variables) && runtime.since_llvm(18);
    !bad && !bind_wins(variables, runtime)
}

/// What decides, and over which cpus.
pub(super) struct Decided {
    pub(super) binding: Binding,
    /// The cpus that the runtime looks at.
    pub(super) mask: RoaringBitmap,
    pub(super) layers: Layers,
    /// How many threads there are where nobody says it.
    pub(super) available: u64,
}

/// How the threads of a process are bound.
pub(super) fn decide(
    machine: &Machine,
    mask: &RoaringBitmap,
    variables: &Variables,
    runtime: Runtime,
) -> Result<Decided, Refused> {
    let said = variables
        .get("KMP_AFFINITY")
        .map(kmp::read)
        .unwrap_or_default();
    let of_kmp = said.kind.is_some();
    let gomp = variables.get("GOMP_CPU_AFFINITY").filter(|_| !of_kmp);
    let off = match (said.kind, gomp) {
        (Some(kind), _) => kind == Type::Disabled,
        (None, Some(_)) => false,
        (None, None) => disabled_by_bind(variables, runtime),
    };
    if off {
        return Ok(Decided {
            binding: Binding::unbound(mask.clone(), if of_kmp { "kmp" } else { "false" }),
            mask: mask.clone(),
            layers: Layers::new(machine, mask, runtime),
            available: machine.all().len(),
        });
    }
    let mut own = match said.respect {
        Respect::Mask => mask & machine.all(),
        Respect::Machine => machine.all().clone(),
    };
    if let Some(value) = variables.get("KMP_HW_SUBSET") {
        own = subset::kept(value, machine, &own, runtime)?.unwrap_or(own);
    }
    let layers = Layers::new(machine, &own, runtime);
    let seen = Seen {
        machine,
        layers: &layers,
        mask: &own,
        runtime,
    };
    let binding = match (said.kind, gomp) {
        (Some(kind), _) => by_kmp(kind, &said, seen)?,
        (None, Some(value)) => listed(kmp::list(value).as_deref(), Layer::Thread, seen),
        (None, None) => by_omp(variables, &said, seen)?,
    };
    let available = own.len();
    Ok(Decided {
        binding,
        available,
        mask: own,
        layers,
    })
}

/// Whether `OMP_PROC_BIND=disabled` decides.
fn disabled_by_bind(variables: &Variables, runtime: Runtime) -> bool {
    proc_bind(variables) == ProcBind::Disabled && !places_win(variables, runtime)
}

/// Whether `OMP_PLACES` behind an `OMP_PROC_BIND` that is false wins over it: LLVM up to 17 looks at their order.
fn places_win(variables: &Variables, runtime: Runtime) -> bool {
    let (places, bind) = ("OMP_PLACES", "OMP_PROC_BIND");
    !runtime.since_llvm(18) && variables.position(places) > variables.position(bind)
}

/// `OMP_PLACES` and `OMP_PROC_BIND`.
fn by_omp(variables: &Variables, said: &kmp::Said, seen: Seen<'_>) -> Result<Binding, Refused> {
    let old = !seen.runtime.since_llvm(18);
    let places = variables.get("OMP_PLACES");
    let (rule, word) = match proc_bind(variables) {
        ProcBind::Unset if places.is_none() => (None, "false"),
        ProcBind::Unset | ProcBind::True => (Some(Rule::Words(vec![Bind::Spread])), "spread"),
        ProcBind::Words(words) => {
            let word = words[0].word();
            (Some(Rule::Words(words)), word)
        }
        ProcBind::False | ProcBind::Disabled => {
            let wins = places_win(variables, seen.runtime);
            (wins.then_some(Rule::Number { offset: 0 }), "false")
        }
        ProcBind::Bad => (old.then_some(Rule::Number { offset: 0 }), "false"),
    };
    let free = || Binding::unbound(seen.mask.clone(), word);
    let Some(rule) = rule else {
        return Ok(free());
    };
    let given = match places {
        Some(value) => llvm_places::places(value, seen)?,
        None => {
            let layer = granularity(said, seen)?;
            let places = seen.layers.objects(layer).into_iter().map(Place::plain);
            Given {
                places: places.collect(),
                by_word: true,
            }
        }
    };
    if given.places.is_empty() {
        return Ok(free());
    }
    let covers = (given.by_word && !old).then(|| covered(&given.places));
    Ok(Binding::Places {
        list: given.places,
        rule,
        word,
        covers,
    })
}

/// How many cpus places cover.
fn covered(places: &[Place]) -> u32 {
    let all = places
        .iter()
        .fold(RoaringBitmap::new(), |all, place| all | &place.cpus);
    u32::try_from(all.len()).unwrap_or(u32::MAX)
}

/// The layer of a granularity; cores if it is not said or not there.
fn granularity(said: &kmp::Said, seen: Seen<'_>) -> Result<Layer, Refused> {
    let layers = seen.layers;
    let what = "KMP_AFFINITY=granularity=";
    let found = match said.granularity {
        None | Some(Granularity::Core) => None,
        Some(Granularity::Thread) => Some(Layer::Thread),
        Some(Granularity::Package) => Some(Layer::Package),
        Some(Granularity::Numa) => layers.find(Layer::Numa),
        Some(Granularity::L2) => layers.find_cache(Layer::L2, &format!("{what}l2_cache"))?,
        Some(Granularity::L3) => layers.find_cache(Layer::L3, &format!("{what}l3_cache"))?,
    };
    Ok(found.unwrap_or(Layer::Core))
}

/// A type of `KMP_AFFINITY`.
fn by_kmp(kind: Type, said: &kmp::Said, seen: Seen<'_>) -> Result<Binding, Refused> {
    let layer = granularity(said, seen)?;
    let depth = seen.layers.kinds.len();
    let permute = said.numbers[0].map_or(0, |n| usize::try_from(n).unwrap_or(usize::MAX));
    let threads = i64::from(seen.layers.most_threads());
    let by_core = || said.numbers[0].unwrap_or(0).saturating_mul(threads);
    let (innermost, offset) = match kind {
        Type::None | Type::Disabled => return Ok(Binding::unbound(seen.mask.clone(), "kmp")),
        Type::Explicit => return Ok(listed(said.list.as_deref(), layer, seen)),
        Type::Balanced => {
            return Ok(Binding::Balanced(match layer {
                Layer::Thread => Fineness::Thread,
                Layer::Package => Fineness::Package,
                Layer::Core | Layer::Numa | Layer::L1 | Layer::L2 | Layer::L3 => Fineness::Core,
            }));
        }
        Type::Compact => (permute.min(depth - 1), said.numbers[1].unwrap_or(0)),
        Type::Scatter => {
            let permute = if permute >= depth { 0 } else { permute };
            (depth - 1 - permute, said.numbers[1].unwrap_or(0))
        }
        Type::Logical => (0, by_core()),
        Type::Physical => (usize::from(threads > 1), by_core()),
    };
    let list = sorted(seen.layers, layer, innermost, said.duplicates);
    let count = i64::try_from(seen.layers.cpus.len()).unwrap_or(i64::MAX);
    let offset = usize::try_from(offset.rem_euclid(count.max(1))).unwrap_or(0);
    Ok(Binding::Places {
        covers: seen.runtime.since_llvm(18).then(|| covered(&list)),
        list,
        rule: Rule::Number { offset },
        word: "kmp",
    })
}

/// The groups of all cpus, sorted: first by this many of the innermost layers, innermost first, then from the outermost.
fn sorted(layers: &Layers, layer: Layer, innermost: usize, duplicates: Duplicates) -> Vec<Place> {
    let groups = layers.groups(layer);
    let depth = layers.kinds.len();
    let mut order: Vec<usize> = (0..groups.len()).collect();
    order.sort_by_cached_key(|&cpu| {
        let own = &layers.numbers[cpu];
        let inner = own.iter().rev().take(innermost).copied();
        let outer = own.iter().take(depth - innermost).copied();
        inner.chain(outer).collect::<Vec<u32>>()
    });
    let leads = |&cpu: &usize| cpu == 0 || groups[cpu] != groups[cpu - 1];
    let kept = { order.into_iter() }
        .filter(|cpu| duplicates == Duplicates::Kept || leads(cpu))
        .map(|cpu| Place::plain(groups[cpu].clone()));
    kept.collect()
}

/// The places of a list of cpus; `None`: there is no list that parses.
fn listed(entries: Option<&[Entry]>, layer: Layer, seen: Seen<'_>) -> Binding {
    let groups = seen.layers.groups(layer);
    let group = |cpu: i64| {
        let cpu = u32::try_from(cpu).ok()?;
        let at = seen.layers.cpus.iter().position(|&own| own == cpu)?;
        Some(&groups[at])
    };
    let mut list = Vec::new();
    for entry in entries.unwrap_or_default() {
        match entry {
            Entry::Range(first, last, stride) => {
                let count = (last - first) / stride;
                let cpus = (0..=count).filter_map(|at| group(first + at * stride));
                list.extend(cpus.map(|own| Place::plain(own.clone())));
            }
            Entry::Set(cpus) => {
                let own = cpus.iter().filter_map(|&cpu| group(cpu));
                let union = own.fold(RoaringBitmap::new(), |all, own| all | own);
                list.extend((!union.is_empty()).then(|| Place::plain(union)));
            }
        }
    }
    if list.is_empty() {
        return Binding::unbound(seen.mask.clone(), "kmp");
    }
    Binding::Places {
        list,
        rule: Rule::Number { offset: 0 },
        word: "kmp",
        covers: None,
    }
}
