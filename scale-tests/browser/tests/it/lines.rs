//! Lines: of each launcher, wrong ones, those of files, and those of links.

use crate::with_browser;
use stowplan_browser_tests::Browser;

const MACHINE: &str = "--topo 'package:2 core:8 pu:2' -H 'n[0-3]:16'";

/// A line of each launcher: its words behind those of the machine, and the name that the answer gives.
const LAUNCHERS: &[(&str, &str)] = &[
    ("-n 16 ./app", "prte"),
    ("mpirun -n 16 --map-by package ./app", "prte"),
    ("srun -N4 -n16 -c2 ./app", "slurm"),
    ("mpiexec.hydra -n 16 -ppn 4 ./app", "hydra"),
    ("flux run -N4 -n16 ./app", "flux"),
    ("aprun -n 16 -N 4 ./app", "aprun"),
    ("jsrun -n 16 -a 1 -c 2 ./app", "jsrun"),
];

#[test]
fn a_line_of_each_launcher_is_typed_and_shown() {
    with_browser("launchers", |browser: &Browser| {
        for (words, name) in LAUNCHERS {
            browser
                .line(&format!("{MACHINE} {words}"), "16 ranks on ")
                .map_err(|failed| format!("{words}: {failed}"))?;
            // The line before had as many ranks.
            browser.until(&format!(
                "return document.querySelector('#summary').textContent.includes('rules of {name}')"
            ))?;
            browser
                .until("return document.querySelectorAll('#panel svg [data-rank]').length > 0")?;
        }
        Ok(())
    });
}

#[test]
fn a_wrong_word_has_a_caret_and_its_remedy_is_a_button() {
    with_browser("wrong", |browser: &Browser| {
        let line = format!("{MACHINE} -n 16 --map-by coer ./app");
        browser.line(&line, "refused")?;
        let told = browser.told("return document.querySelector('#refused').textContent")?;
        let told = told.as_str().unwrap_or("").to_owned();
        let lines: Vec<&str> = told.lines().collect();
        let caret = lines[2].find('^').ok_or("no caret")?;
        assert_eq!(&lines[1][caret..caret + 4], "coer", "{told}");
        assert_eq!(lines[2].trim(), "^^^^", "{told}");
        browser.click("#remedies button")?;
        browser
            .until("return document.querySelector('#summary').textContent.startsWith('16 ranks') && document.querySelector('#refused').hidden")
            ?;
        let line = browser.told("return document.querySelector('#line').value")?;
        assert!(
            line.as_str()
                .is_some_and(|line| line.contains("--map-by core")),
            "{line}"
        );
        Ok(())
    });
}

/// Two packages of two cores, as lstopo writes them.
const XML: &str = include_str!("two-packages.xml");

#[test]
fn a_topology_is_dropped_and_a_link_holds_it() {
    with_browser("dropped", |browser: &Browser| {
        // Without a topology.
        browser.line("-H a:4 -n 4 --bind-to core ./app", "refused")?;
        let drop = format!(
            "const held = new DataTransfer(); held.items.add(new File([{}], 'node.xml'));
             document.dispatchEvent(new DragEvent('drop', {{dataTransfer: held, bubbles: true, cancelable: true}}));",
            serde_json::json!(XML)
        );
        browser.told(&drop)?;
        browser
            .until("return document.querySelector('#line').value.includes('--topo node.xml') && document.querySelector('#summary').textContent.startsWith('4 ranks on 1 node')")
            ?;
        browser
            .until("return document.querySelector('#panel svg')?.textContent.includes('package 1') === true")
            ?;
        let form = browser.told("return document.querySelector('#topo').value")?;
        assert_eq!(form, "node.xml", "the form says what the line says");
        browser.typed(
            "#other",
            "--topo node.xml -H a:4 -n 4 --map-by package ./app",
        )?;
        browser
            .until("return document.querySelector('#panel svg')?.textContent.includes('before') === true && location.hash.length > 100")
            ?;
        // The address is written a moment after the last key.
        std::thread::sleep(std::time::Duration::from_millis(400));
        let all = "return [location.hash, document.querySelector('#line').value, document.querySelector('#other').value, document.querySelector('#panel').innerHTML]";
        let before = browser.told(all)?;
        let hash = before[0].as_str().unwrap_or("").to_owned();
        browser.open(&hash)?;
        let after = browser.told(all)?;
        assert_eq!(before, after, "a link opened anew");
        Ok(())
    });
}

#[test]
fn a_form_edits_the_line() {
    with_browser("form", |browser: &Browser| {
        browser.line(&format!("{MACHINE} -n 16 ./app"), "16 ranks")?;
        browser.typed("#np", "8")?;
        browser
            .until("return document.querySelector('#summary').textContent.startsWith('8 ranks')")?;
        browser.typed("#bind", "package")?;
        browser.until("return document.querySelector('#line').value.includes('--bind-to package')")
    });
}
