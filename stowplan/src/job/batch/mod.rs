//! What batch systems say of a job: directives of scripts, words of allocations, the hosts and variables that they fix.

// The text of a script and places in it.
pub(crate) mod text;
// Directives of batch systems.
pub(crate) mod directives;
// Hosts of the directives, and files that systems make of them.
pub(crate) mod hosts;
// Words of an allocation in place of hosts.
pub(crate) mod alloc;
