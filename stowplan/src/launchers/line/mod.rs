//! A job may be a launcher's own line: what is asked, and what the launcher would do with it (`lines.md`).
//!
//! A launcher's folder has one function from [`LineAsked`] to [`Laid`]. It knows its words, its files and its variables;
//! [`Laid`] says in general terms where the processes are, and becomes a plan like any other.

mod allocation;
mod asked;
mod blocks;
pub mod exported;
pub mod granted;
pub(crate) mod kinds;
mod laid;
pub(crate) mod named;
mod quoted;
mod refused;
pub mod reorder;
pub mod table;
pub mod usable;

pub use allocation::Allocation;
pub use asked::{Hardware, Launcher, LineAsked, OurHost, OurHosts, Refusals, names_of};
pub use blocks::{Block, blocks};
pub use laid::{Derived, Laid, LaidApp, LaidProcs, LaidRun, LineNote};
pub use quoted::quoted_words;
pub use refused::LineRefused;
