//! What the requester is told: the status names of PMIx that this part uses.

use serde::{Deserialize, Serialize};

/// The outcome of an event. Source: reservations "Clauses".
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Status {
    /// Done.
    Success,
    /// Accepted and forwarded to the scheduler.
    InProgress,
    /// The name or id is in use.
    Exists,
    /// The requester may not.
    NoPermissions,
    /// The one to be told is gone.
    Unreach,
    /// The request is malformed.
    BadParam,
    /// A node is held by another allocation, or is there already.
    ResourceBusy,
    /// A limit is reached.
    OutOfResource,
    /// No such thing.
    NotFound,
    /// The directive, attribute or value is not supported.
    NotSupported,
    /// The DVM has ended.
    NotAvailable,
    /// No candidate node, or a host outside the candidates.
    FailedToMap,
}

/// Every status with its name and number, in the order of reservations "Clauses".
pub const STATUSES: &[(Status, &str, i32)] = &[
    (Status::Success, "PMIX_SUCCESS", 0),
    (Status::InProgress, "PMIX_OPERATION_IN_PROGRESS", -156),
    (Status::Exists, "PMIX_ERR_EXISTS", -11),
    (Status::NoPermissions, "PMIX_ERR_NO_PERMISSIONS", -23),
    (Status::Unreach, "PMIX_ERR_UNREACH", -25),
    (Status::BadParam, "PMIX_ERR_BAD_PARAM", -27),
    (Status::ResourceBusy, "PMIX_ERR_RESOURCE_BUSY", -28),
    (Status::OutOfResource, "PMIX_ERR_OUT_OF_RESOURCE", -29),
    (Status::NotFound, "PMIX_ERR_NOT_FOUND", -46),
    (Status::NotSupported, "PMIX_ERR_NOT_SUPPORTED", -47),
    (Status::NotAvailable, "PMIX_ERR_NOT_AVAILABLE", -64),
    (Status::FailedToMap, "PMIX_ERR_JOB_FAILED_TO_MAP", -179),
];

impl Status {
    /// The PMIx name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().1
    }
    /// The PMIx number.
    #[must_use]
    pub fn code(self) -> i32 {
        self.row().2
    }
    /// Whether it refuses: all but success and in progress.
    #[must_use]
    pub fn is_error(self) -> bool {
        !matches!(self, Self::Success | Self::InProgress)
    }
    /// The error of this name; `None` when the name is unknown or no error's.
    ///
    /// ```
    /// use stowplan_session::Status;
    /// assert_eq!(Status::error_named("PMIX_ERR_EXISTS"), Some(Status::Exists));
    /// assert_eq!(Status::error_named("PMIX_SUCCESS"), None);
    /// ```
    #[must_use]
    pub fn error_named(name: &str) -> Option<Self> {
        STATUSES
            .iter()
            .find(|row| row.1 == name)
            .map(|row| row.0)
            .filter(|status| status.is_error())
    }
    fn row(self) -> &'static (Self, &'static str, i32) {
        STATUSES
            .iter()
            .find(|row| row.0 == self)
            .expect("the table has every status")
    }
}
