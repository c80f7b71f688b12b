//! Tests of what benches use.

mod lines;
