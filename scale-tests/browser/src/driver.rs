//! What the tests ask of a driver, in the words of the W3C's WebDriver: one request at a time, over HTTP.

use crate::Failed;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use ureq::Agent;

/// Under which key WebDriver gives the id of an element.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// A key that writes nothing.
#[derive(Clone, Copy)]
pub enum Key {
    /// To the next field.
    Tab,
    /// The key that begins what has the focus.
    Enter,
    /// The arrow to the left.
    Left,
    /// The arrow to the right.
    Right,
    /// The arrow down.
    Down,
}

impl Key {
    /// The character that WebDriver has for it.
    const fn code(self) -> char {
        match self {
            Self::Tab => '\u{E004}',
            Self::Enter => '\u{E007}',
            Self::Left => '\u{E012}',
            Self::Right => '\u{E014}',
            Self::Down => '\u{E015}',
        }
    }
}

/// What the driver says of a request that it does not carry out.
#[derive(Debug, thiserror::Error)]
#[error("{error}: {message}")]
pub(crate) struct Refusal {
    error: String,
    message: String,
}

impl Refusal {
    /// Whether what was looked for is not there yet, or what was found has left the page since.
    #[must_use]
    pub(crate) fn is_of_a_moment(&self) -> bool {
        ["no such element", "stale element reference"].contains(&self.error.as_str())
    }
}

/// A driver, and the browser that it started.
pub struct Driver {
    agent: Agent,
    /// The address of the session, without a slash behind it.
    session: String,
    process: Child,
}

impl Driver {
    /// Starts a driver, and a browser with Chromium's own options.
    ///
    /// # Errors
    /// If either does not start.
    pub fn start(chromium: &Value) -> Result<Self, Failed> {
        let process = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        // A status of an error has an answer as any other: what is wrong.
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .build()
            .new_agent();
        let mut driver = Self {
            agent,
            session: String::new(),
            process,
        };
        let port = port(&mut driver.process).ok_or("chromedriver names no port")?;
        driver.session = format!("http://127.0.0.1:{port}/session");
        let wanted = json!({"capabilities": {"alwaysMatch": {"goog:chromeOptions": chromium}}});
        let begun = driver.asked("", &wanted)?;
        let id = begun["sessionId"].as_str().ok_or("a session without id")?;
        driver.session = format!("{}/{id}", driver.session);
        Ok(driver)
    }

    /// The value of a request.
    fn asked(&self, path: &str, body: &Value) -> Result<Value, Failed> {
        let mut answer = self
            .agent
            .post(format!("{}{path}", self.session))
            .send_json(body)?;
        let mut answer: Value = answer
            .body_mut()
            .with_config()
            .limit(u64::MAX)
            .read_json()?;
        let value = answer["value"].take();
        let Some(error) = value["error"].as_str() else {
            return Ok(value);
        };
        Err(Box::new(Refusal {
            error: error.to_owned(),
            message: value["message"].as_str().unwrap_or_default().to_owned(),
        }))
    }

    /// Opens an address, and waits until it is loaded.
    ///
    /// # Errors
    /// If it cannot be loaded.
    pub fn goto(&self, address: &str) -> Result<(), Failed> {
        self.asked("/url", &json!({"url": address})).map(drop)
    }

    /// The value of a script.
    ///
    /// # Errors
    /// If the script throws.
    pub fn told(&self, script: &str) -> Result<Value, Failed> {
        self.asked("/execute/sync", &json!({"script": script, "args": []}))
    }

    /// The value that a script gives to its last argument, which is a function.
    ///
    /// # Errors
    /// If the script throws, or gives nothing in time.
    pub fn told_later(&self, script: &str) -> Result<Value, Failed> {
        self.asked("/execute/async", &json!({"script": script, "args": []}))
    }

    /// Presses a key, wherever the focus is.
    ///
    /// # Errors
    /// If the browser is gone.
    pub fn press(&self, key: Key) -> Result<(), Failed> {
        let key = key.code();
        let actions = json!([{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]);
        let keys = json!({"actions": [{"type": "key", "id": "keys", "actions": actions}]});
        self.asked("/actions", &keys).map(drop)
    }

    /// Makes the window so large, in pixels.
    ///
    /// # Errors
    /// If the browser is gone.
    pub fn resize(&self, width: u32, height: u32) -> Result<(), Failed> {
        let size = json!({"width": width, "height": height});
        self.asked("/window/rect", &size).map(drop)
    }

    /// What a CSS selector finds first.
    ///
    /// # Errors
    /// If it finds nothing.
    pub fn find(&self, selector: &str) -> Result<Element<'_>, Failed> {
        let found = json!({"using": "css selector", "value": selector});
        let found = self.asked("/element", &found)?;
        let id = found[ELEMENT].as_str().ok_or("an element without id")?;
        Ok(Element {
            driver: self,
            path: format!("/element/{id}"),
        })
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // The browser ends with its session. What is gone already needs no end.
        let _ = self.agent.delete(&self.session).call();
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// An element of the page that is open.
pub struct Element<'a> {
    driver: &'a Driver,
    path: String,
}

impl Element<'_> {
    /// Clicks on it.
    ///
    /// # Errors
    /// If something covers it, or it has left the page.
    pub fn click(&self) -> Result<(), Failed> {
        self.asked("click", &json!({}))
    }

    /// Types a text in place of what it holds, key by key.
    ///
    /// # Errors
    /// If it takes none.
    pub fn type_anew(&self, text: &str) -> Result<(), Failed> {
        self.asked("clear", &json!({}))?;
        self.asked("value", &json!({"text": text}))
    }

    fn asked(&self, what: &str, body: &Value) -> Result<(), Failed> {
        let path = format!("{}/{what}", self.path);
        self.driver.asked(&path, body).map(drop)
    }
}

/// The port that a driver took.
fn port(driver: &mut Child) -> Option<u16> {
    let lines = BufReader::new(driver.stdout.take()?).lines();
    let mut words = lines.map_while(Result::ok);
    words.find_map(|line| {
        let (_, port) = line.split_once("started successfully on port ")?;
        port.trim_end_matches('.').parse().ok()
    })
}
