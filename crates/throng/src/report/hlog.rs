//! Histograms per second, as HdrHistogram's log tools read them (interval log, version 1.3).
//!
//! Values are nanoseconds; the column `Interval_Max` is in milliseconds, as those tools expect.
//! Lines without a tag are the response times of the answers due in that second, the tags
//! [`TAGGED`] are the other durations. `Tag=unanswered` has how long requests without an answer
//! were waited for: lower bounds of their response times.

use std::io::{self, Write};
use std::time::Duration;

use hdrhistogram::serialization::interval_log::{
    IntervalLogWriterBuilder, IntervalLogWriterError, Tag,
};
use hdrhistogram::serialization::{V2DeflateSerializeError, V2DeflateSerializer};
use throng_measure::{Metric, RunFile, Summary, WINDOW_NS};

use super::ReportError;

/// The durations beside the response time, each with its tag.
const TAGGED: [(Metric, &str); 6] = [
    (Metric::Unanswered, "unanswered"),
    (Metric::Service, "service"),
    (Metric::Lateness, "lateness"),
    (Metric::QueueWait, "queue_wait"),
    (Metric::FirstByte, "first_byte"),
    (Metric::Connect, "connect"),
];

/// Nanoseconds of the unit of `Interval_Max`.
const MAX_UNIT_NS: f64 = 1e6;

pub(super) fn write(
    run: &RunFile,
    summary: &Summary,
    mut out: &mut dyn Write,
) -> Result<(), ReportError> {
    // Windows count from the end of the warm-up; so do the log's times.
    let from_ns = summary.started_unix_ns.saturating_add_unsigned(summary.warmup_ns);
    let from_s = Duration::from_nanos(u64::try_from(from_ns).unwrap_or(0)).as_secs_f64();
    writeln!(out, "#[Histogram log format version 1.3]")?;
    writeln!(out, "#[Logged with throng {}; values are nanoseconds]", summary.version)?;
    writeln!(out, "#[StartTime: {from_s:.3} (seconds since epoch)]")?;
    writeln!(out, "#[BaseTime: {from_s:.3} (seconds since epoch)]")?;
    writeln!(out, "{LEGEND}")?;
    let mut serializer = V2DeflateSerializer::new();
    let mut log = IntervalLogWriterBuilder::new()
        .with_max_value_divisor(MAX_UNIT_NS)
        .begin_log_with(&mut out, &mut serializer)?;
    let length = Duration::from_nanos(WINDOW_NS);
    run.for_each_window(|interval| {
        let Ok(window) = u64::try_from(interval.window) else { return Ok(()) };
        let start = Duration::from_nanos(window.saturating_mul(WINDOW_NS));
        log.write_histogram(&interval.answered(), start, length, None).map_err(error)?;
        for (metric, tag) in TAGGED {
            let histogram = interval.histogram(metric);
            if !histogram.is_empty() {
                log.write_histogram(&histogram, start, length, Tag::new(tag)).map_err(error)?;
            }
        }
        Ok::<_, ReportError>(())
    })
}

/// Counts below 2^63 always have an encoded form; only `out` can fail.
fn error(error: IntervalLogWriterError<V2DeflateSerializeError>) -> ReportError {
    match error {
        IntervalLogWriterError::IoError(error) => error.into(),
        IntervalLogWriterError::SerializeError(error) => io::Error::other(error).into(),
    }
}

const LEGEND: &str =
    "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"";
