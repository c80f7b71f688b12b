//! What each local rank of a node is pinned to. Source: `lines/intel/spec.md` 5.

use super::domains::{NoneThere, auto, is_cache, shape, size};
use super::node::Node;
use super::pins::{Cell, Domains, LIST, Order, Pins, Spoken};
use crate::launchers::hydra::binding::Bound;
use crate::launchers::hydra::objects::Pus;
use crate::launchers::hydra::refusal::fails;
use crate::launchers::line::LineRefused;
use roaring::RoaringBitmap;

/// What the ranks of a node are pinned to; where their domains are not obeyed, why.
///
/// # Errors
/// `launch-fails` for a mask without a cpu of the node, `not-modelled`.
///
/// Cost: the PUs of the node, for each rank up to their number.
pub(crate) fn bound(
    node: &Node<'_>,
    ranks: u32,
    spoken: &Spoken,
) -> Result<(Bound, Option<String>), LineRefused> {
    let Pins::On {
        domains,
        order,
        cell,
    } = &spoken.pins
    else {
        return Ok((Bound::Free, None));
    };
    // Since 2021.18 a list with a processor for each rank wins over kinds of objects; else domains are made of its processors alone.
    let list = match (domains, &spoken.processors) {
        (Domains::Processors(list), _) => Some(list),
        (_, list) => list.as_ref(),
    };
    let fits = list.filter(|list| list.len() == ranks as usize);
    let within = list.map(|list| only(node, list)).transpose()?;
    let wins = match domains {
        Domains::Processors(_) => true,
        Domains::Auto | Domains::Shape(_) => spoken.version.keeps_the_order_of_lists(),
        Domains::Size(_) | Domains::Masks(_) => false,
    };
    if let Some(list) = fits.filter(|_| wins) {
        let each = list.iter().map(|&cpu| RoaringBitmap::from([cpu]));
        return Ok((Bound::Round(each.collect()), None));
    }
    let node = within.as_ref().unwrap_or(node);
    let local = Local {
        node,
        ranks: ranks as usize,
        spoken,
        order: *order,
        cell: *cell,
    };
    let sets = match domains {
        Domains::Masks(masks) if masks.len() == local.ranks => local.masks(masks)?,
        Domains::Masks(masks) => {
            let default = local.dealt(&Domains::Auto)?;
            return Ok((Bound::Round(default), Some(local.wanted(masks.len()))));
        }
        Domains::Processors(list) => {
            let why = format!(
                "{} cpus for {} local ranks: what other counts do is not known",
                list.len(),
                local.ranks
            );
            return Err(local.not_modelled(&why));
        }
        Domains::Auto | Domains::Shape(_) | Domains::Size(_) => local.dealt(domains)?,
    };
    Ok((Bound::Round(sets), None))
}

/// The node with the processors of a list alone.
///
/// # Errors
/// `not-modelled` for a processor that the node lacks.
fn only<'a>(node: &Node<'a>, list: &[u32]) -> Result<Node<'a>, LineRefused> {
    let all = node.all_os();
    if let Some(missing) = list.iter().find(|cpu| !all.contains(**cpu)) {
        return Err(LineRefused::new(
            "not-modelled",
            format!("{LIST}: the node has no cpu {missing}: what happens then is not known"),
        ));
    }
    Ok(node.within(&list.iter().copied().collect()))
}

/// The ranks of a node, and what is said of their pins.
struct Local<'a> {
    node: &'a Node<'a>,
    ranks: usize,
    spoken: &'a Spoken,
    order: Order,
    cell: Cell,
}

impl Local<'_> {
    /// `VARIABLE=VALUE` of the domains.
    fn said(&self) -> String {
        let (variable, value) = &self.spoken.domain;
        match variable.as_str() {
            "default" => "the default pins".to_owned(),
            _ => format!("{variable}={value}"),
        }
    }

    fn not_modelled(&self, why: &str) -> LineRefused {
        LineRefused::new("not-modelled", format!("{}: {why}", self.said()))
    }

    /// Masks as given, without the cpus that are not allowed; a cpu that the node has not at all ends the launch.
    fn masks(&self, masks: &[RoaringBitmap]) -> Result<Vec<RoaringBitmap>, LineRefused> {
        let all = self.node.all_os();
        let own = |(rank, mask): (usize, &RoaringBitmap)| {
            let cpus = mask & &all;
            let missing = (mask - &all).iter().find(|cpu| !self.node.has(*cpu));
            match (cpus.is_empty(), missing) {
                (false, None) => Ok(cpus),
                (_, Some(cpu)) => Err(fails(&format!(
                    "{}: the mask of local rank {rank} has cpu {cpu}, and its node has none of that number",
                    self.said()
                ))),
                (true, None) => Err(fails(&format!(
                    "{}: the mask of local rank {rank} has no cpu of its node",
                    self.said()
                ))),
            }
        };
        masks.iter().enumerate().map(own).collect()
    }

    /// Why masks are not obeyed.
    fn wanted(&self, masks: usize) -> String {
        format!(
            "{}: {masks} masks, a node with {} local ranks wants exactly as many, each with 0x: default pins there",
            self.said(),
            self.ranks
        )
    }

    /// Sets by the rules of domains.
    fn dealt(&self, domains: &Domains) -> Result<Vec<RoaringBitmap>, LineRefused> {
        if self.order == Order::Spread {
            let (variable, value) = match &self.spoken.order {
                (_, word) if word != "spread" && word != "scatter" => &self.spoken.domain,
                order => order,
            };
            return Err(LineRefused::new(
                "not-modelled",
                format!("{variable}={value}: how ranks are spread or scattered is not known"),
            ));
        }
        let sets = match *domains {
            Domains::Shape(kind) => shape(self.node, self.ranks, kind, self.order),
            Domains::Size(each) => size(self.node, self.ranks, each, self.cell, self.order),
            Domains::Auto | Domains::Masks(_) | Domains::Processors(_) => {
                auto(self.node, self.ranks, self.order)
            }
        };
        let sets = sets.map_err(|NoneThere| {
            self.not_modelled("objects that the node has none of, or not in every package")
        })?;
        // The cores that stand in for a cache that the node has none of are whole.
        let whole = matches!(domains, Domains::Shape(kind) if is_cache(*kind) && self.node.objects(*kind).is_empty());
        let cell = if whole { Cell::Unit } else { self.cell };
        Ok(sets.iter().map(|set| self.cells(set, cell)).collect())
    }

    /// The cpus of a set: all, or the first of each core.
    fn cells(&self, set: &Pus, cell: Cell) -> RoaringBitmap {
        match cell {
            Cell::Unit | Cell::WholeCore => self.node.os(set),
            Cell::Core => self.node.os(&self.node.first_of_cores(set)),
        }
    }
}
