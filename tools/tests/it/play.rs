//! The page as it is served: over HTTP, by the command itself.

use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

/// A page that is served until the test ends.
struct Page {
    child: Child,
    port: u16,
    prefix: String,
}

impl Page {
    fn new(options: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_stowplan"))
            .args(["page", "--port", "0"])
            .args(options)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let out = child.stdout.take().unwrap();
        BufReader::new(out).read_line(&mut line).unwrap();
        let rest = line.trim_end().strip_prefix("http://127.0.0.1:").unwrap();
        let (port, path) = rest.split_once('/').unwrap();
        let prefix = format!("/{}", path.trim_end_matches('/'));
        Self {
            child,
            port: port.parse().unwrap(),
            prefix: prefix.trim_end_matches('/').to_owned(),
        }
    }

    /// Status, head and body.
    fn ask(&self, method: &str, path: &str, kind: &str, body: &str) -> (u16, String, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n",
            body.len()
        )
        .unwrap();
        // A server that refuses a long body does not read it.
        let _ = stream.write_all(body.as_bytes());
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|word| word.parse().ok());
        (status.unwrap_or(0), head.to_owned(), body.to_owned())
    }

    fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let path = format!("{}{path}", self.prefix);
        let (status, _, text) = self.ask("POST", &path, "application/json", &body.to_string());
        (status, serde_json::from_str(&text).unwrap_or(Value::Null))
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const JOB: &str = "--topo 'package:2 core:4 pu:2' -H a:8,b:8 -n 16 ./app";

#[test]
fn a_line_is_answered_and_a_wrong_word_has_its_place() {
    let page = Page::new(&[]);
    let (status, said) = page.post("/v1/map", &json!({"id": 7, "line": JOB}));
    assert_eq!(
        (status, &said["plan"]["ranks"], &said["id"]),
        (200, &json!(16), &json!(7)),
        "{said}"
    );
    let (status, said) = page.post(
        "/v1/map",
        &json!({"line": JOB, "format": "tsv", "ranks": "3"}),
    );
    assert_eq!(status, 200, "{said}");
    assert_eq!(said["text"].as_str().unwrap().lines().count(), 2);
    let wrong = JOB.replace("-n 16", "-n 16 --map-by coer");
    let (status, said) = page.post("/v1/map", &json!({"line": wrong}));
    let error = &said["error"];
    assert_eq!((status, &error["class"]), (422, &json!("bad-directive")));
    let at = |name: &str| usize::try_from(error["at"][0][name].as_u64().unwrap()).unwrap();
    assert_eq!(&wrong[at("start")..at("end")], "coer");
    let mended = error["remedies"][0]["line"].as_str().unwrap();
    assert_eq!(
        page.post("/v1/map", &json!({"line": mended})).0,
        200,
        "{mended}"
    );
    let (status, said) = page.post("/v1/map", &json!({"line": JOB.replace(":8", "")}));
    assert_eq!(
        (status, &said["error"]["class"]),
        (422, &json!("not-enough-slots"))
    );
    for remedy in said["error"]["remedies"].as_array().unwrap() {
        assert_eq!(
            page.post("/v1/map", &json!({"line": remedy["line"]})).0,
            200,
            "{remedy}"
        );
    }
}

#[test]
fn each_path_answers() {
    let page = Page::new(&[]);
    let (status, said) = page.post("/v1/explain", &json!({"line": JOB, "rank": 3}));
    assert_eq!(
        (status, &said["answers"][0]["rank"]),
        (200, &json!(3)),
        "{said}"
    );
    let other =
        format!("{JOB} --map-by node").replace("./app --map-by node", "--map-by node ./app");
    let (status, said) = page.post("/v1/diff", &json!({"line": JOB, "other": other}));
    assert_eq!((status, &said["same"]), (200, &json!(false)), "{said}");
    let (status, said) = page.post("/v1/score", &json!({"line": JOB, "pattern": "ring"}));
    assert_eq!(
        (status, &said["score"]["ranks"]),
        (200, &json!(16)),
        "{said}"
    );
    let (status, said) = page.post("/v1/export", &json!({"line": JOB}));
    assert_eq!(
        (status, said["exports"].as_array().map(Vec::len)),
        (200, Some(9)),
        "{said}"
    );
}

