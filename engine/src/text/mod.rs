//! Text -> words and values, each with its place.

// A position in a text, numbers and lists.
pub mod cursor;
// A number in digits alone.
pub mod digits;
// The words of directives, as tables.
pub mod printable;
pub mod words;
// The texts that hold the words.
pub(crate) mod texts;
// What directives say, word by word.
pub mod said;
// The grammar that directives share, and that of rank and bind.
pub(crate) mod directive;
// The options of mpibind, a part of the grammar of map.
pub mod mpibind;
// The devices of `device=`, a part of the grammar of map.
pub mod device;
// The grammar of map.
pub mod mapping;
// A file as lines.
pub(crate) mod lines;
// What host lists and hostfiles say.
pub mod host_types;
// `n[000-127]:4`.
pub mod hostlist;
// Hostfiles.
pub mod hostfile;
// `1:0-2;p0`.
pub mod slotlist;
// Sequence files, affinity files.
pub mod listings;
// Rankfiles.
pub mod rankfile;
