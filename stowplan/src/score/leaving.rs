//! Counts what leaves the objects of all levels: those of a network from the top, nodes, and those inside nodes.

use crate::score::above::objects::Objects;
use crate::score::above::{Above, Hops, LevelFigures, hops};
use crate::score::column::{Order, column};
use crate::score::crossing;
use crate::score::error::ScoreError;
use crate::score::level::Level;
use crate::score::matrix::{Entry, FILLED, Matrix};
use crate::score::network::OnNetwork;
use crate::score::numbers::Numbers;
use crate::score::pattern::Part;
use crate::score::places::Places;
use crate::score::sums::Sums;
use crate::score::talks::AppRanks;
use crate::score::weight::Weight;
use stowplan_engine::id::Id as _;
use stowplan_engine::table::names::NodeId;

/// Places, and their ranks.
#[derive(Clone, Copy)]
pub(crate) struct Seated<'s> {
    pub(crate) places: &'s Places<'s>,
    /// Shape `[apps]`.
    pub(crate) orders: &'s [Order<'s>],
    pub(crate) apps: &'s [AppRanks],
    /// The network of the plan's nodes.
    pub(crate) on: Option<&'s OnNetwork>,
}

/// What leaves the objects of a level.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leaving {
    /// The level.
    pub level: Level,
    /// Summed over all ranks.
    pub leave: Weight,
    /// The largest sum of one object.
    pub worst: Weight,
}

impl Seated<'_> {
    /// What leaves all objects of a level and the most of one, for named patterns.
    pub(crate) fn figures(&self, parts: &[Part], numbers: &Numbers) -> (u64, u64) {
        self.apart(parts, numbers).unwrap_or_else(|| {
            let out = crossing::leaving(parts, self.apps, numbers, self.orders);
            (out.iter().sum(), out.iter().max().copied().unwrap_or(0))
        })
    }

    /// The same for a halo over all ranks, each in an object of its own: all edges leave, and most those of the middle.
    fn apart(&self, parts: &[Part], numbers: &Numbers) -> Option<(u64, u64)> {
        let [part] = parts else {
            return None;
        };
        let all = self.places.plan.ranks();
        let halo = part.pattern.halo(all).filter(|_| all > 0)?;
        let alone = numbers.count == all && self.apps[part.app as usize].len() == all as usize;
        alone.then(|| (halo.edges(), halo.most()))
    }
}

/// A level that divides the ranks in its own way.
struct Row {
    objects: Objects,
    sums: Sums,
    /// What leaves all objects and the most of one, where that is all that is asked.
    known: Option<(u64, u64)>,
}

impl Row {
    /// With sums over pairs.
    fn pairs(objects: Objects) -> Self {
        Self {
            sums: Sums::new(objects.own.len()),
            objects,
            known: None,
        }
    }

    /// Without them.
    fn alone(objects: Objects, known: Option<(u64, u64)>) -> Self {
        let summed = known.map_or(objects.numbers.count, |_| 0);
        Self {
            sums: Sums::alone(summed as usize),
            objects,
            known,
        }
    }
}

/// Counts a job.
pub(crate) struct Counter<'s> {
    seated: Seated<'s>,
    /// Levels of the network from the top, nodes, and what is inside them. Levels that divide the ranks alike are one.
    rows: Vec<Row>,
    /// The row of nodes: how many levels the network has.
    node: usize,
    /// The row of each level of the machine.
    row_of: Vec<(Level, usize)>,
    /// Steps between places, in networks that have them.
    steps: Hops,
    /// The object of each rank in each row, for what is read entry by entry. Shape `[ranks][rows]`.
    of_rank: Vec<u32>,
}

impl<'s> Counter<'s> {
    /// Numbers the objects that a job uses, and counts named patterns.
    pub(crate) fn of(seated: Seated<'s>, parts: &[Part]) -> Self {
        let places = seated.places;
        let named = parts.iter().all(|part| !part.pattern.is_file());
        let mut rows: Vec<Row> = Vec::new();
        if let Some(on) = seated.on {
            for level in on.network().levels() {
                rows.push(Row::pairs(Objects::level(places, on, level)));
            }
        }
        let node = rows.len();
        let (mut row_of, mut alike) = (Vec::new(), Vec::<(Numbers, usize)>::new());
        for level in places.levels() {
            let numbers = Numbers::of(places, &places.inside(level));
            if let Some(same) = alike.iter().find(|own| own.0 == numbers) {
                row_of.push((level, same.1));
                continue;
            }
            row_of.push((level, rows.len()));
            alike.push((numbers.clone(), rows.len()));
            rows.push(match seated.on {
                Some(on) if level == Level::Node => Row::alone(Objects::nodes(places, on), None),
                Some(_) | None => {
                    let known = named.then(|| seated.figures(parts, &numbers));
                    Row::alone(Objects::inside(numbers), known)
                }
            });
        }
        let mut counter = Self {
            seated,
            rows,
            node,
            row_of,
            steps: Hops::default(),
            of_rank: Vec::new(),
        };
        counter.named(parts);
        counter
    }

