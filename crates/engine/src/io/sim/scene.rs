//! What a simulated run meets: the server's speed, the network's manners, and trouble.

use std::ops::Range;

use throng_measure::Nanos;

use crate::workload::{mix, unit_interval};

/// A server and the way to it.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Decides every random choice of the scene.
    pub seed: u64,
    /// One way, each way. At least 1: virtual time must pass.
    pub latency_ns: u64,
    /// How long the server works on a request.
    pub service: Service,
    /// By what share the server's work takes longer with each second; shorter when negative.
    pub ageing_per_s: f64,
    /// Whether the server works on one request at a time (first come, first served), rather than
    /// on all at once.
    pub one_at_a_time: bool,
    /// While it lasts nothing is worked on or answered: a stopped process. Nanoseconds since the
    /// run began.
    pub stalls: Vec<Range<u64>>,
    /// The bytes of every answer.
    pub answer: Vec<u8>,
    /// What goes wrong, and how often.
    pub trouble: Trouble,
    /// Answers arrive in pieces, each a little later.
    pub splits: bool,
    /// The kernel often takes only a part of what is sent.
    pub short_writes: bool,
    /// How long each send keeps the worker: a generator that is too slow for its plan.
    pub send_ns: u64,
    /// The generator does not run while these last. Nanoseconds since the run began.
    pub pauses: Vec<Range<u64>>,
    /// Times at which the system's wall clock is set.
    pub clock_steps: Vec<ClockStep>,
}

/// The wall clock is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockStep {
    /// Nanoseconds since the run began.
    pub at_ns: u64,
    /// Forward by so much; backward when negative.
    pub by_ns: i64,
}

impl ClockStep {
    /// When a backend that compares its clocks every 100 ms has seen it.
    pub(super) fn seen_at_ns(self) -> u64 {
        (self.at_ns / 100_000_000 + 1) * 100_000_000
    }
}

/// How long the server works on a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service {
    /// Always so long.
    Fixed(u64),
    /// Exponentially distributed with this mean.
    Exponential(u64),
}

/// Probabilities, 0..=1: of a connect for `starve_ratio` and `refuse_ratio`, else of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Trouble {
    /// The generator has no file or port left for the connection.
    pub starve_ratio: f64,
    /// The request is lost on its way and sent again.
    pub loss_ratio: f64,
    /// The connection is refused.
    pub refuse_ratio: f64,
    /// The connection is reset instead of an answer.
    pub reset_ratio: f64,
    /// No answer ever comes.
    pub silence_ratio: f64,
    /// The connection is closed in order instead of an answer.
    pub close_ratio: f64,
    /// The answer breaks off in the middle and the connection is closed.
    pub truncate_ratio: f64,
    /// The answer is not HTTP.
    pub garbage_ratio: f64,
    /// The connection is closed right after a whole answer, unannounced.
    pub close_after_ratio: f64,
}

impl Scene {
    /// A server that answers 100 bytes with status 200 after `service_ns`, 20 µs away, without
    /// trouble.
    #[must_use]
    pub fn quiet(seed: u64, service_ns: u64) -> Self {
        let mut answer = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n".to_vec();
        answer.resize(answer.len() + 100, b'a');
        Self {
            seed,
            latency_ns: 20_000,
            service: Service::Fixed(service_ns),
            ageing_per_s: 0.0,
            one_at_a_time: false,
            stalls: Vec::new(),
            answer,
            trouble: Trouble::default(),
            splits: false,
            short_writes: false,
            send_ns: 0,
            pauses: Vec::new(),
            clock_steps: Vec::new(),
        }
    }

    /// What a kernel timestamp of an instant is taken for: wrong from a step of the wall clock
    /// until it is seen.
    pub(super) fn stamp_of(&self, instant: Nanos) -> Nanos {
        let unseen = self
            .clock_steps
            .iter()
            .filter(|step| (step.at_ns..step.seen_at_ns()).contains(&instant.0));
        Nanos(unseen.fold(instant.0, |ns, step| ns.saturating_add_signed(step.by_ns)))
    }
}

/// The scene's random numbers: one stream per worker.
#[derive(Clone, Debug)]
pub(super) struct Random {
    seed: u64,
    drawn: u64,
}

impl Random {
    pub(super) fn new(seed: u64, stream: u64) -> Self {
        Self { seed: mix(seed ^ mix(stream)), drawn: 0 }
    }

    /// Uniform in [0, 1).
    pub(super) fn unit(&mut self) -> f64 {
        self.drawn += 1;
        unit_interval(self.seed, self.drawn)
    }

    pub(super) fn happens(&mut self, ratio: f64) -> bool {
        // Without trouble, no number is drawn: a quiet scene costs nothing.
        ratio > 0.0 && self.unit() < ratio
    }

    /// Uniform in 0..`bound`; 0 when that is empty.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.drawn += 1;
        mix(self.seed ^ mix(self.drawn)).checked_rem(bound).unwrap_or(0)
    }
}