#[test]
fn what_is_no_request_is_refused_and_nothing_of_the_server_is_read() {
    let page = Page::new(&[]);
    let json = "application/json";
    let long = format!("\"{}\"", "x".repeat(1 << 20));
    for (method, path, kind, body, wanted) in [
        ("GET", "/v1/map", json, "", 405),
        ("POST", "/v1/map", "text/plain", "{}", 415),
        ("POST", "/v1/none", json, "{}", 404),
        ("POST", "/v1/map", json, long.as_str(), 413),
        ("POST", "/v1/map", json, "[\"a\"]", 422),
        ("POST", "/v1/map", json, "{\"line\":\"-n 1 'open\"}", 422),
        ("POST", "/v1/map", json, "{\"line\":\"a\",\"lines\":1}", 422),
        ("GET", "/v1/openapi.json", json, "", 200),
        ("GET", "/", json, "", 200),
    ] {
        let (status, head, said) = page.ask(method, path, kind, body);
        assert_eq!(status, wanted, "{method} {path}: {said}");
        assert!(
            head.contains("content-security-policy: default-src 'self'"),
            "{head}"
        );
    }
    for line in [
        "--topo 'core:4 pu:1' --hostfile /etc/hosts -n 1 ./a",
        "--topo /etc/passwd -n 1 ./a",
        "--topo 'core:4 pu:1' -H a --env-here -x PATH ./a",
        "--topo 'core:4 pu:1' -H a -o /tmp/none ./a",
        "--topo 'core:4 pu:1' --session /tmp/none -n 1 ./a",
    ] {
        let (status, said) = page.post("/v1/map", &json!({"line": line}));
        assert_eq!(status, 422, "{line}: {said}");
        assert!(!said.to_string().contains("root:"), "{said}");
    }
    let files = json!({"h": "a slots=2\nb slots=2\n"});
    let line = "--topo 'core:4 pu:1' --hostfile h -n 4 ./a";
    let (status, said) = page.post("/v1/map", &json!({"line": line, "files": files}));
    assert_eq!(
        (status, &said["plan"]["nodes"]["count"]),
        (200, &json!(2)),
        "{said}"
    );
}

#[test]
fn another_address_needs_the_token() {
    let page = Page::new(&["--listen", "127.0.0.1"]);
    assert!(page.prefix.len() > 20);
    assert_eq!(page.ask("GET", "/", "text/plain", "").0, 403);
    assert_eq!(page.post("/v1/map", &json!({"line": JOB})).0, 200);
    assert_eq!(page.post("/v1/map", &json!({"line": "-n 1 ./a"})).0, 422);
}

#[test]
fn a_request_of_a_program_is_placed_and_one_that_panics_is_answered() {
    let page = Page::new(&[]);
    let info = json!({"PMIX_HOST": "a:4"});
    let request = json!({"apps": [{"cmd": "./a", "maxprocs": 4, "info": info}]});
    let line = "--topo 'core:4 pu:1'";
    let (status, said) = page.post("/v1/map", &json!({"line": line, "request": request}));
    assert_eq!((status, &said["plan"]["ranks"]), (200, &json!(4)), "{said}");
    let (status, said) = page.post("/v1/map", &json!({}));
    assert_eq!(
        (status, &said["error"]["class"]),
        (422, &json!("bad-request"))
    );
    for _ in 0..12 {
        let (status, said) = page.post("/v1/map", &json!({"line": "panic-for-a-test"}));
        assert_eq!((status, &said["error"]["class"]), (422, &json!("internal")));
    }
    assert_eq!(page.post("/v1/map", &json!({"line": JOB})).0, 200);
    let dark = page.post(
        "/v1/map",
        &json!({"line": JOB, "format": "svg", "dark": true, "size": "16:9"}),
    );
    assert_eq!(dark.0, 200, "{}", dark.1);
    let svg = dark.1["text"].as_str().unwrap();
    assert!(svg.contains("#14171c") && svg.contains(">--topo"), "{svg}");
}

