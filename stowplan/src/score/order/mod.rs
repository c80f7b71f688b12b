//! Orders: which rank each place gets. Places are the processes of an app, node by node.

// Boxes of a grid, one after the other.
mod cells;
// Strips of a grid, back and forth.
pub mod strips;
// Halves of a grid, down to single cells.
pub mod kdtree;
// Halves of a grid that whole nodes fill.
pub mod hyperplane;
// What the directions of a stencil say about dimensions.
pub mod stencil;
// Ranks as a file has them.
pub mod file;
// Cells of a grid, box by box.
mod walk;
// Planes that cut a grid for a tree.
pub mod planes;

use crate::score::error::ScoreError;
use crate::score::pattern::Grid;
use crate::score::tree::Tree;
use stencil::Stencil;
use stowplan_engine::count::counted;

pub use cells::cells;

/// An order of ranks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Order {
    /// `cells:GRID:OUTER/…/INNER`: boxes row-major in boxes row-major, ranks in a box row-major; the last box of a dimension may
    /// be cut.
    Cells {
        /// The grid of ranks.
        grid: Grid,
        /// The boxes, from the outermost in. At least one.
        boxes: Vec<Grid>,
    },
    /// `planes:GRID`: cut by planes into the objects of the network and the nodes.
    Planes(Grid),
    /// `strips:GRID`: strips as wide as the side of a node's cube, walked back and forth.
    Strips(Grid),
    /// `kdtree:GRID`: the longest dimension halved, down to single ranks.
    Kdtree(Grid),
    /// `hyperplane:GRID`: halves that whole nodes fill.
    Hyperplane(Grid),
    /// `file:F`.
    File(String),
}

/// The words there are, for messages.
const WORDS: &str =
    "cells:GRID:CELL[/CELL…] strips:GRID kdtree:GRID hyperplane:GRID planes:GRID file:F";

impl Order {
    /// Reads the word of an order.
    ///
    /// # Errors
    /// `bad-rank-order`.
    pub fn read(word: &str) -> Result<Self, ScoreError> {
        let refuse = |why: String| refuse(word, why);
        let Some((name, rest)) = word.split_once(':') else {
            return refuse(format!("an order is one of: {WORDS}"));
        };
        if name == "file" {
            return match rest {
                "" => refuse("file takes the name of a file: file:F".to_owned()),
                path => Ok(Self::File(path.to_owned())),
            };
        }
        let grid = |text: &str| {
            Grid::read(text).ok_or_else(|| ScoreError::Order {
                order: word.to_owned(),
                why: format!("{text:?} is no grid such as 50x48"),
            })
        };
        match name {
            "cells" => {
                let Some((whole, cell)) = rest.split_once(':') else {
                    return refuse(
                        "cells takes a grid and a box of it: cells:50x48:2x24".to_owned(),
                    );
                };
                let whole = grid(whole)?;
                let boxes = cell.split('/').map(grid);
                let boxes = boxes.collect::<Result<Vec<Grid>, _>>()?;
                let all = whole.sizes.len();
                if let Some(own) = boxes.iter().find(|own| own.sizes.len() != all) {
                    let own = own.sizes.len();
                    return refuse(format!("the grid has {all} dimensions, the box has {own}"));
                }
                Ok(Self::Cells { grid: whole, boxes })
            }
            "planes" => Ok(Self::Planes(grid(rest)?)),
            "strips" => Ok(Self::Strips(grid(rest)?)),
            "kdtree" => Ok(Self::Kdtree(grid(rest)?)),
            "hyperplane" => Ok(Self::Hyperplane(grid(rest)?)),
            _ => refuse(format!("an order is one of: {WORDS}")),
        }
    }

    /// The word again.
    #[must_use]
    pub fn word(&self) -> String {
        match self {
            Self::Cells { grid, boxes } => {
                let boxes: Vec<String> = boxes.iter().map(Grid::word).collect();
                format!("cells:{}:{}", grid.word(), boxes.join("/"))
            }
            Self::Planes(grid) => format!("planes:{}", grid.word()),
            Self::Strips(grid) => format!("strips:{}", grid.word()),
            Self::Kdtree(grid) => format!("kdtree:{}", grid.word()),
            Self::Hyperplane(grid) => format!("hyperplane:{}", grid.word()),
            Self::File(path) => format!("file:{path}"),
        }
    }

    /// The rank of each place. `tree`: the nodes; most orders take all to be as large as the fullest. `read`: reads a file by name.
    ///
    /// # Errors
    /// `bad-rank-order` if the order does not fit.
    pub fn ranks(
        &self,
        tree: &Tree,
        read: &dyn Fn(&str) -> Result<Vec<u8>, String>,
    ) -> Result<Vec<u32>, ScoreError> {
        let procs = tree.sizes.iter().sum();
        let per_node = tree.sizes.iter().max().copied().unwrap_or(0);
        let grid = match self {
            Self::Cells { grid, .. }
            | Self::Planes(grid)
            | Self::Strips(grid)
            | Self::Kdtree(grid)
            | Self::Hyperplane(grid) => grid,
            Self::File(path) => {
                let text = read(path).or_else(|why| refuse(&self.word(), why))?;
                return file::read(&self.word(), &text, procs);
            }
        };
        if grid.cells() != Some(u64::from(procs)) {
            let cells = grid
                .cells()
                .map_or("more than 2^64 places".to_owned(), |cells| {
                    counted(cells, "place").to_string()
                });
            let grid = grid.word();
            let why = format!(
                "a grid of {grid} has {cells}, the job has {}",
                counted(procs, "process")
            );
            return refuse(&self.word(), why);
        }
        let star = Stencil::star(grid.sizes.len());
        Ok(match self {
            Self::Cells { grid, boxes } => cells(grid, boxes),
            Self::Planes(grid) => {
                return planes::planes(grid, None, tree, planes::First::Sum)
                    .or_else(|why| refuse(&self.word(), why));
            }
            Self::Strips(grid) => strips::strips(grid, &star, per_node),
            Self::Kdtree(grid) => kdtree::kdtree(grid, &star),
            Self::Hyperplane(grid) => hyperplane::hyperplane(grid, &star, per_node),
            Self::File(_) => Vec::new(),
        })
    }
}

fn refuse<T>(order: &str, why: String) -> Result<T, ScoreError> {
    Err(ScoreError::Order {
        order: order.to_owned(),
        why,
    })
}
