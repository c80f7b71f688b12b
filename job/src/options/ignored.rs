//! Options of prterun that do not affect placement.

use super::Takes::{Nothing, One};
use super::{Meaning, Row, Takes, row};

const fn ignored(names: &'static [&'static str], takes: Takes) -> Row {
    row(names, takes, "VALUE", Meaning::Ignored, "")
}

/// Options of prterun that do not affect placement: accepted, without effect.
pub const IGNORED: &[Row] = &[
    ignored(&["wdir", "wd"], One),
    ignored(&["unset-env"], One),
    ignored(&["path"], One),
    ignored(&["prefix"], One),
    ignored(&["noprefix"], Nothing),
    ignored(&["app-prefix"], One),
    ignored(&["pmix-prefix"], One),
    ignored(&["pset"], One),
    ignored(&["personality"], One),
    ignored(&["tune"], One),
    ignored(&["output"], One),
    ignored(&["output-filename"], One),
    ignored(&["output-directory"], One),
    ignored(&["tag-output"], Nothing),
    ignored(&["timestamp-output"], Nothing),
    ignored(&["merge-stderr-to-stdout"], Nothing),
    ignored(&["xml"], Nothing),
    ignored(&["stdin"], One),
    ignored(&["timeout"], One),
    ignored(&["spawn-timeout"], One),
    ignored(&["report-state-on-timeout"], Nothing),
    ignored(&["get-stack-traces"], Nothing),
    ignored(&["report-pid"], One),
    ignored(&["report-uri"], One),
    ignored(&["preload-binary", "s"], Nothing),
    ignored(&["preload-files"], One),
    ignored(&["set-cwd-to-session-dir"], Nothing),
    ignored(&["index-argv-by-rank"], Nothing),
    ignored(&["forward-signals"], One),
    ignored(&["launch-agent"], One),
    ignored(&["exec-agent"], One),
    ignored(&["max-restarts"], One),
    ignored(&["enable-recovery"], Nothing),
    ignored(&["continuous"], Nothing),
    ignored(&["stop-on-exec"], Nothing),
    ignored(&["stop-in-init"], Nothing),
    ignored(&["stop-in-app"], Nothing),
    ignored(&["show-progress"], Nothing),
    ignored(&["leave-session-attached"], Nothing),
    ignored(&["debug-daemons"], Nothing),
    ignored(&["debug-daemons-file"], Nothing),
    ignored(&["keepalive"], One),
    ignored(&["singleton"], One),
    ignored(&["gpu-support"], One),
    ignored(&["allow-run-as-root"], Nothing),
    ignored(&["quiet", "q"], Nothing),
    ignored(&["verbose", "v"], Nothing),
];
