//! A thousand jobs over the socket, with the manager killed three times between them: nothing that was answered is lost, no cpu is
//! given twice, and every job ends.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

const JOBS: u64 = 1000;

struct Served {
    child: Child,
    lines: BufReader<TcpStream>,
}

impl Served {
    fn start(log: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_stowplan-manager"))
            .arg(log)
            .args(["package:2 core:8 pu:1", "n[0-7]:16"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut address = String::new();
        let out = child.stdout.take().expect("it is piped");
        BufReader::new(out)
            .read_line(&mut address)
            .expect("it says where it listens");
        let stream = TcpStream::connect(address.trim()).expect("it listens");
        Self {
            child,
            lines: BufReader::new(stream),
        }
    }

    fn ask(&mut self, line: &str) -> String {
        let whole = format!("{line}\n");
        let stream = self.lines.get_mut();
        stream.write_all(whole.as_bytes()).expect("it reads");
        let mut answer = String::new();
        self.lines.read_line(&mut answer).expect("it answers");
        answer.trim_end().to_owned()
    }

    fn kill(mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ended");
    }
}

/// The places of each job that an answer says is placed.
fn placed(answer: &str) -> BTreeMap<u64, Vec<String>> {
    let parts = answer.split("; ").filter_map(|part| {
        let (number, places) = part.strip_prefix("job ")?.split_once(" placed ")?;
        let places = places.split(' ').map(str::to_owned).collect();
        Some((number.parse().ok()?, places))
    });
    parts.collect()
}

#[test]
fn a_thousand_jobs_and_three_kills() {
    let log = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("manager.log");
    let _ = fs::remove_file(&log);
    let mut served = Served::start(&log);
    let mut running: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    let (mut ended, mut seed) = (0_u64, 7_u64);
    let take = |running: &mut BTreeMap<u64, Vec<String>>, answer: &str| {
        running.extend(placed(answer));
        let all: Vec<&String> = running.values().flatten().collect();
        let once: BTreeSet<&&String> = all.iter().collect();
        assert_eq!(all.len(), once.len(), "a core is given once: {answer}");
    };
    for number in 0..JOBS {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let procs = (seed >> 33) % 24 + 1;
        let answer = served.ask(&format!(
            "submit -n {procs} --map-by core --bind-to core ./job{number}"
        ));
        assert!(answer.starts_with(&format!("job {number} ")), "{answer}");
        take(&mut running, &answer);
        if (seed >> 20) % 3 > 0 || running.len() > 12 {
            let oldest = *running.keys().next().expect("one runs");
            let answer = served.ask(&format!("end {oldest}"));
            assert!(
                answer.starts_with(&format!("job {oldest} ended")),
                "{answer}"
            );
            running.remove(&oldest);
            ended += 1;
            take(&mut running, &answer);
        }
        if [200, 500, 800].contains(&number) {
            let before = served.ask("state");
            served.kill();
            // A line that was cut off was never answered.
            let mut file = fs::OpenOptions::new()
                .append(true)
                .open(&log)
                .expect("it is there");
            file.write_all(b"submit -n 3 ./hal").expect("written");
            served = Served::start(&log);
            assert_eq!(served.ask("state"), before);
        }
    }
    while let Some(&oldest) = running.keys().next() {
        let answer = served.ask(&format!("end {oldest}"));
        running.remove(&oldest);
        ended += 1;
        take(&mut running, &answer);
    }
    assert_eq!(ended, JOBS);
    assert_eq!(
        served.ask("state"),
        format!("running 0 waiting 0 ended {JOBS}")
    );
    assert_eq!(served.ask("end 3"), "no-such-job");
    assert!(
        served
            .ask("submit --map-by croe ./x")
            .starts_with("refused bad-directive: ")
    );
    assert!(served.ask("hello").starts_with("refused "));
    served.kill();
}
