//! A sink that logs every request, and the log as it reads.

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use super::Sink;

/// A running `throng sink --log`.
pub(crate) struct LoggingSink {
    sink: Sink,
    path: PathBuf,
    _folder: TempDir,
}

/// One request as the sink saw it. Instants are in nanoseconds since it started.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    /// When the kernel received it.
    pub(crate) arrival_ns: f64,
    /// When the answer's last byte was handed to the kernel; `None` for an answer that was cut.
    pub(crate) departure_ns: Option<f64>,
    pub(crate) path: String,
    pub(crate) status: Option<u16>,
    /// What the queue drew for it.
    pub(crate) service_ns: Option<f64>,
}

impl LoggingSink {
    pub(crate) fn start() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("log.csv");
        let sink = Sink::start_with(&["--log", path.to_str().expect("text")]);
        Self { sink, path, _folder: folder }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        self.sink.url(path)
    }

    /// Ends the sink and returns its lines in the order of arrival.
    pub(crate) fn end(self) -> Vec<Line> {
        let done = self.sink.end("TERM");
        let text = fs::read_to_string(&self.path).expect("the log");
        let mut lines: Vec<Line> = text.lines().skip(2).map(Line::read).collect();
        assert_eq!(done.stderr, format!("served {} requests\n", lines.len()), "all are logged");
        lines.sort_by(|one, other| one.arrival_ns.total_cmp(&other.arrival_ns));
        lines
    }
}

impl Line {
    fn read(text: &str) -> Self {
        let fields: Vec<&str> = text.split(',').collect();
        let [arrival, departure, _worker, _method, path, status, service] = fields[..] else {
            panic!("{text}");
        };
        let number = |field: &str| (!field.is_empty()).then(|| field.parse().expect("a number"));
        Self {
            arrival_ns: number(arrival).expect("always known"),
            departure_ns: number(departure),
            path: path.to_owned(),
            status: (!status.is_empty()).then(|| status.parse().expect("a status")),
            service_ns: number(service),
        }
    }
}