/// Each door to what the server's machine has.
#[test]
fn no_door_leads_to_the_machine_of_the_server() {
    let page = Page::new(&[]);
    let job = "--topo 'core:4 pu:1' -H a:4";
    for line in [
        "--topo /etc/passwd -H a ./a".to_owned(),
        "--topo a=/etc/passwd -H a ./a".to_owned(),
        format!("{job} --hostfile /etc/passwd ./a"),
        format!("{job} --default-hostfile /etc/passwd ./a"),
        format!("{job} --map-by rankfile:file=/etc/passwd ./a"),
        format!("{job} --map-by seq:file=/etc/passwd ./a"),
        format!("{job} --network /etc/passwd ./a"),
        format!("{job} --script /etc/passwd"),
        "--script /etc/passwd".to_owned(),
        "--here ./a".to_owned(),
        format!("{job} --env-file /etc/passwd -x A ./a"),
        format!("{job} --env-here -x PATH ./a"),
        format!("{job} --from-env PATH ./a"),
        format!("{job} --lsf-affinity /etc/passwd ./a"),
        format!("{job} --session /etc/passwd ./a"),
        format!("{job} --rank-order /etc/passwd ./a"),
        format!("{job} --taskmap /etc/passwd ./a"),
        format!("{job} --save /tmp/x ./a"),
        format!("{job} -o /tmp/x ./a"),
        format!("{job} srun --multi-prog /etc/passwd"),
        format!("{job} mpiexec.hydra -configfile /etc/passwd"),
        format!("{job} mpirun --app /etc/passwd"),
        format!("{job} jsrun --erf_input /etc/passwd ./a"),
    ] {
        for (path, body) in [
            ("/v1/map", json!({"line": line})),
            ("/v1/explain", json!({"line": line})),
            ("/v1/export", json!({"line": line})),
            ("/v1/score", json!({"line": line, "pattern": "ring"})),
            ("/v1/diff", json!({"line": line, "other": line})),
        ] {
            let (status, said) = page.post(path, &body);
            // A word that names a program or a file of ours is not read either.
            let reads = !line.contains("--multi-prog") && !line.contains("--app ");
            assert!(
                status == 422 || (status == 200 && !reads),
                "{path} {line}: {said}"
            );
            assert!(!said.to_string().contains("root:"), "{said}");
        }
    }
    let pattern = json!({"line": format!("{job} ./a"), "pattern": "file:/etc/passwd"});
    assert_eq!(page.post("/v1/score", &pattern).0, 422);
}

/// Words of random lines.
const WORDS: &[&str] = &[
    "--topo",
    "builtin:frontier",
    "'core:8 pu:2'",
    "-H",
    "n[0-99]:8",
    "n[0-4294967295]",
    "-n",
    "-1",
    "99999999999",
    "srun",
    "-N4",
    "-c7",
    "mpiexec.hydra",
    "flux",
    "run",
    "'",
    "\"",
    "\\",
    "--map-by",
    "core",
    "ppr:9:node",
    "\u{0}",
    "<script>",
    "$(id)",
    "`id`",
    ":",
    "--",
    "-x",
    "A=B",
    "é",
    "--columns",
    "rank,thread",
    "jsrun",
    "aprun",
    "prterun",
    "--distribution=*:*:*",
    "./a",
    "--network",
    "tree switch:2 node:2 n[0-3]",
    "--cpu-bind=map_cpu:0",
];

/// Requests of random and hostile lines: none is a fault of the server, and its memory stays.
#[test]
fn hostile_lines_are_answered_and_memory_stays() {
    let requests = match std::env::var_os("STOWPLAN_LONG") {
        Some(_) => 10_000,
        None => 1_000,
    };
    let page = Page::new(&[]);
    let status = format!("/proc/{}/status", page.child.id());
    let memory = || -> u64 {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let number = line.and_then(|rest| rest.split_whitespace().next());
        number.and_then(|number| number.parse().ok()).unwrap_or(0)
    };
    let mut random = 7_u64;
    let mut next = |below: usize| {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        usize::try_from(random >> 33).unwrap_or(0) % below
    };
    let mut before = 0;
    for number in 0..requests {
        let line: Vec<&str> = (0..next(14)).map(|_| WORDS[next(WORDS.len())]).collect();
        let path = [
            "/v1/map",
            "/v1/explain",
            "/v1/diff",
            "/v1/score",
            "/v1/export",
        ][next(5)];
        let (status, said) = page.post(path, &json!({"line": line.join(" ")}));
        assert!(
            [200, 422].contains(&status),
            "{path} {line:?}: {status} {said}"
        );
        if number == requests / 4 {
            before = memory();
        }
    }
    let after = memory();
    println!("{requests} requests: {before} kB after a quarter, {after} kB at the end");
    assert!(after <= before + before / 2 + 20_000, "{before} {after}");
}

