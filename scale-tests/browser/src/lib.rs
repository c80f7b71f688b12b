//! A page that is served and a browser that shows it, both for as long as a test lasts.

use fantoccini::actions::{InputSource as _, KeyAction, KeyActions};
use fantoccini::key::Key;
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use std::error::Error;
use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
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
    /// The client, for keys and clicks.
    pub client: Client,
    /// The address of the page, which ends with a slash.
    pub address: String,
    /// Where files land that are saved.
    pub folder: PathBuf,
    driver: Child,
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
    pub async fn start(name: &str) -> Result<Self, Failed> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = format!("http://{}/", listener.local_addr()?);
        std::thread::spawn(move || serve(listener, Site::new(String::new(), OwnMachine::Told)));
        let folder = std::env::temp_dir().join(format!("stowplan-{name}-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("profile"))?;
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let port = port(&mut driver).ok_or("chromedriver names no port")?;
        let mut arguments: Vec<String> = OPTIONS.iter().map(|&word| word.to_owned()).collect();
        arguments.push(format!(
            "--user-data-dir={}",
            folder.join("profile").display()
        ));
        let options = json!({
            "args": arguments,
            "prefs": {"download.default_directory": folder, "download.prompt_for_download": false},
        });
        let mut wanted = serde_json::Map::new();
        wanted.insert("goog:chromeOptions".to_owned(), options);
        let client = ClientBuilder::new(HttpConnector::new())
            .capabilities(wanted)
            .connect(&format!("http://127.0.0.1:{port}"))
            .await;
        let client = match client {
            Ok(client) => client,
            Err(error) => {
                let _ = driver.kill();
                let _ = driver.wait();
                return Err(error.into());
            }
        };
        let browser = Self {
            client,
            address,
            folder,
            driver,
        };
        browser.open("").await?;
        Ok(browser)
    }

    /// Opens the page with what stands behind `#`, anew.
    ///
    /// # Errors
    /// If the page is not ready in time.
    pub async fn open(&self, hash: &str) -> Result<(), Failed> {
        self.client.goto("about:blank").await?;
        self.client.goto(&format!("{}{hash}", self.address)).await?;
        self.until("return document.body?.dataset.ready === 'yes'")
            .await
    }

    /// The value of a script.
    ///
    /// # Errors
    /// If the script throws.
    pub async fn told(&self, script: &str) -> Result<Value, Failed> {
        Ok(self.client.execute(script, Vec::new()).await?)
    }

    /// The value that a script gives to its last argument, which is a function.
    ///
    /// # Errors
    /// If the script throws, or gives nothing in time.
    pub async fn told_later(&self, script: &str) -> Result<Value, Failed> {
        Ok(self.client.execute_async(script, Vec::new()).await?)
    }

    /// Waits until a script says true.
    ///
    /// # Errors
    /// If it does not in time: the script, and what the page shows.
    pub async fn until(&self, script: &str) -> Result<(), Failed> {
        let from = Instant::now();
        loop {
            if self.told(script).await? == Value::Bool(true) {
                return Ok(());
            }
            if from.elapsed() > PATIENCE {
                let shown = self.told("return document.body.innerText").await?;
                return Err(
                    format!("never true: {script}\n{}", shown.as_str().unwrap_or("")).into(),
                );
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Types a text into a field in place of what it holds, key by key.
    ///
    /// # Errors
    /// If there is no such field.
    pub async fn typed(&self, field: &str, text: &str) -> Result<(), Failed> {
        let field = self.client.find(Locator::Css(field)).await?;
        field.clear().await?;
        Ok(field.send_keys(text).await?)
    }

    /// Types a line, and waits until the summary begins so.
    ///
    /// # Errors
    /// If it never does.
    pub async fn line(&self, line: &str, summary: &str) -> Result<(), Failed> {
        self.typed("#line", line).await?;
        self.until(&format!(
            "return document.querySelector('#summary').textContent.startsWith({})",
            json!(summary)
        ))
        .await
    }

    /// Clicks on what a selector finds first.
    ///
    /// # Errors
    /// If there is none, or something covers it.
    pub async fn click(&self, selector: &str) -> Result<(), Failed> {
        let from = Instant::now();
        loop {
            let found = self
                .client
                .wait()
                .for_element(Locator::Css(selector))
                .await?;
            match found.click().await {
                // A picture that came between the search and the click has replaced what was found.
                Err(error) if error.is_stale_element_reference() && from.elapsed() < PATIENCE => {}
                done => return Ok(done?),
            }
        }
    }

    /// Presses a key, wherever the focus is.
    ///
    /// # Errors
    /// If the browser is gone.
    pub async fn press(&self, key: Key) -> Result<(), Failed> {
        let value = char::from(key);
        let keys = KeyActions::new("keys".to_owned())
            .then(KeyAction::Down { value })
            .then(KeyAction::Up { value });
        Ok(self.client.perform_actions(keys).await?)
    }

    /// Waits for a file that the browser saves.
    ///
    /// # Errors
    /// If it does not come in time.
    pub async fn saved(&self, name: &str) -> Result<Vec<u8>, Failed> {
        let path = self.folder.join(name);
        let from = Instant::now();
        while from.elapsed() < PATIENCE {
            if let Ok(bytes) = std::fs::read(&path)
                && !bytes.is_empty()
            {
                return Ok(bytes);
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Err(format!("{name} was not saved").into())
    }

    /// Ends the browser.
    ///
    /// # Errors
    /// If the driver does not answer.
    pub async fn end(self) -> Result<(), Failed> {
        Ok(self.client.clone().close().await?)
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // What is gone already needs no end.
        let _ = self.driver.kill();
        let _ = self.driver.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
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
