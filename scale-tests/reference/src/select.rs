//! The nodes that one app may use, and how many slots it may take on each. `docs/semantics.md` section 1, "hosts".

use crate::names;
use crate::pool::{Node, Pool};
use crate::refusal::Refusal;
use stowplan_engine::policy::{NoLocal, Oversubscribe};
use stowplan_engine::table::apps::{AppId, Policy};
use stowplan_engine::text::host_types::{EntrySlots, HostEntry, Hosts};

/// A node of an app's list, and the claim of its `-H`.
#[derive(Clone, Debug)]
pub(crate) struct Pick {
    /// Its position in the pool.
    pub(crate) node: usize,
    claim: Claim,
}

/// How much an app claims of a node.
#[derive(Clone, Debug)]
enum Claim {
    /// No `-H`: everything that is left.
    Left,
    /// The sum of the counts of its entries, and the number of entries that ask for everything left.
    Sum { counted: u64, wholes: u64 },
}

impl Claim {
    /// The sum over the entries.
    fn amount(&self, node: &Node<'_>) -> u64 {
        match self {
            Self::Left => node.left(),
            Self::Sum { counted, wholes } => counted + wholes * node.left(),
        }
    }
}

/// The app's list: the nodes that `-H` and hostfile select, in order, without the local node under NOLOCAL. Its hostfile may lower slots.
pub(crate) fn picks(
    pool: &mut Pool<'_>,
    hosts: &Hosts,
    app: AppId,
    nolocal: NoLocal,
) -> Result<Vec<Pick>, Refusal> {
    let from_files = of_files(pool, hosts, app)?;
    lower(pool, hosts, app)?;
    let mut picks = match hosts.entries(app) {
        Some(entries) => by_entries(pool, entries, from_files.as_deref())?,
        None => {
            let list = from_files.unwrap_or_else(|| (0..pool.nodes.len()).collect());
            let all = list.into_iter().map(|node| Pick {
                node,
                claim: Claim::Left,
            });
            all.collect()
        }
    };
    if nolocal == NoLocal::Yes {
        picks.retain(|pick| Some(pick.node) != pool.local);
    }
    if picks.is_empty() {
        return Refusal::err("no-nodes", format!("{app:?} is left without a node"));
    }
    Ok(picks)
}

/// The nodes of the app's own hostfiles, in file order; `None` without one.
pub(crate) fn of_files(
    pool: &Pool<'_>,
    hosts: &Hosts,
    app: AppId,
) -> Result<Option<Vec<usize>>, Refusal> {
    let mut list = Vec::new();
    for file in &hosts.files[app] {
        for named in crate::hostfile::nodes(&hosts.hostfiles[*file])? {
            let Some(node) = pool.find(&named.name) else {
                return Refusal::err("no-such-host", named.name);
            };
            if !list.contains(&node) {
                list.push(node);
            }
        }
    }
    Ok((!hosts.files[app].is_empty()).then_some(list))
}

/// Lowers the slots of nodes for which the app's own hostfiles say fewer (section 1, "hostfile").
fn lower(pool: &mut Pool<'_>, hosts: &Hosts, app: AppId) -> Result<(), Refusal> {
    for file in &hosts.files[app] {
        for named in crate::hostfile::nodes(&hosts.hostfiles[*file])? {
            let node = pool.find(&named.name);
            if let Some((node, said)) = node.zip(named.said) {
                pool.nodes[node].slots = pool.nodes[node].slots.min(said);
            }
        }
    }
    Ok(())
}

/// The nodes that the entries of `-H` choose: each node once, its claims added up.
fn by_entries(
    pool: &Pool<'_>,
    entries: &[HostEntry],
    allowed: Option<&[usize]>,
) -> Result<Vec<Pick>, Refusal> {
    let mut picks: Vec<Pick> = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        let (counted, wholes) = match entry {
            HostEntry::Names(_, EntrySlots::One) => (1, 0),
            HostEntry::Names(_, EntrySlots::Count(count)) => (u64::from(*count), 0),
            HostEntry::Names(_, EntrySlots::Infer) | HostEntry::Nth(_) | HostEntry::Empty(_) => {
                (0, 1)
            }
        };
        for node in chosen(pool, entry, &entries[at + 1..], allowed)? {
            let known = picks.iter().position(|pick| pick.node == node);
            let at = known.unwrap_or_else(|| {
                picks.push(Pick {
                    node,
                    claim: Claim::Sum {
                        counted: 0,
                        wholes: 0,
                    },
                });
                picks.len() - 1
            });
            if let Claim::Sum {
                counted: c,
                wholes: w,
            } = &mut picks[at].claim
            {
                *c += counted;
                *w += wholes;
            }
        }
    }
    Ok(picks)
}

