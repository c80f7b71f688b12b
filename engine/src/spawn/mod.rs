//! A spawn request: the job's policies, typed attributes, apps. A command line is only one way to make a request.

// Attribute keys.
pub mod keys;
// Typed rows.
pub mod attributes;
// The three policies as stored.
pub mod policy;
// The request itself.
pub mod request;
// What one info says, and the attributes it becomes.
pub(crate) mod info;
// What all infos say, and contradictions between them.
pub(crate) mod spoken;
// Directive strings -> attributes.
pub mod set;
// All infos, judged -> a request.
pub mod intake;
// Numbers and texts as bytes.
pub mod wire;
// The seal of packed requests and jobs.
pub mod seal;
// Requests as bytes: pack and unpack.
pub(crate) mod relay;
// What apps ask of the job; what a child takes from its parent.
pub mod inherit;
// What a job takes from parameters of the launcher.
pub mod defaults;
// Old spellings of whole command lines.
pub mod argv;

pub use intake::Intake;
pub use request::SpawnRequest;
pub use spoken::Spoken;
