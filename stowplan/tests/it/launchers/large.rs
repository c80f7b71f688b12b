//! Jobs of a million ranks.

use std::fmt;
use stowplan::job::args::map_args;
use stowplan::job::outside::FilesAlone;
use stowplan::job::place::place;
use stowplan::launchers::export::{Dialect, export};
use stowplan_engine::plan::Plan;
use stowplan_engine::stage::resolve::NoFiles;

fn plan(words: &[&str]) -> Plan {
    let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
    let asked = map_args(&words).unwrap();
    place(asked, &FilesAlone(&NoFiles)).unwrap().mapped.plan
}

/// Counts what is written and keeps its beginning.
#[derive(Default)]
struct Counted(usize, String);

impl fmt::Write for Counted {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 += text.len();
        if self.1.len() < 1 << 16 {
            self.1.push_str(text);
        }
        Ok(())
    }
}

#[test]
fn a_regular_million_needs_no_file() {
    let topology = ["--topo", "package:2 core:32 pu:1", "-H", "n[0-16383]:64"];
    for (map, layout, task_map) in [
        ("core", "plane=64", "[[0,16384,64,1]]"),
        ("node", "cyclic", "[[0,16384,1,64]]"),
    ] {
        let mut words = topology.to_vec();
        words.extend(["--map-by", map, "--bind-to", "core", "./x"]);
        let plan = plan(&words);
        assert_eq!(plan.ranks(), 1 << 20);
        let mut text = Counted::default();
        export(&plan, Dialect::Srun)
            .unwrap()
            .write_to(&mut text)
            .unwrap();
        assert!(text.0 < 4096 && !text.1.contains("mktemp"), "{}", text.1);
        let call =
            format!("-N16384 -w 'n[0-16383]' -n1048576 -m {layout} --cpu-bind=mask_cpu:0x1,0x2,");
        assert!(text.1.contains(&call), "{}", text.1);
        let mut text = Counted::default();
        export(&plan, Dialect::Flux)
            .unwrap()
            .write_to(&mut text)
            .unwrap();
        assert!(
            text.1.contains(&format!("manual:{task_map}")) && !text.1.contains("mktemp"),
            "{}",
            text.1
        );
        let mut text = String::new();
        let said = export(&plan, Dialect::Hydra).unwrap();
        said.write_to(&mut text).unwrap();
        let given = crate::launchers::given::read(&text);
        let slots = if map == "core" { 64 } else { 1 };
        let mut hosts = given.files[&given.words[1]].lines();
        assert!(hosts.all(|line| line.ends_with(&format!(":{slots}"))));
        let words = given.words;
        assert_eq!(words[2], "-bind-to", "rounds of slots need no rank map");
        assert!(words[3].starts_with("user:0,1,2,") && words[3].ends_with(",63"));
    }
}
