//! The `stowplan` command as a library.
