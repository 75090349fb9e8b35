//! The log: one line per request, for whoever wants to check a client against what was served.
//!
//! ```text
//! # throng sink log: ns since started_unix_ns=1790000000000000000 started_monotonic_ns=86400000000
//! arrival_ns,departure_ns,worker,method,path,status,service_ns
//! 1512345,3498761,0,GET,/queue/exponential/2ms,200,1953120
//! ```
//!
//! - `arrival_ns`: when the kernel received the end of the request's head. Of requests that were
//!   sent together (pipelined) it is the instant of the last byte that was read with the head.
//! - `departure_ns`: when the answer's last byte was handed to the kernel: the clock is read before
//!   that call, which on loopback delivers to the client. Empty if the answer never was whole.
//! - `worker`: which thread answered, from 0. `path`: as it was sent, with its query.
//! - `status`: empty if no answer was begun. `service_ns`: what a `/queue/` path drew.
//!
//! Lines stand in the order in which answers ended, per worker; sort by `arrival_ns` where the order
//! of arrival matters.
//!
//! One request, in this order:
//! 1. [`ConnectionLog::arrived`] makes an [`Entry`] when its head was read;
//! 2. the entry travels with the answer's body ([`Logged`]) and is dropped with it, when hyper has
//!    taken all of the body;
//! 3. [`ConnectionLog::flushed`]: hyper has passed on all it had; [`ConnectionLog::sent`]: so has the
//!    wire, and lines are written. What the connection's end finds before this was cut.
//!
//! Invariant: every request that was counted has exactly one line once the sink has stopped. Memory
//! is bounded: a worker holds [`HELD_BYTES_MAX`] of lines, for a second at most.

use std::cell::{Cell, RefCell};
use std::io::Write as _;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::body::{Body, Bytes, Frame, SizeHint};
use hyper::http::request::Parts;
use hyper::{Method, StatusCode, Uri};

use crate::clock;
use crate::content::{ClosedOnPurpose, Content};
use crate::delay::Timer;

mod file;

pub(crate) use file::LogFile;

/// The lines of one worker on their way to the file.
#[derive(Debug)]
pub(crate) struct WorkerLog {
    file: Arc<LogFile>,
    worker: usize,
    lines: RefCell<Vec<u8>>,
}

/// What one connection has to log.
#[derive(Debug)]
pub(crate) struct ConnectionLog {
    worker: Rc<WorkerLog>,
    /// When the last write to the socket was begun.
    write_ns: Cell<u64>,
    /// Taken by hyper to their end.
    ended: RefCell<Vec<Record>>,
    /// Passed on by hyper, to the wire or to the kernel.
    flushed: RefCell<Vec<Record>>,
}

/// A request whose answer is under way. Dropped with the answer's body.
#[derive(Debug)]
pub(crate) struct Entry {
    connection: Rc<ConnectionLog>,
    record: Record,
}

/// The body of an answer, and its entry if there is a log.
#[derive(Debug)]
pub(crate) struct Logged {
    pub(crate) content: Content,
    /// In a box: answers move, and few are logged.
    pub(crate) entry: Option<Box<Entry>>,
}

/// What a line is made of, but for the departure.
#[derive(Debug, Default)]
struct Record {
    arrival_ns: u64,
    method: Method,
    uri: Uri,
    status: Option<StatusCode>,
    service_ns: Option<u64>,
}

impl WorkerLog {
    pub(crate) fn new(file: Arc<LogFile>, worker: usize) -> Rc<Self> {
        Rc::new(Self { file, worker, lines: RefCell::default() })
    }

    /// Passes lines on once a second; ends only with the runtime.
    pub(crate) async fn pass_on_each_second(self: Rc<Self>, timer: Rc<Timer>) {
        loop {
            timer.delay(PASS_ON_EACH).await;
            self.pass_on();
        }
    }

