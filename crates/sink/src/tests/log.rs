//! The log as it is found in its file.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::client::Client;
use super::options;
use crate::Sink;

/// A sink that keeps a log.
struct Logging {
    sink: Sink,
    path: PathBuf,
    _folder: TempDir,
}

/// One line.
#[derive(Debug)]
struct Line {
    arrival_ns: u64,
    departure_ns: Option<u64>,
    worker: usize,
    method: String,
    path: String,
    status: Option<u16>,
    service_ns: Option<u64>,
}

impl Logging {
    fn start(workers: usize) -> Self {
        Self::with_seed(workers, 1)
    }

    fn with_seed(workers: usize, seed: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.csv");
        let mut options = options(workers);
        options.seed = seed;
        options.log = Some(path.clone());
        Self { sink: Sink::start(&options).unwrap(), path, _folder: folder }
    }

    fn client(&self) -> Client {
        Client::connect(self.sink.address())
    }

    /// Stops the sink and returns its lines in the order of arrival.
    fn lines(self) -> Vec<Line> {
        read(&self.text())
    }

    /// Stops the sink and returns its log.
    fn text(self) -> String {
        self.sink.stop().unwrap();
        fs::read_to_string(&self.path).unwrap()
    }
}

fn read(text: &str) -> Vec<Line> {
    let mut lines: Vec<Line> = text.lines().skip(2).map(Line::read).collect();
    lines.sort_by_key(|line| line.arrival_ns);
    lines
}

impl Line {
    fn read(text: &str) -> Self {
        let fields: Vec<&str> = text.split(',').collect();
        let [arrival, departure, worker, method, path, status, service] = fields[..] else {
            panic!("{text}");
        };
        Self {
            arrival_ns: arrival.parse().unwrap(),
            departure_ns: optional(departure),
            worker: worker.parse().unwrap(),
            method: method.to_owned(),
            path: path.to_owned(),
            status: optional(status),
            service_ns: optional(service),
        }
    }

    fn sojourn_ns(&self) -> u64 {
        self.departure_ns.unwrap() - self.arrival_ns
    }
}

fn optional<T: std::str::FromStr<Err: std::fmt::Debug>>(field: &str) -> Option<T> {
    (!field.is_empty()).then(|| field.parse().unwrap())
}

const MS: u64 = 1_000_000;

#[test]
fn every_request_has_one_line_that_says_what_it_asked_and_got() {
    let logging = Logging::start(2);
    let (mut one, mut other) = (logging.client(), logging.client());
    one.ask("GET", "/");
    one.ask("HEAD", "/chunked/1000?a=b");
    other.ask("GET", "/status/204");
    one.ask("GET", "/nowhere");
    other.ask("GET", "/get");
    assert_eq!(logging.sink.request_count(), 5);
    let lines = logging.lines();
    let seen: Vec<_> = lines
        .iter()
        .map(|line| (line.worker, &*line.method, &*line.path, line.status, line.service_ns))
        .collect();
    assert_eq!(
        seen,
        [
            (0, "GET", "/", Some(200), None),
            (0, "HEAD", "/chunked/1000?a=b", Some(200), None),
            (1, "GET", "/status/204", Some(204), None),
            (0, "GET", "/nowhere", Some(404), None),
            (1, "GET", "/get", Some(200), None),
        ]
    );
    assert!(lines.iter().all(|line| line.departure_ns >= Some(line.arrival_ns)), "{lines:?}");
}

#[test]
fn an_answer_that_never_was_whole_has_no_departure() {
    let logging = Logging::start(1);
    for path in ["/close", "/close/head", "/close/body"] {
        let mut client = logging.client();
        client.send(&format!("GET {path} HTTP/1.1\r\nHost: h\r\n\r\n"));
        client.rest();
    }
    let mut waiting = Vec::new();
    for path in ["/stall", "/stall/body", "/bytes/10737418240", "/delay/1h"] {
        let mut client = logging.client();
        client.send(&format!("GET {path} HTTP/1.1\r\nHost: h\r\n\r\n"));
        waiting.push(client);
        while logging.sink.request_count() < 3 + waiting.len() as u64 {
            std::thread::yield_now();
        }
    }
    let lines = logging.lines();
    let seen: Vec<_> = lines.iter().map(|line| (&*line.path, line.status)).collect();
    assert_eq!(
        seen,
        [
            ("/close", None),
            ("/close/head", Some(200)),
            ("/close/body", Some(200)),
            ("/stall", None),
            ("/stall/body", Some(200)),
            ("/bytes/10737418240", Some(200)),
            ("/delay/1h", None),
        ]
    );
    assert!(lines.iter().all(|line| line.departure_ns.is_none()), "{lines:?}");
}

