//! Entries that a user listed: seq, rankfile, LSF's affinity file. `docs/semantics.md` 4, "seq" and "rankfile".

use crate::cpus::Cpus;
use crate::names;
use crate::pool::Pool;
use crate::refusal::Refusal;
use crate::select::{self, Pick, chosen};
use crate::turn::Turn;
use stowplan_engine::policy::{CpuMode, MapBy, NoLocal, ObjKind};
use stowplan_engine::stage::resolve::Resolved;
use stowplan_engine::table::apps::{AppId, Policy};
use stowplan_engine::table::listings::{EntryNode, Listing, SlotPart};
use stowplan_engine::text::host_types::{HostEntry, HostfileWhat};

/// One entry, for one process.
#[derive(Clone, Debug)]
pub(crate) struct Item<'r> {
    /// In a rankfile its rank, otherwise its position.
    number: u64,
    node: ItemNode,
    /// Its cpus, if it has some.
    cpus: Option<&'r [SlotPart]>,
    line: u32,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum ItemNode {
    /// A node of the pool.
    Known(usize),
    /// The K-th node of the app's list.
    Nth(usize),
    /// A name that no node of the pool has.
    Unknown(String),
}

/// The entries of an app.
pub(crate) struct Entries<'r> {
    pub(crate) items: Vec<Item<'r>>,
    /// How many entries there were before NOLOCAL dropped some.
    pub(crate) written: usize,
}

/// The entries of an app, without those that the policy drops (section 4, "seq").
pub(crate) fn entries_of<'r>(
    pool: &Pool<'_>,
    resolved: &'r Resolved,
    app: AppId,
    policy: &Policy,
) -> Result<Entries<'r>, Refusal> {
    let mut items = match resolved.apps.listing[app] {
        Some((listing, _)) => from_listing(pool, &resolved.apps.listings[listing], policy),
        None => from_hosts(pool, resolved, app)?,
    };
    // NOLOCAL drops entries before they are counted. A rankfile keeps its entries, and an entry is refused when its turn comes.
    let drops = policy.nolocal == NoLocal::Yes && policy.map != MapBy::Rankfile;
    let written = items.len();
    items.retain(|item| {
        !(drops
            && pool
                .local
                .is_some_and(|local| item.node == ItemNode::Known(local)))
    });
    Ok(Entries { items, written })
}

fn from_listing<'r>(pool: &Pool<'_>, listing: &'r Listing, policy: &Policy) -> Vec<Item<'r>> {
    let mut items = Vec::new();
    for entry in &listing.entries {
        let node = match entry.node {
            EntryNode::Name(name) => {
                let name = &listing.names[name];
                pool.find(name)
                    .map_or_else(|| ItemNode::Unknown(name.clone()), ItemNode::Known)
            }
            // A relative name counts the nodes of the job in a sequence, and those of the app in a rankfile.
            EntryNode::Nth(nth) if policy.map == MapBy::Rankfile => ItemNode::Nth(nth as usize),
            EntryNode::Nth(nth) if (nth as usize) < pool.nodes.len() => {
                ItemNode::Known(nth as usize)
            }
            EntryNode::Nth(nth) => ItemNode::Unknown(format!("+n{nth}")),
        };
        let cpus = entry.cpus.map(|list| &listing.slot_lists[list]);
        items.extend((0..entry.count).map(|i| Item {
            number: u64::from(entry.number) + u64::from(i),
            node: node.clone(),
            cpus,
            line: entry.line,
        }));
    }
    items
}

/// A sequence without a file comes from the app's `-H`, one entry for each mention; its hostfile then only says which nodes there
/// are. An app without `-H` takes the lines of its hostfiles.
fn from_hosts<'r>(
    pool: &Pool<'_>,
    resolved: &Resolved,
    app: AppId,
) -> Result<Vec<Item<'r>>, Refusal> {
    let mut nodes = Vec::new();
    let hosts = &resolved.hosts;
    if let Some(entries) = hosts.entries(app) {
        let allowed = select::of_files(pool, hosts, app)?;
        for (at, entry) in entries.iter().enumerate() {
            match entry {
                HostEntry::Names(..) | HostEntry::Nth(_) | HostEntry::Empty(_) => {
                    let chosen = chosen(pool, entry, &entries[at + 1..], allowed.as_deref());
                    // When there are hostfiles, a name that none of them has is a node that was not allocated.
                    let chosen = chosen.map_err(|refusal| match refusal.class {
                        "no-such-host"
                            if matches!(entry, HostEntry::Names(..))
                                && !hosts.hostfiles.is_empty() =>
                        {
                            Refusal::new(SEQ.no_host, refusal.why)
                        }
                        _ => refusal,
                    })?;
                    nodes.extend(chosen.into_iter().map(ItemNode::Known));
                }
            }
        }
    } else {
        for file in &hosts.files[app] {
            let file = &hosts.hostfiles[*file];
            let kept: Vec<String> = crate::hostfile::nodes(file)?
                .into_iter()
                .map(|named| named.name)
                .collect();
            for line in &file.lines {
                let (HostfileWhat::Name(range) | HostfileWhat::Ranked(range)) = &line.what else {
                    continue;
                };
                let written = names::expand(range)
                    .into_iter()
                    .map(|name| names::short(&name));
                nodes.extend(written.filter(|name| kept.contains(name)).map(|name| {
                    match pool.find(&name) {
                        Some(node) => ItemNode::Known(node),
                        None => ItemNode::Unknown(name),
                    }
                }));
            }
        }
    }
    let item = |(number, node)| Item {
        number,
        node,
        cpus: None,
        line: 0,
    };
    Ok((0..).zip(nodes).map(item).collect())
}

