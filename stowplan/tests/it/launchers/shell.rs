//! A shell runs the scripts, and a stand-in launcher records what it is given.

use crate::launchers::given::{self, OWN};
use crate::launchers::random::Random;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use stowplan::launchers::export::{Dialect, export};

/// Records words, variables and files, then ends with a status of its own.
const RECORDER: &str = r#"#!/bin/sh
for word in "$@"; do printf '%s\0' "$word"; done >"$RECORD/words"
env >"$RECORD/variables"
for file in ./stowplan.*/*; do [ ! -f "$file" ] || cp "$file" "$RECORD/file.${file##*/}"; done
cat >"$RECORD/input"
exit 7
"#;

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("stowplan-launchers-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }
    fn launcher(&self, text: &str) -> PathBuf {
        let path = self.0.join("launcher");
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn directories(path: &Path) -> usize {
    let all = fs::read_dir(path).unwrap();
    all.filter(|entry| {
        entry
            .as_ref()
            .unwrap()
            .file_name()
            .to_string_lossy()
            .starts_with("stowplan.")
    })
    .count()
}

#[test]
fn a_shell_gives_what_the_script_says() {
    let folder = Folder::new("gives");
    let launcher = folder.launcher(RECORDER);
    let record = folder.0.join("record");
    fs::create_dir_all(&record).unwrap();
    fs::write(folder.0.join("stdin"), "asked\n").unwrap();
    let mut ran = 0;
    for seed in 0..40 {
        let (_, plan) = Random::new(seed).plan();
        for dialect in Dialect::ALL.into_iter().filter(|dialect| dialect.starts()) {
            let mut script = String::new();
            let Ok(said) = export(&plan, dialect) else {
                continue;
            };
            said.write_to(&mut script).unwrap();
            let path = folder.0.join("run.sh");
            fs::write(&path, &script).unwrap();
            let input = fs::File::open(folder.0.join("stdin")).unwrap();
            let status = Command::new("sh")
                .arg(&path)
                .arg(OWN)
                .current_dir(&folder.0)
                .env("STOWPLAN_LAUNCHER", &launcher)
                .env("RECORD", &record)
                .env_remove("STOWPLAN_DIR")
                .stdin(input)
                .status()
                .unwrap();
            assert_eq!(status.code(), Some(7), "the launcher's status: {script}");
            assert_eq!(directories(&folder.0), 0, "{script}");
            let mut expected = given::read(&script);
            let words = fs::read_to_string(record.join("words")).unwrap();
            let words: Vec<String> = words.split_terminator('\0').map(str::to_owned).collect();
            let plain = |word: &String| {
                word.find("./stowplan.").map_or_else(
                    || word.clone(),
                    |at| {
                        let behind = &word[at + "./stowplan.XXXXXX".len()..];
                        format!("{}{}{behind}", &word[..at], given::DIRECTORY)
                    },
                )
            };
            assert_eq!(
                words.iter().map(plain).collect::<Vec<_>>(),
                expected.words,
                "{script}"
            );
            assert_eq!(fs::read_to_string(record.join("input")).unwrap(), "asked\n");
            for (path, body) in std::mem::take(&mut expected.files) {
                let copy = record.join(format!("file.{}", path.rsplit('/').next().unwrap()));
                assert_eq!(fs::read_to_string(&copy).unwrap(), body);
                fs::remove_file(copy).unwrap();
            }
            ran += 1;
        }
    }
    assert!(ran > 100, "{ran} scripts");
}

fn with_files() -> String {
    let mut seed = 0;
    loop {
        let (_, plan) = Random::new(seed).plan();
        let mut script = String::new();
        if let Ok(said) = export(&plan, Dialect::Hydra) {
            said.write_to(&mut script).unwrap();
            return script;
        }
        seed += 1;
    }
}

#[test]
fn a_signal_ends_the_launcher_and_takes_the_files_away() {
    let folder = Folder::new("signal");
    let launcher = folder.launcher("#!/bin/sh\nexec sleep 60\n");
    fs::write(folder.0.join("run.sh"), with_files()).unwrap();
    let began = Instant::now();
    for signal in ["TERM", "INT", "HUP"] {
        // The process that started the tests may ignore some signals, and a shell cannot trap a signal that was ignored when it started.
        let mut script = Command::new("env")
            .args(["--default-signal=TERM,INT,HUP", "sh", "run.sh"])
            .current_dir(&folder.0)
            .env("STOWPLAN_LAUNCHER", &launcher)
            .env_remove("STOWPLAN_DIR")
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        while directories(&folder.0) == 0 {
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(200));
        let id = script.id().to_string();
        Command::new("kill")
            .args(["-s", signal, &id])
            .status()
            .unwrap();
        assert!(script.wait().unwrap().code().is_some_and(|code| code > 128));
        assert_eq!(directories(&folder.0), 0);
    }
    assert!(began.elapsed() < Duration::from_secs(30));
}

#[test]
fn a_named_directory_is_made_and_kept() {
    let folder = Folder::new("kept");
    let launcher = folder.launcher("#!/bin/sh\nexit 0\n");
    fs::write(folder.0.join("run.sh"), with_files()).unwrap();
    let status = Command::new("sh")
        .arg("run.sh")
        .current_dir(&folder.0)
        .env("STOWPLAN_LAUNCHER", &launcher)
        .env("STOWPLAN_DIR", "a/b c")
        .stdin(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success());
    assert!(folder.0.join("a/b c/hosts").is_file());
    assert_eq!(directories(&folder.0), 0);
}
