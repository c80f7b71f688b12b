//! Groups and switches as boxes around a job's nodes, each node with the letter of its shape.

use super::draw::{Panel, escaped};
use super::letters::{cut, width};
use super::shape::{Shape, letter};
use crate::score::network::{Level, OnNetwork};
use stowplan_engine::count::counted;
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::Plan;
use stowplan_engine::table::names::NodeId;

/// The most nodes that have a box each; of more, neighbours of one shape share a box.
const NODES_MAX: usize = 128;
/// The most boxes that are drawn; what else there is, is counted.
const BOXES_MAX: usize = 240;
/// The most signs of a name.
const SIGNS: usize = 24;
const TYPE: u32 = 10;
const PAD: u32 = 4;
const LABEL: u32 = 15;
const CELL: (u32, u32) = (20, 16);

/// Neighbouring nodes of one shape.
struct Stretch {
    /// The first and the last, by their numbers in the job.
    ends: (u32, u32),
    count: usize,
    /// As [`Seen::of`].
    shape: Option<usize>,
}

/// A group or a switch with what the job has in it.
struct Around {
    label: String,
    inside: Inside,
    /// What is not drawn, in words; empty: nothing.
    more: String,
}

enum Inside {
    Objects(Vec<Around>),
    Nodes(Vec<Stretch>),
}

/// The network around the nodes of a job.
pub(super) struct Switches {
    top: Around,
    /// The letters and the names of nodes that stand for a stretch.
    cells: Vec<(String, String)>,
}

/// Which shape a node has.
struct Seen {
    /// First node, node behind the last, number of the shape.
    ranges: Vec<(u32, u32, usize)>,
}

impl Seen {
    /// The row of a node's shape among those that are drawn, or their number for other shapes; `None`: it has no ranks.
    fn of(&self, node: u32) -> Option<usize> {
        let behind = self.ranges.partition_point(|range| range.0 <= node);
        let &(_, end, shape) = self.ranges[..behind].last()?;
        (node < end).then_some(shape)
    }
}

impl Switches {
    /// `share`: how many drawings share the space. Cost: sorts the nodes of the job.
    pub(super) fn new(
        plan: &Plan,
        on: &OnNetwork,
        (all, kept): (&[Shape], &[usize]),
        share: usize,
    ) -> Self {
        let mut ranges = Vec::new();
        for (own, shape) in all.iter().enumerate() {
            let at = kept.iter().position(|&row| row == own);
            let at = at.unwrap_or(kept.len());
            ranges.extend(shape.nodes.iter().map(|part| (part.first, part.end(), at)));
        }
        ranges.sort_unstable();
        let seen = Seen { ranges };
        let numbers = on.numbers().iter().copied();
        let mut nodes: Vec<(u32, u32)> = numbers.zip(0..).collect();
        nodes.sort_unstable();
        let mut left = BOXES_MAX / share;
        let single = nodes.len() <= NODES_MAX / share;
        let mut top = around(
            String::new(),
            &nodes,
            on.network().levels(),
            (&seen, single),
            &mut left,
        );
        top.label = format!(
            "{}, {}: boxes are nodes, with the letters of their shapes",
            on.network().kind().word(),
            counted(nodes.len() as u64, "node")
        );
        let mut cells = Vec::new();
        name(&top, plan, kept.len(), &mut cells);
        Self { top, cells }
    }

    /// Draws it, at most this wide where its boxes allow it.
    pub(super) fn panel(&self, room: u32) -> Panel {
        let mut pen = Pen { svg: String::new() };
        let (width, height) = layout(&self.top, room, &mut self.cells.iter()).size;
        pen.draw(&self.top, (1, 1), room, &mut self.cells.iter());
        Panel {
            width: width + 2,
            height: height + 2,
            svg: pen.svg,
        }
    }
}

/// What some nodes are in, from the first of these levels down.
fn around(
    label: String,
    nodes: &[(u32, u32)],
    levels: &[Level],
    (seen, single): (&Seen, bool),
    left: &mut usize,
) -> Around {
    let Some((level, below)) = levels.split_first() else {
        return of_nodes(label, nodes, (seen, single), left);
    };
    let object = |node: &(u32, u32)| level.object(node.0);
    let mut objects = Vec::new();
    let (mut more, mut more_nodes) = (0_u64, 0);
    for part in nodes.chunk_by(|one, next| object(one) == object(next)) {
        if *left < 2 {
            more += 1;
            more_nodes += part.len() as u64;
            continue;
        }
        *left -= 1;
        let name = &level.objects[object(&part[0]) as usize];
        let name = match name.starts_with(&level.word) {
            true => name.clone(),
            false => format!("{} {name}", level.word),
        };
        objects.push(around(cut(&name, SIGNS), part, below, (seen, single), left));
    }
    let more = match more {
        0 => String::new(),
        _ => format!("and {more} more with {}", counted(more_nodes, "node")),
    };
    Around {
        label,
        inside: Inside::Objects(objects),
        more,
    }
}

