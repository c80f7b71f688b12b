//! The apps of a section, each behind the one before.

use super::frame::BadPlan;
use super::wire::Reader;
use crate::limit::APPS_MAX;

/// Reads the apps of a section, ascending. `apps`: how many apps there are. `read`: reads the data of one app.
pub(super) fn each_app(
    reader: &mut Reader<'_>,
    apps: usize,
    mut read: impl FnMut(&mut Reader<'_>, usize) -> Result<(), BadPlan>,
) -> Result<(), BadPlan> {
    let count = reader.number(APPS_MAX, "a number of apps")?;
    let mut next = 0;
    for _ in 0..count {
        let app = reader.number(APPS_MAX, "an app")? as usize;
        reader.ensure(
            || (next..apps).contains(&app),
            "an app after the one before",
        )?;
        next = app + 1;
        read(reader, app)?;
    }
    Ok(())
}
