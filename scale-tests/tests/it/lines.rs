//! Random lines of launchers, against their plain models.

use stowplan_scale_tests::lines::{Launcher, differences};

#[test]
fn lines_land_where_the_plain_models_put_them() {
    for launcher in [Launcher::Hydra, Launcher::Intel] {
        let found = differences(launcher, 1500, 7);
        assert!(found.is_empty(), "{}", found.join("\n"));
    }
}
