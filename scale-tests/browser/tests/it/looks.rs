//! How the page is used without a mouse, on a narrow screen, and by those who do not see it.

use crate::{say, with_browser};
use fantoccini::key::Key;
use serde_json::Value;
use stowplan_browser_tests::{Browser, Failed};

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
    with_browser("keys", async |browser: &Browser| {
        browser.line(LINE, "16 ranks").await?;
        let active = "return document.activeElement.id || document.activeElement.className";
        let mut reached = Vec::new();
        for _ in 0..40 {
            browser.press(Key::Tab).await?;
            let name = browser
                .told(active)
                .await?
                .as_str()
                .unwrap_or("")
                .to_owned();
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
            browser.press(key).await?;
            browser
                .until(&format!("return document.activeElement.id === 'tab-{tab}' && document.querySelector('#tab-{tab}').getAttribute('aria-selected') === 'true'"))
                .await?;
        }
        // From the tab into the rows, and with Enter to why the first rank is where it is.
        browser
            .until("return document.querySelectorAll('.rows [role=row][data-rank]').length > 0")
            .await?;
        for _ in 0..3 {
            browser.press(Key::Tab).await?;
            if browser.told(active).await? == "rows" {
                break;
            }
        }
        assert_eq!(browser.told(active).await?, "rows");
        browser.press(Key::Down).await?;
        browser.press(Key::Enter).await?;
        browser
            .until("return document.querySelector('#panel').textContent.includes('rank 1 on n0')")
            .await
    });
}

#[test]
fn a_narrow_screen_shows_all() {
    with_browser("narrow", async |browser: &Browser| {
        browser.line(LINE, "16 ranks").await?;
        browser.client.set_window_size(400, 800).await?;
        browser.until("return innerWidth === 400").await?;
        for tab in TABS {
            browser.click(&format!("#tab-{tab}")).await?;
            browser
                .until("return document.querySelector('#panel').children.length > 0")
                .await?;
            browser
                .until("return document.documentElement.scrollWidth <= innerWidth")
                .await
                .map_err(|failed| format!("{tab} is wider than the screen: {failed}"))?;
        }
        Ok(())
    });
}

/// Faults that axe-core calls serious or critical.
async fn serious(browser: &Browser, axe: &str) -> Result<Vec<Value>, Failed> {
    browser.told(axe).await?;
    let found = browser
        .told_later("const done = arguments[0]; axe.run().then(found => done(found.violations.map(fault => [fault.impact, fault.id, fault.nodes.map(node => node.html).slice(0, 3)])))")
        .await?;
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
    with_browser("axe", async |browser: &Browser| {
        let mut axe = std::fs::read_to_string(&axe)?;
        axe.push_str("\nwindow.axe = window.axe ?? axe;");
        browser.line(LINE, "16 ranks").await?;
        for tab in TABS {
            browser.click(&format!("#tab-{tab}")).await?;
            browser
                .until("return document.querySelector('#panel').children.length > 0")
                .await?;
            let faults = serious(browser, &axe).await?;
            assert!(faults.is_empty(), "{tab}: {faults:?}");
        }
        browser.line("-n 16 --map-by coer ./app", "refused").await?;
        let faults = serious(browser, &axe).await?;
        assert!(faults.is_empty(), "refused: {faults:?}");
        Ok(())
    });
}
