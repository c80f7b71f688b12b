//! How the page is used without a mouse, on a narrow screen, and by those who do not see it.

use crate::{say, with_browser};
use serde_json::Value;
use stowplan_browser_tests::{Browser, Failed, Key};

const LINE: &str = "--topo 'package:2 core:8 pu:2' -H 'n[0-3]:16' -n 16 ./app";

const TABS: [&str; 7] = [
    "picture",
    "table",
    "why",
    "score",
    "threads",
    "launchers",
    "diff",
];

#[test]
fn keys_alone_reach_everything() {
    with_browser("keys", |browser: &Browser| {
        browser.line(LINE, "16 ranks")?;
        let active = "return document.activeElement.id || document.activeElement.className";
        let mut reached = Vec::new();
        for _ in 0..40 {
            browser.press(Key::Tab)?;
            let name = browser.told(active)?.as_str().unwrap_or("").to_owned();
            if name == "tab-picture" {
                reached.push(name);
                break;
            }
            reached.push(name);
        }
        for wanted in [
            "topo",
            "hosts",
            "np",
            "map",
            "bind",
            "file",
            "other",
            "saved",
            "save",
            "tab-picture",
        ] {
            assert!(
                reached.iter().any(|name| name == wanted),
                "{wanted}: {reached:?}"
            );
        }
        for (key, tab) in [
            (Key::Right, "table"),
            (Key::Right, "why"),
            (Key::Left, "table"),
        ] {
            browser.press(key)?;
            browser
                .until(&format!("return document.activeElement.id === 'tab-{tab}' && document.querySelector('#tab-{tab}').getAttribute('aria-selected') === 'true'"))
                ?;
        }
        // From the tab into the rows, and with Enter to why the first rank is where it is.
        browser
            .until("return document.querySelectorAll('.rows [role=row][data-rank]').length > 0")?;
        for _ in 0..3 {
            browser.press(Key::Tab)?;
            if browser.told(active)? == "rows" {
                break;
            }
        }
        assert_eq!(browser.told(active)?, "rows");
        browser.press(Key::Down)?;
        browser.press(Key::Enter)?;
        browser
            .until("return document.querySelector('#panel').textContent.includes('rank 1 on n0')")
    });
}

#[test]
fn a_narrow_screen_shows_all() {
    with_browser("narrow", |browser: &Browser| {
        browser.line(LINE, "16 ranks")?;
        browser.driver.resize(400, 800)?;
        browser.until("return innerWidth === 400")?;
        for tab in TABS {
            browser.click(&format!("#tab-{tab}"))?;
            browser.until("return document.querySelector('#panel').children.length > 0")?;
            browser
                .until("return document.documentElement.scrollWidth <= innerWidth")
                .map_err(|failed| format!("{tab} is wider than the screen: {failed}"))?;
        }
        Ok(())
    });
}

/// Faults that axe-core calls serious or critical.
fn serious(browser: &Browser, axe: &str) -> Result<Vec<Value>, Failed> {
    browser.told(axe)?;
    let found = browser
        .told_later("const done = arguments[0]; axe.run().then(found => done(found.violations.map(fault => [fault.impact, fault.id, fault.nodes.map(node => node.html).slice(0, 3)])))")
        ?;
    let faults = found.as_array().cloned().unwrap_or_default();
    let grave = |fault: &Value| fault[0] == "serious" || fault[0] == "critical";
    Ok(faults.into_iter().filter(grave).collect())
}

#[test]
fn axe_finds_nothing_serious() {
    let Some(axe) = std::env::var_os("STOWPLAN_AXE") else {
        say("skipped: axe-core on the page: STOWPLAN_AXE names no axe.min.js");
        return;
    };
    with_browser("axe", |browser: &Browser| {
        let mut axe = std::fs::read_to_string(&axe)?;
        axe.push_str("\nwindow.axe = window.axe ?? axe;");
        browser.line(LINE, "16 ranks")?;
        for tab in TABS {
            browser.click(&format!("#tab-{tab}"))?;
            browser.until("return document.querySelector('#panel').children.length > 0")?;
            let faults = serious(browser, &axe)?;
            assert!(faults.is_empty(), "{tab}: {faults:?}");
        }
        browser.line("-n 16 --map-by coer ./app", "refused")?;
        let faults = serious(browser, &axe)?;
        assert!(faults.is_empty(), "refused: {faults:?}");
        Ok(())
    });
}
