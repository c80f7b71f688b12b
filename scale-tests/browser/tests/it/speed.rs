//! How long a key takes, from the key to the picture.

use crate::{say, with_browser};
use stowplan_browser_tests::{Browser, Failed};

/// Types one more and one less digit many times, and gives the median of milliseconds from a key to the new picture.
fn key(browser: &Browser, nodes: &str, ranks: &str) -> Result<f64, Failed> {
    let line =
        format!("--topo 'package:2 core:8 pu:2' -H '{nodes}:16' -n {ranks} --map-by node ./app");
    browser.line(&line, &format!("{ranks} ranks"))?;
    let found = browser
        .told_later(
            "const done = arguments[0], line = document.querySelector('#line'), panel = document.querySelector('#panel');
             const whole = line.value, less = whole.replace(/-n (\\d+)\\d /, '-n $1 ');
             const once = text => new Promise(shown => {
               const seen = new MutationObserver(() => { seen.disconnect(); requestAnimationFrame(() => shown(performance.now() - from)); });
               seen.observe(panel, {childList: true});
               const from = performance.now();
               line.value = text;
               line.dispatchEvent(new Event('input', {bubbles: true}));
             });
             (async () => {
               const times = [];
               for (let at = 0; at < 11; at++) times.push(await once(at % 2 ? whole : less));
               times.sort((one, next) => one - next);
               done(times[5]);
             })();",
        )
        ?;
    found.as_f64().ok_or_else(|| "no time".into())
}

#[test]
fn a_key_takes_as_long_for_many_nodes_as_for_few() {
    with_browser("speed", |browser: &Browser| {
        let few = key(browser, "n[0-9]", "160")?;
        let many = key(browser, "n[0-99999]", "1600000")?;
        say(&format!(
            "from a key to the picture: {few:.0} ms for 10 nodes, {many:.0} ms for 100,000 nodes and 1,600,000 ranks"
        ));
        assert!(many < 10.0 * few.max(10.0), "{few:.0} ms, {many:.0} ms");
        Ok(())
    });
}
