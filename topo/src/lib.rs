//! Topologies: hwloc XML, synthetic strings, named machines, this machine.