/// Eight bodies that do not come take all places: the ninth request is told to try again, and after ten seconds all are answered.
#[test]
fn a_ninth_request_is_told_to_try_again_and_slow_bodies_end() {
    let page = Page::new(&[]);
    let slow: Vec<TcpStream> = (0..8)
        .map(|_| {
            let mut stream = TcpStream::connect(("127.0.0.1", page.port)).unwrap();
            let head = "POST /v1/map HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: 90\r\n\r\n{";
            stream.write_all(head.as_bytes()).unwrap();
            stream
        })
        .collect();
    let answered = |wanted: u16| {
        let from = std::time::Instant::now();
        while from.elapsed().as_secs() < 30 {
            let body = json!({"line": JOB}).to_string();
            let (status, head, _) = page.ask("POST", "/v1/map", "application/json", &body);
            if status == wanted {
                return head;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        panic!("never answered with {wanted}");
    };
    assert!(answered(429).contains("retry-after: 1"));
    // What is not a question is answered all the time.
    assert_eq!(page.ask("GET", "/", "text/plain", "").0, 200);
    if std::env::var_os("STOWPLAN_LONG").is_some() {
        for mut stream in slow {
            let mut said = String::new();
            stream.read_to_string(&mut said).unwrap();
            assert!(said.starts_with("HTTP/1.1 408"), "{said}");
        }
    } else {
        drop(slow);
    }
    answered(200);
}

#[test]
fn an_answer_that_is_too_large_is_refused() {
    let page = Page::new(&[]);
    let line = "--topo 'core:8 pu:1' -H n[0-999999]:8 -n 8000000 ./a";
    let (status, said) = page.post("/v1/map", &json!({"line": line, "format": "tsv"}));
    assert_eq!(
        (status, &said["error"]["class"]),
        (422, &json!("answer-too-large")),
        "{said}"
    );
    let (status, _) = page.post(
        "/v1/map",
        &json!({"line": line, "format": "tsv", "ranks": "7999999"}),
    );
    assert_eq!(status, 200);
}

/// What a request says of itself is said again, and no terminal that shows the answer is told to do anything.
#[test]
fn answers_have_no_characters_that_disturb() {
    let page = Page::new(&[]);
    let bad = "\u{202e}\u{85}\u{7f}";
    for body in [
        format!("{{\"line\": \"./a\", \"k{bad}\": 1}}"),
        format!("{{\"id\": [\"{bad}\",\r\n1], \"line\": \"-n 0{bad}\"}}"),
        format!("{{\"id\": \"{bad}\", \"line\": \"--topo 'core:4 pu:1' -H a:2 ./a{bad}\"}}"),
    ] {
        let (status, _, said) = page.ask("POST", "/v1/map", "application/json", &body);
        assert!([200, 422].contains(&status), "{said}");
        let raw = |sign: char| sign != '\n' && stowplan_engine::text::printable::disturbs(sign);
        assert!(!said.contains(raw), "{said:?}");
        let read: Value = serde_json::from_str(&said).unwrap();
        let asked: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(read["id"], asked["id"], "{said}");
    }
}

/// Two orders of 2^30 ranks are compared rank by rank: no machine does that in ten seconds. The request is refused then, and while its
/// answer is still being worked out, others are answered.
#[test]
fn an_answer_that_takes_too_long_is_refused_and_others_are_answered() {
    let page = Page::new(&[]);
    let job = |map: &str| {
        format!("--topo 'core:256 pu:1' -H n[0-4194303]:256 -n 1073741824 --map-by {map} ./a")
    };
    let from = std::time::Instant::now();
    let (status, said) = page.post(
        "/v1/diff",
        &json!({"line": job("node"), "other": job("core")}),
    );
    let took = from.elapsed().as_secs();
    assert_eq!(
        (status, &said["error"]["class"]),
        (422, &json!("takes-too-long")),
        "{said}"
    );
    assert!((10..30).contains(&took), "{took} s");
    assert_eq!(page.post("/v1/map", &json!({"line": JOB})).0, 200);
}
