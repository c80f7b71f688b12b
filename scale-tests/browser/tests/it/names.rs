//! Names that would be code, were the page careless.

use crate::with_browser;
use serde_json::json;
use stowplan_browser_tests::Browser;

const CODE: &str = "<img src=x onerror=\"window.ran=1\"><script>window.ran=1</script>";

/// A topology whose names are code, as lstopo would write them.
fn topology() -> String {
    let name = CODE
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('"', "&quot;");
    include_str!("two-packages.xml").replace(
        "HostName\" value=\"node\"",
        &format!("HostName\" value=\"{name}\""),
    )
}

/// Nothing ran, and nothing that would run is in the page.
const CLEAN: &str = "const all = [...document.querySelectorAll('#asking *, #shown *')];
return window.ran === undefined && !all.some(element => ['IMG', 'SCRIPT', 'IFRAME', 'OBJECT', 'A', 'FOREIGNOBJECT'].includes(element.tagName.toUpperCase())
  || [...element.attributes].some(attribute => attribute.name.startsWith('on') || /^javascript:/i.test(attribute.value)))";

#[test]
fn names_run_nothing() {
    with_browser("names", |browser: &Browser| {
        let state = |line: String, other: &str| {
            json!({"line": line, "other": other, "files": {
                "node.xml": topology(),
                "hosts": format!("{} slots=4\na slots=4\n", CODE.replace(' ', "")),
                CODE: "a slots=4",
            }})
        };
        let quoted = format!("'{CODE}'");
        for (line, other) in [
            (format!("--topo node.xml -H a:4 -n 4 {quoted} {quoted}"), ""),
            (
                format!("--topo node.xml --hostfile hosts -n 4 {quoted}"),
                "",
            ),
            (format!("--topo node.xml -H {quoted}:4 -n 4 ./a"), ""),
            (format!("--topo {quoted} -H a:4 -n 4 ./a"), ""),
            (
                format!("--topo node.xml -H a:4 -n 4 --map-by {quoted} ./a"),
                "",
            ),
            (format!("--topo node.xml -H a:4 -n 4 -x {quoted}=1 ./a"), ""),
            (
                format!("--topo node.xml -H a:4 -n 2 {quoted}"),
                "--topo node.xml -H a:4 -n 4 '<script>window.ran=1</script>'",
            ),
        ] {
            // As the page writes it, so that a link from a stranger is what is tried.
            let link = format!(
                "const done = arguments[0]; const bytes = new TextEncoder().encode({});
                 new Response(new Blob([bytes]).stream().pipeThrough(new CompressionStream('deflate-raw'))).arrayBuffer().then(packed => done('#' + btoa(String.fromCharCode(...new Uint8Array(packed))).replaceAll('+', '-').replaceAll('/', '_')))",
                json!(state(line.clone(), other).to_string())
            );
            let link = browser.told_later(&link)?;
            browser.open(link.as_str().unwrap_or(""))?;
            for tab in [
                "picture",
                "table",
                "why",
                "score",
                "threads",
                "launchers",
                "diff",
            ] {
                browser.click(&format!("#tab-{tab}"))?;
                browser
                    .until(&format!("return document.querySelector('#tab-{tab}').getAttribute('aria-selected') === 'true'"))
                    ?;
                browser
                    .until(CLEAN)
                    .map_err(|failed| format!("{line} {tab}: {failed}"))?;
            }
        }
        Ok(())
    });
}

#[test]
fn a_link_that_is_none_shows_the_first_line() {
    with_browser("links", |browser: &Browser| {
        for state in [
            "{\"tab\":\"constructor\"}",
            "{\"line\":7,\"files\":[1]}",
            "null",
            "[]",
            "nothing",
        ] {
            let link = format!(
                "const done = arguments[0]; new Response(new Blob([{}]).stream().pipeThrough(new CompressionStream('deflate-raw'))).arrayBuffer().then(packed => done('#' + btoa(String.fromCharCode(...new Uint8Array(packed))).replaceAll('+', '-').replaceAll('/', '_')))",
                json!(state)
            );
            let link = browser.told_later(&link)?;
            browser.open(link.as_str().unwrap_or(""))?;
            browser
                .until("return document.querySelector('#summary').textContent.startsWith('32 ranks on 4 nodes') && document.querySelector('#panel svg') !== null")
                .map_err(|failed| format!("{state}: {failed}"))?;
        }
        Ok(())
    });
}
