//! Ways of requests to the page.

use stowplan_cli::page::answer::Question;
use stowplan_cli::page::route::{Astray, Route, route};

#[test]
fn a_request_finds_its_way() {
    let json = Some("Application/JSON; charset=utf-8");
    assert_eq!(
        route("POST", "/v1/map", json),
        Ok(Route::Question(Question::Map))
    );
    assert_eq!(route("GET", "/v1/map", json), Err(Astray::Method("POST")));
    assert_eq!(route("POST", "/v1/map", None), Err(Astray::Type));
    assert_eq!(route("POST", "/v1/maps", json), Err(Astray::NoSuchPath));
    assert_eq!(route("DELETE", "/", None), Err(Astray::Method("GET, HEAD")));
}
