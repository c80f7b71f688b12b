//! The views of an answer, and what is saved.

use crate::with_browser;
use stowplan_browser_tests::Browser;

const LINE: &str = "--topo 'package:2 core:8 pu:2' -H 'n[0-3]:16' -n 16 ./app";

#[test]
fn a_click_on_a_rank_explains_it_and_a_second_line_is_compared() {
    with_browser("views", |browser: &Browser| {
        browser.line(LINE, "16 ranks")?;
        browser.until("return document.querySelector('#panel svg [data-rank=\"3\"]') !== null")?;
        browser.click("#panel svg [data-rank=\"3\"]")?;
        browser.until(
            "return document.querySelector('#panel').textContent.includes('rank 3 on n0')",
        )?;
        browser.typed("#other", &LINE.replace("./app", "--map-by node ./app"))?;
        browser.click("#tab-diff")?;
        browser
            .until("return /rank.*n0.*n[123]/s.test(document.querySelector('#panel pre')?.textContent ?? '')")
            ?;
        browser.click("#tab-picture")?;
        browser.until("return document.querySelectorAll('#panel svg .moved').length > 0")?;
        browser.click("#tab-launchers")?;
        browser
            .until("return [...document.querySelectorAll('#panel pre')].some(text => text.textContent.includes('srun'))")
    });
}

#[test]
fn a_million_rows_scroll() {
    with_browser("table", |browser: &Browser| {
        let line = "--topo 'package:2 core:8 pu:2' -H 'n[0-62499]:16' -n 1000000 ./app";
        browser.line(line, "1000000 ranks")?;
        browser.click("#tab-table")?;
        let last = "const rows = [...document.querySelectorAll('.rows [data-row]')].map(row => Number(row.dataset.row));";
        browser.until(&format!("{last} return rows[0] === 0"))?;
        browser.told(
            "const box = document.querySelector('.rows'); box.scrollTop = box.scrollHeight / 2;",
        )?;
        browser.until(&format!("{last} return Math.abs(rows[0] - 500000) < 200"))?;
        browser.told(
            "const box = document.querySelector('.rows'); box.scrollTop = box.scrollHeight;",
        )?;
        browser.until(&format!("{last} return rows.at(-1) === 999999"))?;
        let row = browser
            .told("return document.querySelector('.rows [data-row=\"999999\"]').textContent")?;
        assert!(
            row.as_str()
                .is_some_and(|row| row.contains("999999") && row.contains("n62499")),
            "{row}"
        );
        let count = browser.told("return document.querySelectorAll('.rows [data-row]').length")?;
        assert!(
            count.as_u64().is_some_and(|count| count < 100),
            "{count} rows are in the page"
        );
        Ok(())
    });
}

/// The width and height that a PNG's head tells.
fn size(png: &[u8]) -> (u32, u32) {
    let number = |at: usize| {
        png[at..at + 4]
            .iter()
            .fold(0, |sum, &byte| sum << 8 | u32::from(byte))
    };
    (number(16), number(20))
}

#[test]
fn pictures_and_tables_are_saved() {
    with_browser("saved", |browser: &Browser| {
        browser.line(LINE, "16 ranks")?;
        browser.until("return document.querySelector('#panel svg') !== null")?;
        for (kind, name) in [
            ("plan", "plan.json"),
            ("svg", "plan.svg"),
            ("png", "plan.png"),
            ("tsv", "plan.tsv"),
        ] {
            browser.told(&format!(
                "document.querySelector('#saved').value = '{kind}'"
            ))?;
            browser.click("#save")?;
            let bytes = browser.saved(name)?;
            match kind {
                "png" => {
                    assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n");
                    let (width, height) = size(&bytes);
                    assert!(width > 1000 && height > 200, "{width} {height}");
                    assert!(bytes.len() > 10_000, "{} bytes are no drawing", bytes.len());
                }
                "svg" => assert!(bytes.starts_with(b"<svg") && bytes.ends_with(b"</svg>\n")),
                "tsv" => assert_eq!(bytes.iter().filter(|&&byte| byte == b'\n').count(), 17),
                _ => assert!(
                    serde_json::from_slice::<serde_json::Value>(&bytes)
                        .is_ok_and(|plan| plan["ranks"] == 16)
                ),
            }
        }
        Ok(())
    });
}