/// The error classes in which the three kinds of lists differ.
struct Words {
    too_few: &'static str,
    no_host: &'static str,
    taken: &'static str,
    bad_file: &'static str,
}

const SEQ: Words = Words {
    too_few: "seq-too-few-entries",
    no_host: "seq-host-not-allocated",
    taken: "seq-cpu-taken",
    bad_file: "bad-seqfile",
};
const LSF: Words = Words {
    bad_file: "bad-affinityfile",
    ..SEQ
};
const RANKFILE: Words = Words {
    too_few: "rankfile-missing-rank",
    no_host: "rankfile-host-not-allocated",
    taken: "rankfile-cpu-taken",
    bad_file: "bad-rankfile",
};

/// The entries of an app, and how it reads them.
pub(crate) struct Reading<'r> {
    pub(crate) items: Vec<Item<'r>>,
    /// The number of this app's first entry.
    pub(crate) start: u64,
    /// The nodes of the app's list; `None`: the whole pool.
    pub(crate) list: Option<Vec<Pick>>,
    /// Whether `-n` was given.
    pub(crate) np_given: bool,
}

impl Reading<'_> {
    /// How many entries no earlier app took.
    pub(crate) fn left(&self) -> u64 {
        (self.items.len() as u64).saturating_sub(self.start)
    }
}

/// The error classes of a kind of list.
fn words(map: MapBy) -> Words {
    if map == MapBy::Rankfile {
        RANKFILE
    } else if map == MapBy::Lsf {
        LSF
    } else {
        SEQ
    }
}

/// Checks that a sequence has entries, also after NOLOCAL.
pub(crate) fn need_entries(
    entries: &Entries<'_>,
    app: AppId,
    policy: &Policy,
) -> Result<(), Refusal> {
    if policy.map == MapBy::Rankfile || !entries.items.is_empty() {
        return Ok(());
    }
    if entries.written == 0 {
        return Refusal::err(
            words(policy.map).bad_file,
            format!("{app:?} has no sequence"),
        );
    }
    Refusal::err("no-nodes", format!("NOLOCAL leaves {app:?} no entry"))
}

/// Places an app entry by entry. Its seats are the nodes of the pool.
pub(crate) fn place_listed(turn: &mut Turn<'_, '_>, reading: &Reading<'_>) -> Result<(), Refusal> {
    let words = words(turn.policy.map);
    let ranked = turn.policy.map == MapBy::Rankfile;
    let count = turn.left;
    if !ranked && (reading.items.len() as u64) < reading.start + count {
        return Refusal::err(
            words.too_few,
            format!("{} entries, {count} processes", reading.items.len()),
        );
    }
    for number in reading.start..reading.start + count {
        let item = if ranked {
            reading.items.iter().find(|item| item.number == number)
        } else {
            usize::try_from(number)
                .ok()
                .and_then(|at| reading.items.get(at))
        };
        let Some(item) = item else {
            return Refusal::err(words.too_few, format!("no entry for rank {number}"));
        };
        let seat = node_of(item, reading, &words)?;
        let node = turn.node(seat);
        if node.room() == 0 || node.left() == 0 && !turn.oversubscribes() {
            return Refusal::err(
                "not-enough-slots",
                format!("line {}: {} is full", item.line, node.name),
            );
        }
        if ranked {
            by_rank(turn, reading, item, seat, &words)?;
        } else {
            in_sequence(turn, item, seat, &words)?;
        }
    }
    Ok(())
}

/// The node of an entry.
fn node_of(item: &Item<'_>, reading: &Reading<'_>, words: &Words) -> Result<usize, Refusal> {
    let missing = |name: &str| Refusal::new(words.no_host, format!("line {}: {name}", item.line));
    match (&item.node, &reading.list) {
        (ItemNode::Known(node), None) => Ok(*node),
        (ItemNode::Known(node), Some(list)) if list.iter().any(|pick| pick.node == *node) => {
            Ok(*node)
        }
        (ItemNode::Known(node), Some(_)) => Err(missing(&format!("node {node}"))),
        (ItemNode::Unknown(name), _) => Err(missing(name)),
        (ItemNode::Nth(nth), list) => {
            let node = list
                .as_ref()
                .and_then(|list| list.get(*nth))
                .map(|pick| pick.node);
            node.ok_or_else(|| Refusal::new(words.bad_file, format!("line {}: +n{nth}", item.line)))
        }
    }
}

