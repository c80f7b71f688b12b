//! How many members of a group of ranks each object has.

/// Memory for counting groups one after the other.
#[derive(Default)]
pub(crate) struct Members {
    /// Zero between groups. Shape `[objects]`.
    count: Vec<u32>,
    /// The objects of a group, and how many members each has.
    met: Vec<(u32, u64)>,
}

impl Members {
    /// The objects that a group has members in, ascending, and how many. `objects`: numbers are below this.
    ///
    /// Cost: the members; sorting the objects that they are in.
    pub(crate) fn of(&mut self, objects: u32, group: impl Iterator<Item = u32>) -> &[(u32, u64)] {
        self.count.resize(objects as usize, 0);
        self.met.clear();
        for object in group {
            let count = &mut self.count[object as usize];
            if *count == 0 {
                self.met.push((object, 0));
            }
            *count += 1;
        }
        for (object, members) in &mut self.met {
            *members = u64::from(std::mem::take(&mut self.count[*object as usize]));
        }
        self.met.sort_unstable();
        &self.met
    }
}
