//! From a request to its answer.
//!
//! In this order:
//! 1. the head is counted and routed; an unknown path or a bad value is an answer as well;
//! 2. a body that comes with the request is read to its end, so that the connection stays usable;
//!    only `/post` keeps it, up to [`UPLOAD_BYTES_MAX`];
//! 3. the answer is built at once, or after whatever the behaviour waits for.
//!
//! A request without body for a plain answer allocates nothing here: the map of the request's
//! headers becomes the map of the answer's, and the body is static.
//!
//! Not here: which path means what (`route`), the bytes of bodies (`content`).

use std::future::poll_fn;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use http_body_util::BodyExt as _;
use hyper::body::{Body as _, Bytes, Incoming};
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Request, Response, StatusCode};

use crate::content::{ClosedOnPurpose, Content, Ending};
use crate::delay::{Delay, Timer};
use crate::echo::{self, Asked};
use crate::log::{Entry, Logged};
use crate::queue::{Queue, Service};
use crate::route::{Behaviour, RouteError, route};
use crate::wire::Wire;

/// What one connection's answers need.
#[derive(Debug)]
pub(crate) struct Responder {
    pub(crate) wire: Wire,
    pub(crate) timer: Rc<Timer>,
    pub(crate) queue: Arc<Queue>,
    pub(crate) request_count: Arc<RequestCount>,
}

/// The requests of one worker. On a cache line of its own: every request writes it.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct RequestCount(pub(crate) AtomicU64);

type Answer = Result<Response<Logged>, ClosedOnPurpose>;

/// An answer on its way, and its entry in the log until the answer takes that along.
pub(crate) struct Answering {
    state: State,
    entry: Option<Box<Entry>>,
}

/// An answer that is there, or one that waits for something and pays for a box.
enum State {
    Now(Option<Answer>),
    Later(Pin<Box<dyn Future<Output = Answer>>>),
}

impl Responder {
    /// Answers one request.
    pub(crate) fn answer(self: &Rc<Self>, request: Request<Incoming>) -> Answering {
        self.request_count.0.fetch_add(1, Ordering::Relaxed);
        let (mut parts, upload) = request.into_parts();
        let mut entry = self.wire.log().map(|log| log.arrived(self.wire.arrival_ns(), &parts));
        let routed = route(&parts.method, parts.uri.path());
        if upload.is_end_stream() {
            let plain = match routed {
                Ok(Behaviour::Bytes(bytes)) => Some(Content::counted(bytes)),
                Ok(Behaviour::Chunked(bytes)) => Some(Content::chunked(bytes)),
                _ => None,
            };
            if let Some(content) = plain {
                let mut headers = std::mem::take(&mut parts.headers);
                headers.clear();
                let state = State::Now(Some(Ok(letters(headers, content))));
                return Answering { state, entry };
            }
        }
        // A delay counts from the head, so it runs while the request's body is read.
        let delay = match routed {
            Ok(Behaviour::Delay(duration)) => Some(self.timer.delay(duration)),
            Ok(Behaviour::Queue(service)) => Some(self.join_queue(service, entry.as_deref_mut())),
            _ => None,
        };
        let responder = Rc::clone(self);
        let state =
            State::Later(Box::pin(
                async move { responder.finish(routed, delay, &parts, upload).await },
            ));
        Answering { state, entry }
    }

    /// Joins the queue and returns a delay that ends with the service.
    fn join_queue(&self, service: Service, entry: Option<&mut Entry>) -> Delay {
        let logged_ns = entry.as_ref().map(|entry| entry.arrival_ns());
        let arrival_ns = logged_ns.unwrap_or_else(|| self.wire.arrival_ns());
        let served = self.queue.join(arrival_ns, service);
        if let Some(entry) = entry {
            entry.set_service(served.service_ns);
        }
        // Of the connection's first request only the reading may be known. Should the kernel refuse
        // stamps, it is so for all of them.
        let _ = self.wire.stamp_arrivals();
        self.timer.until(served.departure_ns)
    }

    async fn finish(
        &self,
        routed: Result<Behaviour, RouteError>,
        delay: Option<Delay>,
        parts: &Parts,
        upload: Incoming,
    ) -> Answer {
        let keeps_bytes = if routed == Ok(Behaviour::EchoPost) { UPLOAD_BYTES_MAX } else { 0 };
        let upload = match read_upload(parts, upload, keeps_bytes).await {
            Ok(bytes) => bytes,
            Err(UploadError::TooLarge) if keeps_bytes > 0 => return Ok(upload_too_large()),
            Err(UploadError::TooLarge) => Bytes::new(),
            Err(UploadError::Interrupted) => return Err(ClosedOnPurpose),
        };
        let behaviour = match routed {
            Ok(behaviour) => behaviour,
            Err(error) => return Ok(refusal(&error)),
        };
        let content = match behaviour {
            Behaviour::Bytes(bytes) => Content::counted(bytes),
            Behaviour::Chunked(bytes) => Content::chunked(bytes),
            Behaviour::Delay(_) | Behaviour::Queue(_) => {
                if let Some(delay) = delay {
                    delay.await;
                }
                Content::counted(DELAYED_BYTES)
            }
            Behaviour::Status(status) => return Ok(with_status(status)),
            Behaviour::EchoGet => return Ok(json(&echo::get(&self.asked(parts)))),
            Behaviour::EchoPost => return Ok(json(&echo::post(&self.asked(parts), &upload))),
            Behaviour::EchoHeaders => return Ok(json(&echo::headers(&self.asked(parts)))),
            Behaviour::Close => return Err(ClosedOnPurpose),
            Behaviour::CloseHead => {
                self.wire.break_after(BROKEN_HEAD_BYTES);
                Content::counted(DELAYED_BYTES)
            }
            Behaviour::CloseBody => Content::broken(Ending::Close { is_flushed: false }),
            Behaviour::StallBody => Content::broken(Ending::Stall(self.wire.clone())),
            Behaviour::Stall => {
                poll_fn(|context| self.wire.poll_closed(context)).await;
                return Err(ClosedOnPurpose);
            }
        };
        Ok(letters(HeaderMap::new(), content))
    }

