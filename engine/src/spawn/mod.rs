//! A spawn request: the job's policies, typed attributes, apps. The command line is only one way to make one.

// Attribute keys.
pub mod keys;
// Typed rows.
pub mod attributes;
// The three policies as stored.
pub mod policy;
// The request itself.
pub mod request;
// What one info says, and the attributes that it makes.
pub(crate) mod info;
// What all infos say, and what stands against each other.
pub(crate) mod spoken;
// Directive strings -> attributes.
pub mod set;
// Everything that infos say, judged, -> a request.
pub mod intake;
// Bytes of the relay.
pub mod wire;
// Pack and unpack.
pub(crate) mod relay;
// What apps ask of the job; what a child takes from its parent.
pub mod inherit;
// Old spellings of whole command lines.
pub mod argv;

pub use intake::Intake;
pub use request::SpawnRequest;
pub use spoken::Spoken;
