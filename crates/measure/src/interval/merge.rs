//! Adding intervals up, and the counts as named columns.

use std::ops::RangeInclusive;

use hdrhistogram::Histogram;

use super::{Connections, Counts, Interval};
use crate::distribution::{Distribution, empty_histogram};
use crate::{Cause, Metric, Outcome, Stretches};

/// The names of [`Counts::to_array`] after the outcomes.
const NAMES_AFTER_OUTCOMES: [&str; 18] = [
    "completed",
    "completed_ok",
    "bytes_sent",
    "bytes_received",
    "saturated",
    "connections_opened",
    "connections_failed",
    "connections_idle_closed",
    "requests_retried",
    "connections_timed_out",
    "interim_answers",
    "framing_conflicts",
    "unstamped_answers",
    "connections_unsolicited",
    "connections_starved",
    "segments_retransmitted",
    "requests_untransmitted",
    "requests_waited",
];

impl Counts {
    /// How many counts there are.
    pub const COLUMNS: usize = Outcome::ALL.len() + NAMES_AFTER_OUTCOMES.len();

    /// The name of every count, in the order of [`Counts::to_array`]: columns of the run file.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Outcome::ALL.into_iter().map(Outcome::name).chain(NAMES_AFTER_OUTCOMES)
    }

    /// Every count, in the order of [`Counts::names`].
    #[must_use]
    pub fn to_array(&self) -> [u64; Self::COLUMNS] {
        // Without `..`: a new count does not compile until it has its place here.
        let Self {
            outcomes,
            completed,
            completed_ok,
            bytes_sent,
            bytes_received,
            saturated,
            connections: c,
        } = *self;
        let Connections {
            opened,
            failed,
            idle_closed,
            retried,
            timed_out,
            interim,
            framing_conflicts,
            unstamped,
            unsolicited,
            starved,
            retransmitted,
            untransmitted,
            waited,
        } = c;
        let mut array = [0; Self::COLUMNS];
        let (first, rest) = array.split_at_mut(outcomes.len());
        first.copy_from_slice(&outcomes);
        rest.copy_from_slice(&[
            completed,
            completed_ok,
            bytes_sent,
            bytes_received,
            saturated,
            opened,
            failed,
            idle_closed,
            retried,
            timed_out,
            interim,
            framing_conflicts,
            unstamped,
            unsolicited,
            starved,
            retransmitted,
            untransmitted,
            waited,
        ]);
        array
    }

    /// The counts that [`Counts::to_array`] laid out.
    #[must_use]
    pub fn from_array(array: [u64; Self::COLUMNS]) -> Self {
        let rest = &array[Outcome::ALL.len()..];
        Self {
            outcomes: std::array::from_fn(|i| array[i]),
            completed: rest[0],
            completed_ok: rest[1],
            bytes_sent: rest[2],
            bytes_received: rest[3],
            saturated: rest[4],
            connections: Connections {
                opened: rest[5],
                failed: rest[6],
                idle_closed: rest[7],
                retried: rest[8],
                timed_out: rest[9],
                interim: rest[10],
                framing_conflicts: rest[11],
                unstamped: rest[12],
                unsolicited: rest[13],
                starved: rest[14],
                retransmitted: rest[15],
                untransmitted: rest[16],
                waited: rest[17],
            },
        }
    }

    /// Adds every count of `other`.
    pub fn merge(&mut self, other: &Self) {
        let (mine, others) = (self.to_array(), other.to_array());
        *self = Self::from_array(std::array::from_fn(|i| mine[i] + others[i]));
    }

    /// Requests that ended, whatever way: those of this window that were planned, once every one
    /// of them has ended.
    #[must_use]
    pub fn ended(&self) -> u64 {
        self.outcomes.iter().sum()
    }
}

impl Interval {
    /// Adds the counts, statuses, causes and histograms of `other`. The window and the gauges
    /// stay as they are.
    pub fn merge(&mut self, other: &Self) {
        self.counts.merge(&other.counts);
        for (mine, others) in self.status.iter_mut().zip(other.status.iter()) {
            *mine += others;
        }
        for (mine, others) in self.causes.iter_mut().zip(&other.causes) {
            *mine += others;
        }
        for (mine, others) in self.durations.iter_mut().zip(&other.durations) {
            mine.merge(others);
        }
        self.anatomy.merge(&other.anatomy);
        self.agreements.merge(&other.agreements);
    }

    /// The response times of all answers due in this window, `ok` or not.
    #[must_use]
    pub fn answered(&self) -> Histogram<u64> {
        let mut answered = empty_histogram();
        self.durations(Metric::ResponseOk).fold_into(&mut answered);
        self.durations(Metric::ResponseError).fold_into(&mut answered);
        answered
    }

    /// The response time over all arrivals that were due in this window and have ended.
    #[must_use]
    pub fn response_time(&self) -> Distribution {
        let unanswered = self.histogram(Metric::Unanswered);
        Distribution::of_arrivals(&self.answered(), &unanswered, 0)
    }

    /// How many answers had a status among `codes`.
    pub(crate) fn status_count(&self, codes: RangeInclusive<u16>) -> u64 {
        let codes = usize::from(*codes.start())..=usize::from(*codes.end());
        self.status.get(codes).unwrap_or_default().iter().map(|&count| u64::from(count)).sum()
    }

    /// Sets how many answers had this status; codes that cannot be filed are left out.
    pub(crate) fn set_status(&mut self, code: u16, count: u32) {
        if let Some(place) = self.status.get_mut(usize::from(code)) {
            *place = count;
        }
    }

    /// Sets how many requests ended for this cause.
    pub(crate) fn set_cause(&mut self, cause: Cause, count: u32) {
        self.causes[cause.index()] = count;
    }

    /// Adds stored sums to a cell of the anatomy.
    pub(crate) fn add_stretches(&mut self, cell: usize, stretches: &Stretches) {
        self.anatomy.add(cell, stretches);
    }

    /// Adds a stored histogram to the durations of one metric.
    pub(crate) fn add_histogram(&mut self, metric: Metric, histogram: &Histogram<u64>) {
        self.durations[metric.index()].add(histogram);
    }
}