#[test]
fn departure_is_when_the_last_byte_left_not_when_the_answer_was_made() {
    const BYTES: usize = 50_000_000;
    let logging = Logging::start(1);
    let mut client = logging.client();
    client.send(&format!("GET /bytes/{BYTES} HTTP/1.1\r\nHost: h\r\n\r\n"));
    // More than the kernel holds for a client that does not read.
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(client.answer(false).body.len(), BYTES);
    client.ask("GET", "/delay/30ms");
    let lines = logging.lines();
    assert!(lines[0].sojourn_ns() >= 100 * MS, "{lines:?}");
    assert!(lines[1].sojourn_ns() >= 30 * MS, "{lines:?}");
}

#[test]
fn answers_to_pipelined_requests_depart_one_by_one() {
    let logging = Logging::start(1);
    let mut client = logging.client();
    client.send(
        "GET /bytes/1 HTTP/1.1\r\nHost: h\r\n\r\nGET /delay/50ms HTTP/1.1\r\nHost: h\r\n\r\n\
         GET /bytes/3 HTTP/1.1\r\nHost: h\r\n\r\n",
    );
    (0..3).for_each(|_| drop(client.answer(false)));
    let mut lines = logging.lines();
    lines.sort_by_key(|line| line.departure_ns);
    let paths: Vec<&str> = lines.iter().map(|line| &*line.path).collect();
    assert_eq!(paths, ["/bytes/1", "/delay/50ms", "/bytes/3"]);
    assert!(
        lines[1].departure_ns.unwrap() - lines[0].departure_ns.unwrap() >= 40 * MS,
        "{lines:?}"
    );
}

#[test]
fn arrival_is_the_kernel_s_instant_not_that_of_the_sink_s_read() {
    let logging = Logging::start(1);
    let mut client = logging.client();
    client.send("GET /delay/1s HTTP/1.1\r\nHost: h\r\n\r\n");
    client.within(Duration::from_millis(50));
    // The sink reads no further while an answer is under way.
    client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    client.answer(false);
    client.answer(false);
    let lines = logging.lines();
    let gap_ns = lines[1].arrival_ns - lines[0].arrival_ns;
    assert!((50 * MS..900 * MS).contains(&gap_ns), "{lines:?}");
    assert!(lines[1].sojourn_ns() >= 100 * MS, "{lines:?}");
}

#[test]
fn service_times_are_logged_and_repeat_with_their_seed() {
    let services = |seed| {
        let logging = Logging::with_seed(1, seed);
        let mut client = logging.client();
        (0..5).for_each(|_| drop(client.ask("GET", "/queue/exponential/1ms")));
        client.ask("GET", "/queue/fixed/2ms");
        logging.lines().iter().map(|line| line.service_ns.unwrap()).collect::<Vec<_>>()
    };
    let (one, again, other) = (services(1), services(1), services(2));
    assert_eq!(one, again);
    assert_ne!(one[..5], other[..5]);
    assert_eq!(one[5], 2 * MS);
}

#[test]
fn the_queue_s_departures_follow_from_arrivals_and_service_times() {
    let logging = Logging::start(2);
    let mut clients: Vec<Client> = (0..8).map(|_| logging.client()).collect();
    for _ in 0..5 {
        for client in &mut clients {
            client.send("GET /queue/exponential/1ms HTTP/1.1\r\nHost: h\r\n\r\n");
        }
        clients.iter_mut().for_each(|client| drop(client.answer(false)));
    }
    let lines = logging.lines();
    assert_eq!(lines.len(), 40);
    // Two workers may read two heads in either order, so only the sum is known for sure: in each
    // round of eight the last departure is no earlier than the sum of the eight service times.
    for round in lines.chunks(8) {
        let busy_ns: u64 = round.iter().map(|line| line.service_ns.unwrap()).sum();
        let last_ns = round.iter().map(|line| line.departure_ns.unwrap()).max().unwrap();
        assert!(last_ns >= round[0].arrival_ns + busy_ns, "{round:?}");
    }
}

#[test]
fn lines_are_in_the_file_while_the_sink_runs() {
    let logging = Logging::start(1);
    logging.client().ask("GET", "/");
    let start = Instant::now();
    while read(&fs::read_to_string(&logging.path).unwrap()).is_empty() {
        assert!(start.elapsed() < Duration::from_secs(10), "written at least once a second");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn instants_count_from_the_start_that_the_first_line_names() {
    let logging = Logging::start(1);
    std::thread::sleep(Duration::from_millis(20));
    logging.client().ask("GET", "/");
    let text = logging.text();
    assert!((20 * MS..10_000 * MS).contains(&read(&text)[0].arrival_ns), "{text}");
    let named = text.split_once("started_unix_ns=").unwrap().1.split(' ').next().unwrap();
    let started = Duration::from_nanos(named.parse().unwrap());
    let age = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap() - started;
    assert!(age < Duration::from_secs(60), "{age:?}");
}

#[test]
fn a_foreign_file_in_the_log_s_place_keeps_the_sink_from_starting() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("thesis.csv");
    fs::write(&path, "years of work").unwrap();
    let mut options = options(1);
    options.log = Some(path.clone());
    let error = Sink::start(&options).unwrap_err();
    assert!(error.hint().contains("another name"), "{}", error.hint());
    assert_eq!(fs::read_to_string(&path).unwrap(), "years of work");
}
