//! The page as people use it: in Chromium, by keys, clicks and files that are dropped.

mod lines;
mod looks;
mod names;
mod speed;
mod viewers;
mod views;

use std::io::Write as _;
use stowplan_browser_tests::{Browser, Failed, is_here};

/// Says a line past the harness, which shows only what failing tests print.
fn say(line: &str) {
    // Where nobody reads, nothing is lost.
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Runs a test in a browser of its own, where there is one.
fn with_browser(name: &str, test: impl FnOnce(&Browser) -> Result<(), Failed>) {
    if !is_here() {
        say("skipped: the page in a browser: chromium and chromedriver are not installed");
        return;
    }
    let done = Browser::start(name).and_then(|browser| test(&browser));
    if let Err(failed) = done {
        panic!("{name}: {failed}");
    }
}
