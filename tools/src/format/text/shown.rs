//! The content of a page: the shapes of nodes that are shown, each with its picture.

use super::placement::Placement;
use super::shapes::Shape;
use super::strip::Strips;
use crate::format::Told;
use stowplan::answers::openmp::job::JobThreads;

/// The most lines of a page.
pub(super) const LINES_MAX: usize = 24;
/// The most shapes that have a row.
const SHAPES: usize = 6;

/// The content of a page: the shapes shown, each with its picture.
pub(super) struct Shown {
    pub(super) shapes: Vec<Shape>,
    pub(super) placements: Vec<Placement>,
    pub(super) strips: Vec<Strips>,
    /// Shapes that are not shown, and the number of their nodes.
    pub(super) more: (usize, u64),
}

impl Shown {
    /// Keeps the biggest shapes, in node order.
    pub(super) fn new(told: &Told<'_>, mut shapes: Vec<Shape>) -> Self {
        let nodes = shapes.iter().map(|shape| shape.count).sum::<u64>();
        let mut more = (0, 0);
        if shapes.len() > SHAPES {
            let mut by_size: Vec<usize> = (0..shapes.len()).collect();
            by_size.sort_by_key(|&at| (std::cmp::Reverse(shapes[at].count), at));
            let mut kept = vec![false; shapes.len()];
            for &at in &by_size[..SHAPES - 1] {
                kept[at] = true;
            }
            more.0 = shapes.len() - (SHAPES - 1);
            let mut kept = kept.into_iter();
            shapes.retain(|_| kept.next().unwrap_or(false));
            more.1 = nodes - shapes.iter().map(|shape| shape.count).sum::<u64>();
        }
        let placements: Vec<Placement> = shapes
            .iter()
            .map(|shape| Placement::new(told.plan, shape))
            .collect();
        let pairs = shapes.iter().zip(&placements);
        let said = !told.plan.thread_words().is_empty();
        let mut threads = said
            .then(|| JobThreads::new(told.plan, None).ok())
            .flatten();
        let strips = pairs
            .map(|(shape, placement)| Strips::new(told.plan, shape, placement, threads.as_mut()))
            .collect();
        Self {
            shapes,
            placements,
            strips,
            more,
        }
    }
}
