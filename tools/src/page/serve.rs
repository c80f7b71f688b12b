//! Connections, and the limits that keep memory and time bounded whatever comes.

use super::answer::{Answer, Question, answer, faulty, refused, too_slow};
use super::answer_bounds::TIME;
use super::inline::OwnMachine;
use super::refusal::Refusal;
use super::route::{Astray, Route, route};
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{ALLOW, CONTENT_LENGTH, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// The most bytes of a request's body.
pub const BODY_BYTES_MAX: usize = 1 << 20;
/// The most requests that are answered at once; more get 429.
pub const AT_ONCE: usize = 8;
/// The most connections that are open at once; more wait.
const CONNECTIONS: usize = 256;
/// The most bytes of a request's head.
const HEAD_BYTES_MAX: usize = 1 << 16;
/// How long a connection lasts, and how long its last answer may take to be read.
const CONNECTION_TIME: Duration = Duration::from_secs(300);
const LAST_ANSWER_TIME: Duration = Duration::from_secs(60);

/// What is served, and to whom.
#[derive(Debug)]
pub struct Site {
    /// Before each path: empty, or `/TOKEN`.
    pub prefix: String,
    /// Whether requests may ask for this machine's topology.
    pub own: OwnMachine,
    places: Arc<Semaphore>,
}

impl Site {
    /// A page behind a prefix.
    #[must_use]
    pub fn new(prefix: String, own: OwnMachine) -> Self {
        Self {
            prefix,
            own,
            places: Arc::new(Semaphore::new(AT_ONCE)),
        }
    }
}

/// Serves a page for as long as the process lives.
///
/// # Errors
/// If the system gives no listener or no thread.
pub fn serve(listener: std::net::TcpListener, site: Site) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let listener = TcpListener::from_std(listener)?;
        let (site, connections) = (Arc::new(site), Arc::new(Semaphore::new(CONNECTIONS)));
        loop {
            // The semaphore is never closed.
            let Ok(place) = Arc::clone(&connections).acquire_owned().await else {
                return Ok(());
            };
            match listener.accept().await {
                Ok((stream, _)) => {
                    tokio::spawn(connection(stream, Arc::clone(&site), place));
                }
                // A client that left, or too many open files: others go on.
                Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
            }
        }
    })
}

async fn connection(stream: TcpStream, site: Arc<Site>, place: OwnedSemaphorePermit) {
    let service = service_fn(move |request| {
        let site = Arc::clone(&site);
        async move { Ok::<_, Infallible>(respond(request, &site).await) }
    });
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(TIME)
        .max_buf_size(HEAD_BYTES_MAX);
    let mut connection = std::pin::pin!(builder.serve_connection(TokioIo::new(stream), service));
    // What goes wrong on a connection is its client's affair.
    if timeout(CONNECTION_TIME, connection.as_mut()).await.is_err() {
        connection.as_mut().graceful_shutdown();
        let _ = timeout(LAST_ANSWER_TIME, connection).await;
    }
    drop(place);
}

type Reply = Response<Full<Bytes>>;

async fn respond(request: Request<Incoming>, site: &Site) -> Reply {
    let path = request.uri().path();
    let Some(path) = path.strip_prefix(site.prefix.as_str()) else {
        return error(
            StatusCode::FORBIDDEN,
            "forbidden",
            "the address lacks the token that stowplan page printed",
        );
    };
    let kind = request
        .headers()
        .get(CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok());
    match route(request.method().as_str(), path, kind) {
        Ok(Route::Asset(asset)) => reply(
            StatusCode::OK,
            asset.kind,
            Bytes::from_static(asset.text.as_bytes()),
        ),
        Ok(Route::Question(question)) => asked(request, question, site).await,
        Err(Astray::NoSuchPath) => error(
            StatusCode::NOT_FOUND,
            "no-such-path",
            "there is no such path: /v1/openapi.json names all",
        ),
        Err(Astray::Method(allowed)) => {
            let sentence = format!("this path takes {allowed}");
            let mut reply = error(StatusCode::METHOD_NOT_ALLOWED, "bad-method", &sentence);
            reply
                .headers_mut()
                .insert(ALLOW, HeaderValue::from_static(allowed));
            reply
        }
        Err(Astray::Type) => error(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "bad-type",
            "the body must be application/json",
        ),
    }
}

async fn asked(request: Request<Incoming>, question: Question, site: &Site) -> Reply {
    let Ok(place) = Arc::clone(&site.places).try_acquire_owned() else {
        let sentence = format!("{AT_ONCE} requests are being answered: try again");
        let mut reply = error(
            StatusCode::TOO_MANY_REQUESTS,
            "too-many-requests",
            &sentence,
        );
        reply
            .headers_mut()
            .insert(RETRY_AFTER, HeaderValue::from_static("1"));
        return reply;
    };
    let length = request
        .headers()
        .get(CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    let too_large = || {
        error(
            StatusCode::PAYLOAD_TOO_LARGE,
            "request-too-large",
            "a body has at most 1 MiB",
        )
    };
    if length.is_some_and(|length| length > BODY_BYTES_MAX) {
        return too_large();
    }
    let body = match timeout(
        TIME,
        Limited::new(request.into_body(), BODY_BYTES_MAX).collect(),
    )
    .await
    {
        Ok(Ok(body)) => body.to_bytes(),
        Ok(Err(why)) if why.is::<LengthLimitError>() => return too_large(),
        Ok(Err(_)) => {
            return error(
                StatusCode::BAD_REQUEST,
                "bad-request",
                "the body cannot be read",
            );
        }
        Err(_) => {
            return error(
                StatusCode::REQUEST_TIMEOUT,
                "takes-too-long",
                "the body did not come within 10 seconds",
            );
        }
    };
    let own = site.own;
    // The place is free again when the answer is there, also if nobody waits for it any more.
    let answered = tokio::task::spawn_blocking(move || {
        let answer = answer(question, &body, own);
        drop(place);
        answer
    });
    let Answer { status, body } = match timeout(TIME, answered).await {
        Ok(Ok(answer)) => answer,
        // It panicked: its thread has ended, and nothing that others use was lent to it.
        Ok(Err(_)) => refused(None, &faulty()),
        Err(_) => refused(None, &too_slow()),
    };
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::UNPROCESSABLE_ENTITY);
    reply(status, "application/json", Bytes::from(body))
}

fn error(status: StatusCode, class: &str, sentence: &str) -> Reply {
    let refusal = Refusal::of_request(class, sentence.to_owned());
    reply(
        status,
        "application/json",
        Bytes::from(refused(None, &refusal).body),
    )
}

/// Headers of every answer: the page reads nothing from elsewhere, and nobody frames it.
const HEADERS: &[(&str, &str)] = &[
    ("content-security-policy", "default-src 'self'"),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cache-control", "no-store"),
];

fn reply(status: StatusCode, kind: &'static str, body: Bytes) -> Reply {
    let mut reply = Response::new(Full::new(body));
    *reply.status_mut() = status;
    let headers = reply.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    for &(name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    reply
}
