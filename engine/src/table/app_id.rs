//! The number of an app.

use crate::define_id;

define_id! {
    /// A row of the table of apps: the app's position in the request, holes included.
    AppId
}