    fn write(&self, record: &Record, departure_ns: Option<u64>) {
        let since_start = |instant_ns: u64| instant_ns.saturating_sub(self.file.started_ns);
        let mut lines = self.lines.borrow_mut();
        let arrival_ns = since_start(record.arrival_ns);
        // Writing to a vector cannot fail.
        let _ = write!(lines, "{arrival_ns},");
        write_number(&mut lines, departure_ns.map(since_start));
        let _ = write!(lines, ",{},{},", self.worker, record.method);
        let path = record.uri.path_and_query().map_or("", |path| path.as_str());
        write_field(&mut lines, path);
        lines.push(b',');
        write_number(&mut lines, record.status.map(|status| u64::from(status.as_u16())));
        lines.push(b',');
        write_number(&mut lines, record.service_ns);
        lines.push(b'\n');
        let is_full = lines.len() >= HELD_BYTES_MAX;
        drop(lines);
        if is_full {
            self.pass_on();
        }
    }

    fn pass_on(&self) {
        let mut lines = self.lines.borrow_mut();
        self.file.append(&lines);
        lines.clear();
    }
}

impl Drop for WorkerLog {
    fn drop(&mut self) {
        self.pass_on();
    }
}

impl ConnectionLog {
    pub(crate) fn new(worker: Rc<WorkerLog>) -> Rc<Self> {
        Rc::new(Self {
            worker,
            write_ns: Cell::new(0),
            ended: RefCell::default(),
            flushed: RefCell::default(),
        })
    }

    /// A request's head was read.
    pub(crate) fn arrived(self: &Rc<Self>, arrival_ns: u64, parts: &Parts) -> Box<Entry> {
        let (method, uri) = (parts.method.clone(), parts.uri.clone());
        let record = Record { arrival_ns, method, uri, status: None, service_ns: None };
        Box::new(Entry { connection: Rc::clone(self), record })
    }

    /// The socket is about to be written to.
    pub(crate) fn writing(&self) {
        self.write_ns.set(clock::now_ns());
    }

    /// Whatever hyper has taken of answers is with the wire or the kernel.
    pub(crate) fn flushed(&self) {
        self.flushed.borrow_mut().append(&mut self.ended.borrow_mut());
    }

    /// Whatever the wire held is with the kernel.
    pub(crate) fn sent(&self) {
        for record in self.flushed.borrow_mut().drain(..) {
            self.worker.write(&record, Some(self.write_ns.get()));
        }
    }
}

/// The connection has ended: what was not sent by now is not whole.
impl Drop for ConnectionLog {
    fn drop(&mut self) {
        for record in self.flushed.get_mut().iter().chain(self.ended.get_mut().iter()) {
            self.worker.write(record, None);
        }
    }
}

impl Entry {
    pub(crate) fn arrival_ns(&self) -> u64 {
        self.record.arrival_ns
    }

    pub(crate) fn set_service(&mut self, service_ns: u64) {
        self.record.service_ns = Some(service_ns);
    }

    pub(crate) fn set_status(&mut self, status: StatusCode) {
        self.record.status = Some(status);
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.connection.ended.borrow_mut().push(std::mem::take(&mut self.record));
    }
}

impl From<Content> for Logged {
    fn from(content: Content) -> Self {
        Self { content, entry: None }
    }
}

impl Body for Logged {
    type Data = Bytes;
    type Error = ClosedOnPurpose;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, ClosedOnPurpose>>> {
        Pin::new(&mut self.get_mut().content).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.content.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.content.size_hint()
    }
}

fn write_number(line: &mut Vec<u8>, number: Option<u64>) {
    if let Some(number) = number {
        let _ = write!(line, "{number}");
    }
}

/// Writes a text, in quotes where CSV wants them (RFC 4180).
fn write_field(line: &mut Vec<u8>, text: &str) {
    if text.contains([',', '"']) {
        let _ = write!(line, "\"{}\"", text.replace('"', "\"\""));
    } else {
        line.extend_from_slice(text.as_bytes());
    }
}

/// How many bytes of lines a worker holds before it passes them on, give or take a line.
const HELD_BYTES_MAX: usize = 65_536;
/// How often a worker passes on what it holds.
const PASS_ON_EACH: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests;
