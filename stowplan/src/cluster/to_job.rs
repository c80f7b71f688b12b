//! What a cluster places.

use crate::{Error, Job};
use std::borrow::Cow;

/// What a cluster places: a [`Job`], or a [`Request`](crate::prte::Request) that was built or read.
///
/// ```
/// use stowplan::prte::Request;
/// use stowplan::{Cluster, Machine, Topology};
/// let mut cluster = Cluster::new(Machine::uniform(Topology::parse("core:4 pu:1")?));
/// cluster.add_nodes("n[0-1]:4")?;
/// let mut request = Request::new();
/// request.push_app("./x", Some(6))?;
/// request.set_mapping_policy("core")?;
/// assert_eq!(cluster.try_place(&request)?, cluster.place(&request)?);
/// assert_eq!(cluster.explain(&request).map(|waiting| waiting.error().class()), Some("not-enough-slots"));
/// # Ok::<(), stowplan::Error>(())
/// ```
pub trait ToJob {
    /// The job.
    ///
    /// # Errors
    /// As [`Request::job`](crate::prte::Request::job).
    fn to_job(&self) -> Result<Cow<'_, Job>, Error>;
}

impl ToJob for Job {
    fn to_job(&self) -> Result<Cow<'_, Job>, Error> {
        Ok(Cow::Borrowed(self))
    }
}
