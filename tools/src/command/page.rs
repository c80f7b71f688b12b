//! `stowplan page`: serves the page on which one plays with lines.

use super::no_such_option;
use crate::page::inline::OwnMachine;
use crate::page::serve::{Site, serve};
use crate::report::{Refused, Target};
use crate::{Console, output};
use std::io::Write as _;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::process::{Command, Stdio};

/// The port without `--port`.
const PORT: u16 = 8642;
/// Bytes of a token.
const TOKEN_BYTES: usize = 16;

/// Runs the subcommand with the arguments after `page`. Returns the exit status, when the page cannot be served any longer.
pub fn run(args: &[String], console: &mut Console<'_>) -> u8 {
    match served(args, console) {
        Ok(()) => 0,
        Err(refused) => refused.print(console.err),
    }
}

/// Whether a browser is started.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Browser {
    Left,
    Opened,
}

/// What the words ask for.
struct Asked {
    port: u16,
    listen: Option<IpAddr>,
    browser: Browser,
}

fn told(class: &'static str, sentence: String) -> Refused {
    Refused::Told { class, sentence }
}

fn read(args: &[String]) -> Result<Asked, Refused> {
    let mut asked = Asked {
        port: PORT,
        listen: None,
        browser: Browser::Left,
    };
    let mut words = args.iter();
    while let Some(word) = words.next() {
        let (name, inline) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (word.as_str(), None),
        };
        let mut value = || {
            let value = inline.clone().or_else(|| words.next().cloned());
            value.ok_or_else(|| told("bad-option", format!("page {name}: its value is missing")))
        };
        match name {
            "--open" => asked.browser = Browser::Opened,
            "--port" => {
                let value = value()?;
                let port = value.parse::<u16>();
                asked.port = port.map_err(|_| {
                    told(
                        "bad-value",
                        format!("--port {value}: it takes a number up to 65535, 0 for a free one"),
                    )
                })?;
            }
            "--listen" => {
                let value = value()?;
                let address = value.parse::<IpAddr>();
                asked.listen = Some(address.map_err(|_| {
                    told(
                        "bad-value",
                        format!("--listen {value}: it takes an address such as 0.0.0.0 or ::1"),
                    )
                })?);
            }
            name if name.starts_with('-') => return Err(no_such_option("page", name)),
            word => {
                return Err(told(
                    "bad-option",
                    format!("page takes no word {word:?}: lines are typed on the page"),
                ));
            }
        }
    }
    Ok(asked)
}

fn served(args: &[String], console: &mut Console<'_>) -> Result<(), Refused> {
    let asked = read(args)?;
    let loopback = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let address = SocketAddr::new(asked.listen.unwrap_or(loopback), asked.port);
    let to = |error| Refused::Output {
        to: Target::File(format!("the page at {address}")),
        error,
    };
    let listener = TcpListener::bind(address).map_err(to)?;
    let bound = listener.local_addr().map_err(to)?;
    let (prefix, own) = match asked.listen {
        None => (String::new(), OwnMachine::Told),
        Some(_) => (format!("/{}", token()?), OwnMachine::Kept),
    };
    let url = format!("http://{bound}{prefix}/");
    output::give(None, console.out, |out| writeln!(out, "{url}"))?;
    if asked.browser == Browser::Opened {
        open(&url);
    }
    // A request that panics is answered as a fault; the others go on.
    std::panic::set_hook(Box::new(|panic| {
        let at = panic
            .location()
            .map_or_else(String::new, ToString::to_string);
        // The worst that can happen to a message is that nobody reads it.
        let _ = writeln!(
            std::io::stderr(),
            "error[internal]: a fault in stowplan, at {at}: the request is answered as that"
        );
    }));
    serve(listener, Site::new(prefix, own)).map_err(to)
}

/// A token that nobody guesses, in hexadecimal digits.
fn token() -> Result<String, Refused> {
    let to = Target::File("the token of the page".to_owned());
    let mut bytes = [0; TOKEN_BYTES];
    let read = std::fs::File::open("/dev/urandom")
        .and_then(|mut random| std::io::Read::read_exact(&mut random, &mut bytes));
    read.map_err(|error| Refused::Output { to, error })?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Shows the page in the user's browser, if there is one.
fn open(url: &str) {
    let opener = if cfg!(target_os = "macos") {
        "open"
    } else {
        "xdg-open"
    };
    let quiet = || Stdio::null();
    // Without a browser the address is on the screen.
    let _ = Command::new(opener)
        .arg(url)
        .stdin(quiet())
        .stdout(quiet())
        .stderr(quiet())
        .spawn();
}
