//! How each second of a run went: what the audit reads from the run file.

use hdrhistogram::Histogram;

use crate::distribution::{TAIL_SAMPLES, fold};
use crate::{Interval, Metric, RunFile, RunFileError, Summary, Tick, WINDOW_NS};

/// What the audit knows of a run beside its summary.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// The measured seconds, in the order of time. A second without any request or event is not
    /// among them.
    pub seconds: Vec<SecondFacts>,
    /// TCP segments that the whole host sent again during the run, where that is known.
    pub host_retransmitted: Option<u64>,
}

/// What the audit knows of one second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SecondFacts {
    /// Seconds since the end of the warm-up.
    pub window: i64,
    /// Whether the second lies wholly within the measured time.
    pub is_whole: bool,
    /// Requests that were due in it and have ended.
    pub count: u64,
    /// Answers that came in it, whenever their requests were due.
    pub completed: u64,
    /// Median response time; of unanswered requests, the time that throng waited.
    pub p50_ns: u64,
    /// The 99th percentile likewise.
    pub p99_ns: u64,
    /// The highest percentile of lateness that the second's count supports, and of response time.
    pub tail: Option<Tail>,
    /// How long the workers were kept from their work, in sum.
    pub stalled_ns: u64,
    /// The share of the time that the busiest worker's thread was on a processor.
    pub busiest_worker_ratio: Option<f64>,
    /// The share of processor time that the hypervisor gave to others.
    pub steal_ratio: Option<f64>,
    /// Times that the wall clock was seen to be set.
    pub clock_steps: u64,
    /// Requests waiting or in flight when it ended.
    pub outstanding: Option<u64>,
}

/// A percentile of one second, as high as its count supports.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tail {
    /// 0..1.
    pub share: f64,
    /// Lateness there.
    pub lateness_ns: u64,
    /// Response time there.
    pub response_ns: u64,
}

impl Facts {
    /// Reads them.
    ///
    /// # Errors
    /// Those of reading the run file.
    pub fn read(run: &RunFile, summary: &Summary) -> Result<Self, RunFileError> {
        let mut facts = Self::default();
        run.for_each_window(|interval| {
            let starts_ns = i128::from(interval.window) * i128::from(WINDOW_NS);
            if (0..i128::from(summary.span_ns)).contains(&starts_ns) {
                facts.seconds.push(SecondFacts::of(interval, summary.span_ns));
            }
            Ok::<_, RunFileError>(())
        })?;
        let mut clock_steps = 0;
        run.for_each_tick(|tick| {
            let new_steps = tick.gauges.clock_steps.saturating_sub(clock_steps);
            clock_steps = tick.gauges.clock_steps;
            facts.note_tick(tick, summary.warmup_ns, new_steps);
        })?;
        Ok(facts)
    }

    /// The seconds that lie wholly within the measured time.
    pub(super) fn whole(&self) -> impl Iterator<Item = &SecondFacts> {
        self.seconds.iter().filter(|second| second.is_whole)
    }

    /// Adds what a tick says to the second that it ended.
    fn note_tick(&mut self, tick: &Tick, warmup_ns: u64, clock_steps: u64) {
        if let Some(count) = tick.second.host_retransmitted {
            *self.host_retransmitted.get_or_insert(0) += count;
        }
        // A tick is written up to half a second after the second that it is about.
        let since_warmup = i128::from(tick.elapsed_ns) - i128::from(warmup_ns);
        let window = (since_warmup - i128::from(WINDOW_NS / 2)).div_euclid(i128::from(WINDOW_NS));
        let Ok(place) = self.seconds.binary_search_by_key(&window, |s| i128::from(s.window)) else {
            return;
        };
        let second = &mut self.seconds[place];
        let higher = |a: Option<f64>, b: Option<f64>| a.into_iter().chain(b).max_by(f64::total_cmp);
        // The last second of a run may have two: one at its end and one at the run's.
        second.busiest_worker_ratio =
            higher(second.busiest_worker_ratio, tick.second.busiest_worker_ratio);
        second.steal_ratio = higher(second.steal_ratio, tick.second.steal_ratio);
        second.clock_steps += clock_steps;
        let outstanding = u64::from(tick.gauges.queued) + u64::from(tick.gauges.in_flight);
        second.outstanding.get_or_insert(outstanding);
    }
}

impl SecondFacts {
    fn of(interval: &Interval, span_ns: u64) -> Self {
        let lateness = interval.histogram(Metric::Lateness);
        let mut response = interval.answered();
        fold(&mut response, &interval.histogram(Metric::Unanswered));
        let stalls = interval.histogram(Metric::Stall);
        let ends_ns = (i128::from(interval.window) + 1) * i128::from(WINDOW_NS);
        Self {
            window: interval.window,
            is_whole: ends_ns <= i128::from(span_ns),
            count: interval.counts.ended(),
            completed: interval.counts.completed,
            p50_ns: response.value_at_quantile(0.5),
            p99_ns: response.value_at_quantile(0.99),
            tail: Tail::of(&lateness, &response),
            // Sums of milliseconds: their last digits do not matter.
            stalled_ns: (stalls.mean() * stalls.len() as f64) as u64,
            ..Self::default()
        }
    }
}

impl Tail {
    fn of(lateness: &Histogram<u64>, response: &Histogram<u64>) -> Option<Self> {
        let count = lateness.len().min(response.len());
        let supported = |share: &f64| count as f64 * (1.0 - share) >= TAIL_SAMPLES as f64;
        // 0.99 is not exact: a thousand samples have ten beyond it all the same.
        let share = [0.99, 0.9, 0.5].into_iter().find(|share| supported(&(share - 1e-9)))?;
        Some(Self {
            share,
            lateness_ns: lateness.value_at_quantile(share),
            response_ns: response.value_at_quantile(share),
        })
    }
}