/// The nodes that one entry chooses; `later` are the entries after it.
pub(crate) fn chosen(
    pool: &Pool<'_>,
    entry: &HostEntry,
    later: &[HostEntry],
    allowed: Option<&[usize]>,
) -> Result<Vec<usize>, Refusal> {
    let may = |node: &usize| allowed.is_none_or(|allowed| allowed.contains(node));
    let empty = || {
        (0..pool.nodes.len())
            .filter(may)
            .filter(|&node| pool.nodes[node].used == 0)
    };
    match entry {
        HostEntry::Names(range, _) => names::expand(range)
            .iter()
            .map(|name| {
                let found = pool.select(name).filter(may);
                found.ok_or_else(|| Refusal::new("no-such-host", name.clone()))
            })
            .collect(),
        HostEntry::Nth(number) => {
            let node = *number as usize;
            if node >= pool.nodes.len() || !may(&node) {
                return Refusal::err(
                    "no-such-host",
                    format!("+n{number} of {} nodes", pool.nodes.len()),
                );
            }
            Ok(vec![node])
        }
        HostEntry::Empty(None) => {
            let named_later = |node: &usize| {
                later.iter().any(|entry| match entry {
                    HostEntry::Names(range, _) => names::expand(range)
                        .iter()
                        .any(|name| pool.select(name) == Some(*node)),
                    HostEntry::Nth(number) => *number as usize == *node,
                    HostEntry::Empty(_) => false,
                })
            };
            Ok(empty().filter(|node| !named_later(node)).collect())
        }
        HostEntry::Empty(Some(count)) => {
            let nodes: Vec<usize> = empty().take(*count as usize).collect();
            if nodes.len() < *count as usize {
                return Refusal::err(
                    "no-such-host",
                    format!("+e:{count}, {} nodes are empty", nodes.len()),
                );
            }
            Ok(nodes)
        }
    }
}

/// A node on which an app finds room.
#[derive(Clone, Debug)]
pub(crate) struct Available {
    /// Its position in the pool.
    pub(crate) node: usize,
    /// How many slots the app may take.
    pub(crate) slots: u64,
}

/// Compares the claims with the free slots: full nodes drop out, and slots grow where a claim says so (section 1, "claims").
pub(crate) fn available(
    pool: &mut Pool<'_>,
    picks: &[Pick],
    policy: &Policy,
) -> Result<Vec<Available>, Refusal> {
    let refused = policy.oversubscribe == Oversubscribe::Refused;
    let drops_out = |node: &Node<'_>| node.room() == 0 || refused && node.left() == 0;
    for pick in picks {
        let node = &pool.nodes[pick.node];
        let claim = pick.claim.amount(node);
        if refused
            && !drops_out(node)
            && claim > node.left()
            && node.max_slots.is_some_and(|max| node.used + claim > max)
        {
            return Refusal::err("slots-exceed-max", format!("{claim} more on {}", node.name));
        }
    }
    let mut list = Vec::new();
    for pick in picks {
        let node = &mut pool.nodes[pick.node];
        if drops_out(node) {
            continue;
        }
        let claim = pick.claim.amount(node);
        if refused && claim > node.left() {
            node.slots = node.used + claim;
        }
        let slots = if node.left() == 0 { 0 } else { claim };
        list.push(Available {
            node: pick.node,
            slots,
        });
    }
    if list.is_empty() {
        return Refusal::err(
            "nodes-full",
            format!("all {} nodes of the list are full", picks.len()),
        );
    }
    Ok(list)
}
