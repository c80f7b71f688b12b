//! A page that is served and a browser that shows it, both for as long as a test lasts.

mod driver;

pub use driver::{Driver, Key};

use driver::Refusal;
use serde_json::{Value, json};
use std::error::Error;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use stowplan_cli::page::inline::OwnMachine;
use stowplan_cli::page::serve::{Site, serve};

/// How long a page may take to show what is expected of it.
const PATIENCE: Duration = Duration::from_secs(20);

/// Why a browser cannot be driven.
pub type Failed = Box<dyn Error>;

/// Chromium as it runs on a machine without a screen, also for root.
const OPTIONS: &[&str] = &[
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--window-size=1280,1000",
];

/// A browser with the page open, and a folder for what it saves.
pub struct Browser {
    /// What drives it.
    pub driver: Driver,
    /// The address of the page, which ends with a slash.
    pub address: String,
    /// Where files land that are saved.
    pub folder: PathBuf,
}

/// Whether a browser is here that can be driven.
#[must_use]
pub fn is_here() -> bool {
    let quiet = Command::new("chromedriver")
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    quiet.is_ok_and(|status| status.success())
}

impl Browser {
    /// Serves a page, and opens it in a new browser.
    ///
    /// # Errors
    /// If the driver or the browser does not start.
    pub fn start(name: &str) -> Result<Self, Failed> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = format!("http://{}/", listener.local_addr()?);
        thread::spawn(move || serve(listener, Site::new(String::new(), OwnMachine::Told)));
        let folder = std::env::temp_dir().join(format!("stowplan-{name}-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("profile"))?;
        let mut arguments: Vec<String> = OPTIONS.iter().map(|&word| word.to_owned()).collect();
        arguments.push(format!(
            "--user-data-dir={}",
            folder.join("profile").display()
        ));
        let driver = Driver::start(&json!({
            "args": arguments,
            "prefs": {"download.default_directory": folder, "download.prompt_for_download": false},
        }))?;
        let browser = Self {
            driver,
            address,
            folder,
        };
        browser.open("")?;
        Ok(browser)
    }

    /// Opens the page with what follows `#`, anew.
    ///
    /// # Errors
    /// If the page is not ready in time.
    pub fn open(&self, hash: &str) -> Result<(), Failed> {
        self.driver.goto("about:blank")?;
        self.driver.goto(&format!("{}{hash}", self.address))?;
        self.until("return document.body?.dataset.ready === 'yes'")
    }

    /// The value of a script.
    ///
    /// # Errors
    /// If the script throws.
    pub fn told(&self, script: &str) -> Result<Value, Failed> {
        self.driver.told(script)
    }

    /// The value that a script gives to its last argument, which is a function.
    ///
    /// # Errors
    /// If the script throws, or gives nothing in time.
    pub fn told_later(&self, script: &str) -> Result<Value, Failed> {
        self.driver.told_later(script)
    }

    /// Waits until a script says true.
    ///
    /// # Errors
    /// If it does not in time: the script, and what the page shows.
    pub fn until(&self, script: &str) -> Result<(), Failed> {
        let from = Instant::now();
        loop {
            if self.told(script)? == Value::Bool(true) {
                return Ok(());
            }
            if from.elapsed() > PATIENCE {
                let shown = self.told("return document.body.innerText")?;
                return Err(
                    format!("never true: {script}\n{}", shown.as_str().unwrap_or("")).into(),
                );
            }
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Types a text into a field in place of what it holds, key by key.
    ///
    /// # Errors
    /// If there is no such field.
    pub fn typed(&self, field: &str, text: &str) -> Result<(), Failed> {
        self.driver.find(field)?.type_anew(text)
    }

    /// Types a line, and waits until the summary begins so.
    ///
    /// # Errors
    /// If it never does.
    pub fn line(&self, line: &str, summary: &str) -> Result<(), Failed> {
        self.typed("#line", line)?;
        self.until(&format!(
            "return document.querySelector('#summary').textContent.startsWith({})",
            json!(summary)
        ))
    }

    /// Clicks on what a selector finds first.
    ///
    /// # Errors
    /// If there is none, or something covers it.
    pub fn click(&self, selector: &str) -> Result<(), Failed> {
        let from = Instant::now();
        loop {
            match self.driver.find(selector).and_then(|found| found.click()) {
                // It comes yet, or a picture that came between the search and the click has replaced it.
                Err(error) if passes(&error) && from.elapsed() < PATIENCE => {
                    thread::sleep(Duration::from_millis(20));
                }
                done => return done,
            }
        }
    }

    /// Presses a key, wherever the focus is.
    ///
    /// # Errors
    /// If the browser is gone.
    pub fn press(&self, key: Key) -> Result<(), Failed> {
        self.driver.press(key)
    }

    /// Waits for a file that the browser saves.
    ///
    /// # Errors
    /// If it does not come in time.
    pub fn saved(&self, name: &str) -> Result<Vec<u8>, Failed> {
        let path = self.folder.join(name);
        let from = Instant::now();
        while from.elapsed() < PATIENCE {
            if let Ok(bytes) = std::fs::read(&path)
                && !bytes.is_empty()
            {
                return Ok(bytes);
            }
            thread::sleep(Duration::from_millis(20));
        }
        Err(format!("{name} was not saved").into())
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // What is gone already needs no end.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Whether a click may succeed a moment later.
fn passes(error: &Failed) -> bool {
    error
        .downcast_ref::<Refusal>()
        .is_some_and(Refusal::is_of_a_moment)
}
