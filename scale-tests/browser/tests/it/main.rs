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
fn with_browser(name: &str, test: impl AsyncFnOnce(&Browser) -> Result<(), Failed>) {
    if !is_here() {
        say("skipped: the page in a browser: chromium and chromedriver are not installed");
        return;
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let done = runtime.map_err(Failed::from).and_then(|runtime| {
        runtime.block_on(async {
            let browser = Browser::start(name).await?;
            let done = test(&browser).await;
            browser.end().await?;
            done
        })
    });
    if let Err(failed) = done {
        panic!("{name}: {failed}");
    }
}