/// The innermost box, with its nodes.
fn of_nodes(
    label: String,
    nodes: &[(u32, u32)],
    (seen, single): (&Seen, bool),
    left: &mut usize,
) -> Around {
    let shape = |node: &(u32, u32)| seen.of(node.1);
    let mut stretches = Vec::new();
    let mut more = 0;
    for part in nodes.chunk_by(|one, next| !single && shape(one) == shape(next)) {
        if *left == 0 {
            more += part.len() as u64;
            continue;
        }
        *left -= 1;
        stretches.push(Stretch {
            ends: (part[0].1, part[part.len() - 1].1),
            count: part.len(),
            shape: shape(&part[0]),
        });
    }
    let more = match more {
        0 => String::new(),
        _ => format!("and {}", counted(more, "more node")),
    };
    Around {
        label,
        inside: Inside::Nodes(stretches),
        more,
    }
}

/// The letter and the title of each box of nodes, in the order in which they are drawn.
fn name(around: &Around, plan: &Plan, kept: usize, cells: &mut Vec<(String, String)>) {
    let names = &plan.world().names;
    let node = |row: u32| names.name(NodeId::from_row(row as usize));
    match &around.inside {
        Inside::Objects(objects) => {
            for own in objects {
                name(own, plan, kept, cells);
            }
        }
        Inside::Nodes(stretches) => {
            for Stretch { ends, count, shape } in stretches {
                let (sign, word) = match shape {
                    None => ("-".to_owned(), "no rank that is shown".to_owned()),
                    Some(at) if *at == kept => ("…".to_owned(), "another shape".to_owned()),
                    Some(at) => (letter(*at), format!("shape {}", letter(*at))),
                };
                cells.push(match count {
                    1 => (sign, format!("{}: {word}", node(ends.0))),
                    _ => (
                        format!("{sign} ×{count}"),
                        format!(
                            "{count} nodes, {} to {}: {word}",
                            node(ends.0),
                            node(ends.1)
                        ),
                    ),
                });
            }
        }
    }
}

/// Where the content of a box lies in it, and its size.
struct Layout {
    places: Vec<(u32, u32)>,
    size: (u32, u32),
}

type Cells<'c> = std::slice::Iter<'c, (String, String)>;

/// Lays out a box: its content side by side, in as many rows as it needs.
fn layout(around: &Around, room: u32, cells: &mut Cells<'_>) -> Layout {
    let within = room.saturating_sub(2 * PAD);
    let sizes: Vec<(u32, u32)> = match &around.inside {
        Inside::Objects(objects) => {
            let size = |own| layout(own, within, cells).size;
            objects.iter().map(size).collect()
        }
        Inside::Nodes(stretches) => {
            let own = cells.by_ref().take(stretches.len());
            own.map(|(sign, _)| (CELL.0.max(width(sign, TYPE) + 6), CELL.1))
                .collect()
        }
    };
    let (mut x, mut y, mut tall) = (PAD, LABEL + PAD, 0);
    let mut right = PAD + width(&around.label, TYPE).max(width(&around.more, TYPE));
    let mut places = Vec::with_capacity(sizes.len());
    for (wide, high) in sizes {
        if x > PAD && x + wide > room.saturating_sub(PAD) {
            (x, y, tall) = (PAD, y + tall + PAD, 0);
        }
        places.push((x, y));
        right = right.max(x + wide);
        (x, tall) = (x + wide + PAD, tall.max(high));
    }
    let more = if around.more.is_empty() { 0 } else { LABEL };
    Layout {
        places,
        size: (right + PAD, y + tall + PAD + more),
    }
}

/// What is drawn so far.
struct Pen {
    svg: String,
}

impl Pen {
    fn draw(&mut self, around: &Around, (x, y): (u32, u32), room: u32, cells: &mut Cells<'_>) {
        let Layout { places, size } = layout(around, room, &mut cells.clone());
        let (wide, high) = size;
        self.svg += &format!(
            "<rect class=\"box\" x=\"{x}\" y=\"{y}\" width=\"{wide}\" height=\"{high}\" rx=\"3\"/>"
        );
        self.text((x + PAD, y + 12), &around.label);
        if !around.more.is_empty() {
            self.text((x + PAD, y + high - PAD), &around.more);
        }
        match &around.inside {
            Inside::Objects(objects) => {
                for (own, (left, top)) in objects.iter().zip(places) {
                    let within = room.saturating_sub(2 * PAD);
                    self.draw(own, (x + left, y + top), within, cells);
                }
            }
            Inside::Nodes(stretches) => {
                for (own, (left, top)) in stretches.iter().zip(places) {
                    let Some(cell) = cells.next() else { return };
                    let class = own.shape.map_or("s idle", |_| "cell");
                    self.cell(cell, (x + left, y + top), class);
                }
            }
        }
    }

    fn text(&mut self, (x, y): (u32, u32), words: &str) {
        let words = escaped(words);
        self.svg += &format!("<text class=\"l\" x=\"{x}\" y=\"{y}\">{words}</text>");
    }

    fn cell(&mut self, (sign, title): &(String, String), (x, y): (u32, u32), class: &str) {
        let wide = CELL.0.max(width(sign, TYPE) + 6);
        self.svg += &format!(
            "<g><title>{}</title><rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{wide}\" height=\"{}\"/>",
            escaped(title),
            CELL.1
        );
        self.text((x + 4, y + 12), sign);
        self.svg += "</g>";
    }
}