    fn asked<'a>(&self, parts: &'a Parts) -> Asked<'a> {
        Asked { parts, peer: self.wire.peer_address().ok(), local: self.wire.local_address().ok() }
    }
}

impl Future for Answering {
    type Output = Answer;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Answer> {
        let answering = self.get_mut();
        let mut answer = match &mut answering.state {
            State::Now(answer) => answer.take().map_or(Poll::Pending, Poll::Ready),
            State::Later(future) => future.as_mut().poll(context),
        };
        // Without an answer the connection closes, and drops the entry.
        if let Poll::Ready(Ok(response)) = &mut answer
            && let Some(mut entry) = answering.entry.take()
        {
            entry.set_status(response.status());
            response.body_mut().entry = Some(entry);
        }
        answer
    }
}

enum UploadError {
    TooLarge,
    Interrupted,
}

/// Reads a request's body to its end and returns it if it has at most `keeps_bytes`.
///
/// A longer one is read and thrown away: closing on a client that still sends would reset the
/// connection and lose the answer. A client that asks first (`Expect: 100-continue`) is told at
/// once.
async fn read_upload(
    parts: &Parts,
    mut upload: Incoming,
    keeps_bytes: u64,
) -> Result<Bytes, UploadError> {
    let asks_first = parts.headers.contains_key(header::EXPECT);
    if asks_first && keeps_bytes > 0 && upload.size_hint().lower() > keeps_bytes {
        return Err(UploadError::TooLarge);
    }
    let mut kept = Vec::new();
    let mut is_too_large = false;
    while let Some(frame) = upload.frame().await {
        let Ok(data) = frame.map_err(|_| UploadError::Interrupted)?.into_data() else {
            continue;
        };
        is_too_large |= (kept.len() + data.len()) as u64 > keeps_bytes;
        if is_too_large {
            kept = Vec::new();
        } else {
            kept.extend_from_slice(&data);
        }
    }
    if is_too_large { Err(UploadError::TooLarge) } else { Ok(kept.into()) }
}

fn letters(mut headers: HeaderMap, content: Content) -> Response<Logged> {
    headers.insert(header::CONTENT_TYPE, TEXT);
    let mut response = Response::new(content.into());
    *response.headers_mut() = headers;
    response
}

fn text(status: StatusCode, message: String) -> Response<Logged> {
    let mut response = letters(HeaderMap::new(), Content::whole(message));
    *response.status_mut() = status;
    response
}

fn json(value: &serde_json::Value) -> Response<Logged> {
    let mut response = Response::new(Content::whole(format!("{value:#}\n")).into());
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

fn with_status(status: StatusCode) -> Response<Logged> {
    let has_body = ![StatusCode::NO_CONTENT, StatusCode::RESET_CONTENT, StatusCode::NOT_MODIFIED]
        .contains(&status);
    let mut response = if has_body {
        let reason = status.canonical_reason().unwrap_or("no standard reason");
        text(status, format!("{} {reason}\n", status.as_u16()))
    } else {
        let mut response = Response::new(Content::empty().into());
        *response.status_mut() = status;
        response
    };
    if let Some((name, value)) = header_of(status) {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// The header without which a status is not valid, or leads nowhere.
fn header_of(status: StatusCode) -> Option<(HeaderName, &'static str)> {
    match status {
        StatusCode::NOT_MODIFIED => None,
        StatusCode::UNAUTHORIZED => Some((header::WWW_AUTHENTICATE, "Basic realm=\"sink\"")),
        StatusCode::METHOD_NOT_ALLOWED => Some((header::ALLOW, "GET, HEAD")),
        StatusCode::PROXY_AUTHENTICATION_REQUIRED => {
            Some((header::PROXY_AUTHENTICATE, "Basic realm=\"sink\""))
        }
        status if status.is_redirection() => Some((header::LOCATION, "/")),
        _ => None,
    }
}

fn refusal(error: &RouteError) -> Response<Logged> {
    let mut response = text(error.status(), format!("{error}\n"));
    if let RouteError::BadMethod { allowed, .. } = error {
        response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(allowed));
    }
    response
}

fn upload_too_large() -> Response<Logged> {
    let message =
        format!("/post: found a longer body, expected at most {UPLOAD_BYTES_MAX} bytes\n");
    text(StatusCode::PAYLOAD_TOO_LARGE, message)
}

const TEXT: HeaderValue = HeaderValue::from_static("text/plain");
/// The body after a delay, and the one that `/close/head` would announce.
const DELAYED_BYTES: u64 = 100;
/// How much of its head `/close/head` sends: the status line and a part of a header's name.
const BROKEN_HEAD_BYTES: usize = "HTTP/1.1 200 OK\r\nconte".len();
/// The longest body that `/post` echoes: 16 MiB.
const UPLOAD_BYTES_MAX: u64 = 16 << 20;
