//! What happens to a launcher, event by event.

use super::{Failure, Launcher, STARTUP};
use stowplan::session::{By, Event, candidates};

/// What happens to the launcher, event by event; the same numbers give the same day.
pub(super) struct Day(pub(super) u64);

impl Day {
    pub(super) fn roll(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % sides
    }

    /// One thing that happens.
    pub(super) fn happen(&mut self, launcher: &mut Launcher, number: usize) -> Result<(), Failure> {
        let job = format!("job{number}");
        let parent = format!("job{}", number.saturating_sub(1 + self.roll(6)));
        let fresh = format!("cloud{}", self.roll(8));
        match self.roll(10) {
            0..4 => {
                let procs = u32::try_from(1 + self.roll(20))?;
                launcher.spawn("prun", &job, &[], procs)?;
            }
            4 | 5 => {
                // A job that grows: nodes of its own, and a child on them.
                if let Some(id) = launcher.allocate(&parent, &[&fresh])? {
                    launcher.spawn(&parent, &job, &[&id], 4)?;
                    launcher.spawn("prun", &format!("{job}b"), &[&id], 4)?;
                }
            }
            6 | 7 => {
                launcher.tell(&Event::JobEnd { ns: &parent })?;
            }
            8 => {
                let node = format!("node{}", self.roll(STARTUP));
                launcher.tell(&Event::NodeDown { node: &node })?;
                launcher.tell(&Event::NodeUp { node: &node })?;
            }
            _ => {
                let tool = By::Namespace("prun");
                let seen =
                    candidates(&launcher.state, tool, &[]).map_or(0, |found| found.nodes.len());
                if seen < 2 {
                    launcher.tell(&Event::JobEnd { ns: &parent })?;
                }
            }
        }
        Ok(())
    }
}
