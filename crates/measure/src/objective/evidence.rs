//! What is known of a subject over a stretch of time.
//!
//! Evidence is what was counted: over one window, or over several added up. The same functions
//! form every value from it, for a run file and for a run that is going on.
//!
//! While requests of a stretch may still end, counts and the maximum can only grow and the minimum
//! can only shrink: they are bounds. Statistics, ratios and rates are those of what has ended.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use hdrhistogram::Histogram;

use super::finding::Shortage;
use super::subject::{Class, Flow};
use super::{Quantity, Statistic, Subject};
use crate::distribution::{Distribution, Percentile, empty_histogram, fold};
use crate::interval::Sum;
use crate::{Interval, Metric, Outcome, Rates};

/// What was counted over a stretch of time.
pub(crate) trait Evidence {
    /// The requests that were due in it, as far as they have ended, by [`Outcome::index`].
    fn outcomes(&self) -> &[u64; Outcome::ALL.len()];
    /// Answers to them with a status among `codes`.
    fn status_count(&self, codes: RangeInclusive<u16>) -> u64;
    /// Requests per second of it.
    fn rates(&self) -> Rates;
    /// Their durations.
    fn histogram(&self, metric: Metric) -> Cow<'_, Histogram<u64>>;
    /// The part of the unfinished of which nothing is known (of a run that was cut).
    fn unknown_count(&self) -> u64;
    /// Whether nothing of it can still change.
    fn is_final(&self) -> bool;
}

/// One window.
pub(crate) struct Window<'a> {
    pub(crate) interval: &'a Interval,
    pub(crate) is_final: bool,
}

/// Several windows added up.
pub(crate) struct Added<'a> {
    pub(crate) sum: &'a Sum,
    pub(crate) rates: Rates,
    pub(crate) unknown_count: u64,
    pub(crate) is_final: bool,
}

/// What is known of a number: nanoseconds, per second, a ratio or a count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Known {
    Exactly(f64),
    AtLeast(f64),
    AtMost(f64),
}

impl Evidence for Window<'_> {
    fn outcomes(&self) -> &[u64; Outcome::ALL.len()] {
        &self.interval.counts.outcomes
    }

    fn status_count(&self, codes: RangeInclusive<u16>) -> u64 {
        self.interval.status_count(codes)
    }

    fn rates(&self) -> Rates {
        let counts = &self.interval.counts;
        // A window is a second long, and all that was planned in it ends.
        Rates {
            offered_per_s: counts.ended() as f64,
            achieved_per_s: counts.completed as f64,
            ok_per_s: counts.completed_ok as f64,
        }
    }

    fn histogram(&self, metric: Metric) -> Cow<'_, Histogram<u64>> {
        Cow::Owned(self.interval.histogram(metric))
    }

    fn unknown_count(&self) -> u64 {
        0
    }

    fn is_final(&self) -> bool {
        self.is_final
    }
}

impl Evidence for Added<'_> {
    fn outcomes(&self) -> &[u64; Outcome::ALL.len()] {
        &self.sum.counts.outcomes
    }

    fn status_count(&self, codes: RangeInclusive<u16>) -> u64 {
        self.sum.status_count(codes)
    }

    fn rates(&self) -> Rates {
        self.rates
    }

    fn histogram(&self, metric: Metric) -> Cow<'_, Histogram<u64>> {
        Cow::Borrowed(self.sum.histogram(metric))
    }

    fn unknown_count(&self) -> u64 {
        self.unknown_count
    }

    fn is_final(&self) -> bool {
        self.is_final
    }
}

