//! What each local rank of a node is pinned to. Source: `lines/intel/spec.md` 5.

use super::domains::{NoneThere, auto, shape, size};
use super::node::Node;
use super::pins::{Cell, Domains, Order, Pins, Spoken};
use crate::hydra::binding::Bound;
use crate::hydra::objects::Pus;
use crate::hydra::refusal::fails;
use crate::line::LineRefused;
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
        Domains::Processors(list) => local.processors(list)?,
        Domains::Auto | Domains::Shape(_) | Domains::Size(_) => local.dealt(domains)?,
    };
    Ok((Bound::Round(sets), None))
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

    /// Masks as given, without the cpus that the node lacks.
    fn masks(&self, masks: &[RoaringBitmap]) -> Result<Vec<RoaringBitmap>, LineRefused> {
        let all = self.node.all_os();
        let own = |(rank, mask): (usize, &RoaringBitmap)| {
            let cpus = mask & &all;
            if cpus.is_empty() {
                return Err(fails(&format!(
                    "{}: the mask of local rank {rank} has no cpu of its node",
                    self.said()
                )));
            }
            Ok(cpus)
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

    /// A cpu for each local rank.
    fn processors(&self, list: &[u32]) -> Result<Vec<RoaringBitmap>, LineRefused> {
        if list.len() != self.ranks {
            let why = format!(
                "{} cpus for {} local ranks: what other counts do is not known",
                list.len(),
                self.ranks
            );
            return Err(self.not_modelled(&why));
        }
        let all = self.node.all_os();
        if let Some(missing) = list.iter().find(|cpu| !all.contains(**cpu)) {
            let why = format!("the node has no cpu {missing}: what happens then is not known");
            return Err(self.not_modelled(&why));
        }
        Ok(list.iter().map(|&cpu| RoaringBitmap::from([cpu])).collect())
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
        Ok(sets.iter().map(|set| self.cells(set)).collect())
    }

    /// The cpus of a set: all, or the first of each core.
    fn cells(&self, set: &Pus) -> RoaringBitmap {
        match self.cell {
            Cell::Unit => self.node.os(set),
            Cell::Core => self.node.os(&self.node.first_of_cores(set)),
        }
    }
}
