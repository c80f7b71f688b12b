//! Topologies against listings, and against libhwloc where it is built in.

// The lint of `unwrap` takes what stands below this for a test.
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod machines;
#[cfg(test)]
mod objects;
#[cfg(test)]
mod pci;
#[cfg(all(test, feature = "hwloc"))]
mod second_opinion;
#[cfg(test)]
mod trees;
