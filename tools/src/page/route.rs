//! Paths, and what each of them takes.

use super::answer::Question;

/// A file of the page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Asset {
    /// Behind the address of the page.
    pub path: &'static str,
    /// Its type.
    pub kind: &'static str,
    /// Its text.
    pub text: &'static str,
}

const SCRIPT: &str = "text/javascript; charset=utf-8";

/// The page, in this binary.
#[rustfmt::skip]
pub const ASSETS: &[Asset] = &[
    Asset { path: "/", kind: "text/html; charset=utf-8", text: include_str!("assets/page.html") },
    Asset { path: "/page.css", kind: "text/css; charset=utf-8", text: include_str!("assets/page.css") },
    Asset { path: "/page.js", kind: SCRIPT, text: include_str!("assets/page.js") },
    Asset { path: "/words.js", kind: SCRIPT, text: include_str!("assets/words.js") },
    Asset { path: "/tabs.js", kind: SCRIPT, text: include_str!("assets/tabs.js") },
    Asset { path: "/keep.js", kind: SCRIPT, text: include_str!("assets/keep.js") },
    Asset { path: "/icon.svg", kind: "image/svg+xml", text: include_str!("assets/icon.svg") },
    Asset { path: "/v1/openapi.json", kind: "application/json", text: include_str!("openapi.json") },
];

/// Questions by path.
#[rustfmt::skip]
pub const QUESTIONS: &[(&str, Question)] = &[
    ("/v1/map", Question::Map),
    ("/v1/explain", Question::Explain),
    ("/v1/diff", Question::Diff),
    ("/v1/score", Question::Score),
    ("/v1/export", Question::Export),
];

/// Where a request goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Route {
    /// To a file of the page.
    Asset(&'static Asset),
    /// To an answer.
    Question(Question),
}

/// Why a request is not read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Astray {
    /// 404.
    NoSuchPath,
    /// 405, with the methods there are.
    Method(&'static str),
    /// 415.
    Type,
}

/// Where a request goes. `kind`: its content type.
///
/// # Errors
/// [`Astray`].
pub fn route(method: &str, path: &str, kind: Option<&str>) -> Result<Route, Astray> {
    if let Some(asset) = ASSETS.iter().find(|asset| asset.path == path) {
        return match method {
            "GET" | "HEAD" => Ok(Route::Asset(asset)),
            _ => Err(Astray::Method("GET, HEAD")),
        };
    }
    let question = QUESTIONS.iter().find(|(own, _)| *own == path);
    let &(_, question) = question.ok_or(Astray::NoSuchPath)?;
    if method != "POST" {
        return Err(Astray::Method("POST"));
    }
    let kind = kind
        .unwrap_or_default()
        .split(';')
        .next()
        .unwrap_or_default();
    match kind.trim().eq_ignore_ascii_case("application/json") {
        true => Ok(Route::Question(question)),
        false => Err(Astray::Type),
    }
}
