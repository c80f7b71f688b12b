//! Plans as bytes.

mod apps;
mod hardware;
mod listed;
mod refused;
mod sets;
mod thread_words;
mod wire;
mod written;
