//! `stowplan page`: serves the page on which one plays with lines.

use super::given::Given;
use super::subcommand::{Many, Nothing, One, Subcommand, own, subcommand};
use crate::page::inline::OwnMachine;
use crate::page::serve::{Site, serve};
use crate::report::{Refused, Target, told};
use crate::{Console, output};
use std::io::Write as _;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::process::{Command, Stdio};

/// The port without `--port`.
const PORT: u16 = 8642;
/// Bytes of a token.
const TOKEN_BYTES: usize = 16;

#[rustfmt::skip]
pub(crate) const COMMAND: Subcommand = Subcommand {
    options: &[
        own(&["port"], One, "P", Many, "the port, 0 for a free one [default: 8642]"),
        own(&["open"], Nothing, "", Many, "show it in the browser"),
        own(&["listen"], One, "ADDR", Many, "another address than 127.0.0.1: with a token in the URL"),
    ],
    ..subcommand("page", "[--port P] [--open] [--listen ADDR]", "Serves a page on which one plays with lines, and answers over HTTP: its address is the first line", served)
};

/// Ends when the page cannot be served any longer.
fn served(args: &[String], console: &mut Console<'_>) -> Result<u8, Refused> {
    let given = Given::read(&COMMAND, args)?;
    if let Some(word) = given.words.first() {
        let sentence = format!("page takes no word {word:?}: lines are typed on the page");
        return Err(told("bad-option", sentence));
    }
    let number = "a number up to 65535, 0 for a free one";
    let port = given.parsed("port", number, |value| value.parse().ok())?;
    let name = "an address such as 0.0.0.0 or ::1";
    let listen: Option<IpAddr> = given.parsed("listen", name, |value| value.parse().ok())?;
    let loopback = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let address = SocketAddr::new(listen.unwrap_or(loopback), port.unwrap_or(PORT));
    let to = |error| Refused::Output {
        to: Target::File(format!("the page at {address}")),
        error,
    };
    let listener = TcpListener::bind(address).map_err(to)?;
    let bound = listener.local_addr().map_err(to)?;
    let (prefix, own) = match listen {
        None => (String::new(), OwnMachine::Told),
        Some(_) => (format!("/{}", token()?), OwnMachine::Kept),
    };
    let url = format!("http://{bound}{prefix}/");
    output::give(None, console.out, |out| writeln!(out, "{url}"))?;
    if given.has("open") {
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
    serve(listener, Site::new(prefix, own)).map_err(to)?;
    Ok(0)
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
