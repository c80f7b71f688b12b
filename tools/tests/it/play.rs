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