    fn named(&mut self, parts: &[Part]) {
        let (apps, orders) = (self.seated.apps, self.seated.orders);
        let place = self.seated.on.and_then(OnNetwork::place);
        for (at, row) in self.rows.iter_mut().enumerate() {
            let (sums, own) = (&mut row.sums, &row.objects.own);
            let place = place.filter(|_| at == self.node);
            if row.known.is_some() {
                continue;
            }
            if at >= self.node && place.is_none() {
                let out = crossing::leaving(parts, apps, &row.objects.numbers, orders);
                let each = sums.out.iter_mut().zip(out);
                each.for_each(|(sum, out)| *sum += Weight::whole(out));
                continue;
            }
            let numbers = &row.objects.numbers;
            crossing::each(parts, apps, numbers, orders, &mut |a, b, weight| {
                let weight = Weight::whole(weight);
                sums.add(a, b, weight);
                if let Some((grid, kind)) = place {
                    let steps = grid.steps(own[a as usize], own[b as usize], kind);
                    self.steps.add(steps, weight);
                }
            });
        }
    }

    /// Adds a matrix of the app whose first rank is given. Gives the sum of the weights. While some entries are counted, the next
    /// are read.
    ///
    /// Cost: reading it, or counting it on another thread at the same time, whichever takes longer.
    pub(crate) fn matrix(
        &mut self,
        mut matrix: Matrix<'_>,
        first: usize,
    ) -> Result<Weight, ScoreError> {
        self.ready();
        let mut sum = Weight::default();
        let (mut now, mut next) = (Vec::new(), Vec::new());
        let mut more = matrix.fill(&mut now)?;
        while more {
            if now.len() < FILLED {
                // Mostly the last entries: not worth another thread.
                sum += self.entries(&now, first);
                more = matrix.fill(&mut now)?;
                continue;
            }
            let (read, counted) =
                rayon::join(|| matrix.fill(&mut next), || self.entries(&now, first));
            sum += counted;
            more = read?;
            std::mem::swap(&mut now, &mut next);
        }
        Ok(sum)
    }

    /// Looks up the objects of all ranks, once.
    fn ready(&mut self) {
        if !self.of_rank.is_empty() {
            return;
        }
        let rows = self.rows.len();
        self.of_rank = vec![0; rows * self.seated.places.plan.ranks() as usize];
        let mut of_rank = Vec::new();
        for (at, row) in self.rows.iter().enumerate() {
            column(&row.objects.numbers, self.seated.orders, &mut of_rank);
            let own = self.of_rank.iter_mut().skip(at).step_by(rows);
            own.zip(&of_rank).for_each(|(own, object)| *own = *object);
        }
    }

    fn entries(&mut self, entries: &[Entry], first: usize) -> Weight {
        let rows = self.rows.len();
        let of = |rank: u32| &self.of_rank[(first + rank as usize) * rows..][..rows];
        let place = self.seated.on.and_then(OnNetwork::place);
        // First all that is far apart in memory is looked up, then it is added, so that neither waits for the other.
        let mut ends = Vec::with_capacity(2 * rows * entries.len());
        for entry in entries {
            ends.extend_from_slice(of(entry.from));
            ends.extend_from_slice(of(entry.to));
        }
        for (entry, ends) in entries.iter().zip(ends.chunks_exact(2 * rows)) {
            let (from, to) = ends.split_at(rows);
            for (row, (&a, &b)) in self.rows.iter_mut().zip(from.iter().zip(to)) {
                if a != b {
                    row.sums.add(a, b, entry.weight);
                }
            }
            if let Some((grid, kind)) = place.filter(|_| from[self.node] != to[self.node]) {
                let own = &self.rows[self.node].objects.own;
                let steps = grid.steps(
                    own[from[self.node] as usize],
                    own[to[self.node] as usize],
                    kind,
                );
                self.steps.add(steps, entry.weight);
            }
        }
        entries.iter().map(|entry| entry.weight).sum()
    }

    /// Nodes with processes.
    pub(crate) fn nodes(&self) -> u32 {
        self.rows[self.node].objects.numbers.count
    }

    /// The figures of the levels of the machine.
    pub(crate) fn inside(&self) -> Vec<Leaving> {
        let each = self.row_of.iter().map(|&(level, row)| {
            let Row { sums, known, .. } = &self.rows[row];
            let (leave, worst) = match known {
                Some((leave, worst)) => (Weight::whole(*leave), Weight::whole(*worst)),
                None => (sums.leave(), sums.worst().0),
            };
            Leaving {
                level,
                leave,
                worst,
            }
        });
        each.collect()
    }

    /// The figures of the network.
    pub(crate) fn above(&self) -> Option<Above> {
        let network = self.seated.on?.network();
        let figures = |(row, level): (&Row, &crate::score::network::Level)| {
            let objects = &row.objects;
            let name = |object: u32| level.objects[objects.own[object as usize] as usize].clone();
            let ((worst, worst_of), (pair, pair_of)) = (row.sums.worst(), row.sums.busiest());
            let nodes = || objects.nodes.iter().copied();
            LevelFigures {
                level: level.word.clone(),
                leave: row.sums.leave(),
                worst,
                worst_of: worst_of.map(name),
                objects: objects.numbers.count,
                nodes: (nodes().max().unwrap_or(0), nodes().min().unwrap_or(0)),
                pair,
                pair_of: pair_of.map(|(a, b)| (name(a), name(b))),
            }
        };
        let levels: Vec<LevelFigures> = self
            .rows
            .iter()
            .zip(network.levels())
            .map(figures)
            .collect();
        let nodes = &self.rows[self.node];
        let worst_node = nodes.sums.worst().1.map(|node| {
            let number = nodes.objects.own[node as usize];
            network.names().name(NodeId::from_row(number as usize))
        });
        let node = nodes.sums.leave();
        let hops = match network.grid {
            Some(_) => self.steps,
            None => hops::of_levels(network, &levels, node),
        };
        Some(Above {
            kind: network.kind(),
            levels,
            worst_node,
            hops,
            node,
        })
    }
}
