//! Compares topologies with listings, and with libhwloc where it is built in.

// For the lint of `unwrap`, everything below this line is a test.
#[cfg(test)]
mod builtin;
#[cfg(test)]
mod classes;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod kind;
#[cfg(test)]
mod machines;
#[cfg(test)]
mod objects;
#[cfg(test)]
mod os_devices;
#[cfg(test)]
mod pci;
#[cfg(all(test, feature = "hwloc"))]
mod second_opinion;
#[cfg(test)]
mod sets;
#[cfg(test)]
mod trees;