/// Places an entry of a sequence: bound to exactly its cpus; without cpus, bound as by slot.
fn in_sequence(
    turn: &mut Turn<'_, '_>,
    item: &Item<'_>,
    seat: usize,
    words: &Words,
) -> Result<(), Refusal> {
    if let Some(parts) = item.cpus {
        return put_on(turn, item, parts, seat, words);
    }
    turn.meets_target(seat)?;
    if turn.is_bound(seat) && !turn.overloads() {
        turn.fits(seat)?;
        if turn.free(seat) < turn.pe() {
            return Err(turn.lack_of_cpus());
        }
    }
    turn.put(seat, None)?;
    Ok(())
}

/// Places an entry of a rankfile: bound to exactly its cpus if processes are bound or overload is allowed, otherwise unbound.
fn by_rank(
    turn: &mut Turn<'_, '_>,
    reading: &Reading<'_>,
    item: &Item<'_>,
    seat: usize,
    words: &Words,
) -> Result<(), Refusal> {
    let bound = turn.is_bound(seat);
    if bound && !turn.overloads() && reading.np_given && turn.free(seat) == 0 {
        return Refusal::err(words.taken, format!("line {}: no cpu is free", item.line));
    }
    match item.cpus {
        Some(parts) if bound || turn.overloads() => put_on(turn, item, parts, seat, words),
        Some(parts) if union(turn, seat, parts).is_none() => Refusal::err(
            words.bad_file,
            format!(
                "line {}: cpus that {} lacks",
                item.line,
                turn.node(seat).name
            ),
        ),
        Some(_) | None => {
            turn.record(seat, None, None);
            Ok(())
        }
    }
}

/// Binds a process to exactly the cpus of its entry.
fn put_on(
    turn: &mut Turn<'_, '_>,
    item: &Item<'_>,
    parts: &[SlotPart],
    seat: usize,
    words: &Words,
) -> Result<(), Refusal> {
    let named = union(turn, seat, parts).map(|named| named.and(&turn.node(seat).usable));
    let Some(cpus) = named.filter(|cpus| !cpus.is_empty()) else {
        return Refusal::err(
            words.bad_file,
            format!(
                "line {}: cpus that {} lacks",
                item.line,
                turn.node(seat).name
            ),
        );
    };
    if !turn.overloads() && !turn.node(seat).free.holds(&cpus) {
        return Refusal::err(
            words.taken,
            format!(
                "line {}: {} of {}",
                item.line,
                cpus.list(),
                turn.node(seat).name
            ),
        );
    }
    turn.consume(seat, &cpus);
    turn.bound += 1;
    turn.record(seat, None, Some(cpus));
    Ok(())
}

/// The cpus of a slot list on a node; `None` when the list names a cpu that the node lacks.
fn union(turn: &Turn<'_, '_>, seat: usize, parts: &[SlotPart]) -> Option<Cpus> {
    let machine = turn.machine(seat);
    let mut all = Cpus::none();
    for part in parts {
        match part {
            SlotPart::Machine => all = all.or(&machine.cpus),
            SlotPart::Cpus(ranges) => {
                for number in numbers(ranges) {
                    all = all.or(&machine.units(turn.mode()).get(number as usize)?.cpus);
                }
            }
            SlotPart::Packages(ranges) => {
                for number in numbers(ranges) {
                    all = all.or(&machine.objects(ObjKind::Package).get(number as usize)?.cpus);
                }
            }
            SlotPart::CoresOf { package, cores } => {
                let package = machine.objects(ObjKind::Package).get(*package as usize)?;
                let inside = machine
                    .units(CpuMode::Core)
                    .iter()
                    .filter(|core| package.cpus.holds(&core.cpus));
                let inside: Vec<&Cpus> = inside.map(|core| &core.cpus).collect();
                match cores {
                    None => inside.iter().for_each(|core| all = all.or(core)),
                    Some(ranges) => {
                        for number in numbers(ranges) {
                            all = all.or(inside.get(number as usize)?);
                        }
                    }
                }
            }
            SlotPart::OsPus(ranges) => {
                for number in numbers(ranges) {
                    machine.cpus.has(number).then_some(())?;
                    all.add(number);
                }
            }
        }
    }
    (!all.is_empty()).then_some(all)
}

fn numbers(ranges: &[(u32, u32)]) -> impl Iterator<Item = u32> {
    ranges.iter().flat_map(|&(first, last)| first..=last)
}
