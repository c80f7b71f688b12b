//! The page: places lines as one types them, answers over HTTP. `command/page.rs` reads the words that start it.

// The words of a line, and where each of them is.
pub mod line;
// Files that came with a request.
pub mod inline;
// What a request may say.
pub mod fields;
// Why a line is refused, as JSON.
pub mod refusal;
// How large and how slow an answer may be.
pub mod answer_bounds;
// One line in, one answer out.
pub mod answer;
// Paths, methods, types.
pub mod route;
// Connections, limits.
pub mod serve;
