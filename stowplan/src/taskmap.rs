//! Task maps: RFC 34, PMI and raw forms, read and written.
//!
//! ```
//! use stowplan::taskmap::TaskMap;
//! let map = TaskMap::read(br#"{"version":1,"map":[[0,2,4,1]]}"#)?;
//! assert_eq!(map.to_string(), r#"{"version":1,"map":[[0,2,4,1]]}"#);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use stowplan_engine::taskmap::{
    Appender, Block, Blocks, ENCODER_WORDS, Encoder, FORM_WORDS, Field, Form, FoundText as Found,
    HostNames, JobNode, Limits, MapPlace as Place, MapText as Text, NodeStretch, Scheme, TaskMap,
    TaskMapError, TaskRanges,
};
