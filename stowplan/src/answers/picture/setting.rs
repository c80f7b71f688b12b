//! How a picture is drawn, and what stands around the nodes.

use crate::score::network::OnNetwork;
use roaring::RoaringBitmap;
use stowplan_engine::text::digits::number;

/// The colours of the paper.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Paper {
    /// Dark on light.
    #[default]
    Light,
    /// Light on dark.
    Dark,
}

/// The size of an image.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Size {
    /// As large as its content.
    #[default]
    OfContent,
    /// This wide to this high, as a slide: the content fills it.
    Ratio(u32, u32),
}

/// The most that one side of a [`Size::Ratio`] may be of the other.
pub const RATIO_MAX: u32 = 4;

impl Size {
    /// Reads `16:9`. `None`: these are no two numbers, or one is more than [`RATIO_MAX`] times the other.
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        let (wide, high) = text.split_once(':')?;
        let side = |text| number(text).filter(|side| (1..=10_000).contains(side));
        let (wide, high) = (side(wide)?, side(high)?);
        let fits = wide <= RATIO_MAX * high && high <= RATIO_MAX * wide;
        fits.then_some(Self::Ratio(wide, high))
    }
}

/// What a picture shows besides the plan, and how.
#[derive(Clone, Copy, Debug, Default)]
pub struct Setting<'s> {
    /// The line that was asked; empty: none is known.
    pub title: &'s str,
    /// Lines of text, such as where topologies came from.
    pub lines: &'s [String],
    /// The network around the nodes.
    pub network: Option<&'s OnNetwork>,
    /// The ranks that are shown; `None`: all. Only nodes that have one of them are drawn.
    pub chosen: Option<&'s RoaringBitmap>,
    /// The paper, for an image that stands alone.
    pub paper: Paper,
    /// The size, for an image that stands alone.
    pub size: Size,
}