impl Subject {
    /// What the evidence says of it.
    pub(crate) fn known(self, evidence: &dyn Evidence) -> Result<Known, Shortage> {
        let growing = |number: f64| match evidence.is_final() {
            true => Known::Exactly(number),
            false => Known::AtLeast(number),
        };
        match self {
            Self::Duration(statistic, quantity) => statistic.known(quantity, evidence),
            Self::Count(class) => Ok(growing(class.count(evidence) as f64)),
            Self::Ratio(class) => match Class::Planned.count(evidence) {
                0 => Err(Shortage::NoSamples),
                planned => Ok(Known::Exactly(class.count(evidence) as f64 / planned as f64)),
            },
            Self::Rate(Flow::Offered) => Ok(growing(evidence.rates().offered_per_s)),
            Self::Rate(Flow::Achieved) => Ok(Known::Exactly(evidence.rates().achieved_per_s)),
            Self::Rate(Flow::Ok) => Ok(Known::Exactly(evidence.rates().ok_per_s)),
        }
    }
}

impl Class {
    fn count(self, evidence: &dyn Evidence) -> u64 {
        let outcomes = evidence.outcomes();
        match self {
            Self::Planned => outcomes.iter().sum(),
            Self::Error => outcomes.iter().sum::<u64>() - outcomes[Outcome::Ok.index()],
            Self::Outcome(outcome) => outcomes[outcome.index()],
            Self::Status(codes) => evidence.status_count(codes.range()),
        }
    }
}

impl Statistic {
    fn known(self, quantity: Quantity, evidence: &dyn Evidence) -> Result<Known, Shortage> {
        let samples = quantity.samples(evidence);
        let Self::At(quantile) = self else {
            let all =
                Distribution::of_arrivals(&samples.values, &samples.bounds, samples.unknown_count);
            return self.of_all(&all, evidence.is_final()).ok_or(match all.count {
                0 => Shortage::NoSamples,
                _ => Shortage::Unbounded,
            });
        };
        match quantile.of_arrivals(&samples.values, &samples.bounds, samples.unknown_count) {
            Percentile::Value(ns) => Ok(Known::Exactly(ns as f64)),
            Percentile::AtLeast(ns) => Ok(Known::AtLeast(ns as f64)),
            Percentile::NotEnough { needed_count } => {
                Err(Shortage::TooFewSamples { count: samples.count(), needed_count })
            }
        }
    }

    /// The statistics that a distribution has whatever its size.
    fn of_all(self, all: &Distribution, is_final: bool) -> Option<Known> {
        let all_known = all.censored_count == 0;
        let exactly_if = |holds, otherwise: fn(f64) -> Known| match holds {
            true => Known::Exactly,
            false => otherwise,
        };
        let ns = |ns: Option<u64>| ns.map(|ns| ns as f64);
        match self {
            Self::Min => ns(all.min_ns).map(exactly_if(is_final, Known::AtMost)),
            Self::Max => ns(all.max_ns).map(exactly_if(is_final && all_known, Known::AtLeast)),
            Self::Mean => all.mean_ns.map(exactly_if(all_known, Known::AtLeast)),
            Self::Stdev => all.stdev_ns.map(Known::Exactly),
            Self::At(_) => None,
        }
    }
}

/// The samples of a duration, as [`Distribution::of_arrivals`] takes them.
struct Samples<'a> {
    values: Cow<'a, Histogram<u64>>,
    bounds: Cow<'a, Histogram<u64>>,
    unknown_count: u64,
}

impl Samples<'_> {
    fn count(&self) -> u64 {
        self.values.len() + self.bounds.len() + self.unknown_count
    }
}

impl Quantity {
    fn samples(self, evidence: &dyn Evidence) -> Samples<'_> {
        match self {
            Self::Of(metric) => Samples {
                values: evidence.histogram(metric),
                bounds: Cow::Owned(empty_histogram()),
                unknown_count: 0,
            },
            Self::Response => {
                let mut values = evidence.histogram(Metric::ResponseOk);
                let errors = evidence.histogram(Metric::ResponseError);
                if !errors.is_empty() {
                    fold(values.to_mut(), &errors);
                }
                let bounds = evidence.histogram(Metric::Unanswered);
                Samples { values, bounds, unknown_count: evidence.unknown_count() }
            }
        }
    }
}
