//! What was typed to a complete plan.
//!
//! Mistakes that can be seen in the options alone are found first, then files are read, then names
//! are resolved: the slowest and least certain step comes last.

use std::path::Path;
use std::time::Duration;

use throng_engine::plan::{Arrivals, Endpoint, Model, Plan, Pool, Rate, Stop};
use throng_journey::Url;
use throng_measure::{HIGHEST_NS, Objectives};

use super::error::PlanError;
use super::options::Options;
use super::request::request;
use super::rules;
use super::tls::tls;
use crate::environment::half_of_the_processors;
use crate::failure::Failure;
use crate::front::{Job, JsonTo, Outputs};
use crate::objectives;
use crate::preflight;
use crate::preflight::names::{self, Family};

/// Makes a job of the options.
///
/// # Errors
/// [`PlanError`] for what was typed, [`names::NameError`] for names that lead nowhere.
pub(crate) fn job(options: &Options) -> Result<Job, Box<dyn Failure>> {
    let url = url(options)?;
    if let Some(rule) = rules::broken(options) {
        return Err(PlanError::Combination(rule).into());
    }
    let stop = stop(options);
    let timeout_ns = timeout_ns(options)?;
    let rate = options.rate.map(sendable).transpose()?;
    let warmup_ns = warmup_ns(options, stop, rate)?;
    let typed = Typed::of(options)?;
    let tls = tls(options, &url)?;
    let conditions = objectives::parse(&options.fail_if)?;
    let request = request(options, &url)?;
    let endpoints = endpoints(options, &url)?;
    let model = model(options, &typed, rate, &endpoints)?;
    let plan = Plan {
        request,
        model,
        stop,
        warmup_ns,
        timeout_ns,
        grace_ns: options.grace.map_or(GRACE_DEFAULT_NS, ns),
        keep_alive: !options.no_keepalive,
        pipeline: typed.pipeline,
        transmit_sampling: typed.transmit_sampling,
        tls,
        // A worker without a connection would have nothing to do.
        workers: typed.threads.min(model.connections_max()),
        seed: options.seed.unwrap_or(SEED_DEFAULT),
        url,
        endpoints,
    };
    let objectives = Objectives { conditions, abort: options.abort };
    Ok(Job { plan, objectives, strict: options.strict, outputs: outputs(options) })
}

/// Counts within their bounds.
struct Typed {
    connections: Option<u32>,
    connections_max: Option<u32>,
    threads: u32,
    pipeline: u32,
    transmit_sampling: u32,
}

impl Typed {
    fn of(options: &Options) -> Result<Self, PlanError> {
        let connections = bounded("-c", options.connections, CONNECTIONS_MAX)?;
        let cap = bounded("--max-connections", options.max_connections, CONNECTIONS_MAX)?;
        let threads = bounded("-t", options.threads, THREADS_MAX)?;
        let pipeline = bounded("--pipeline", options.pipeline, PIPELINE_MAX)?;
        let sampling = bounded("--tx-stamps", options.tx_stamps, TX_STAMPS_MAX)?;
        Ok(Self {
            connections,
            connections_max: cap,
            threads: threads.unwrap_or_else(threads_default),
            pipeline: pipeline.unwrap_or(1),
            transmit_sampling: sampling.unwrap_or(TX_STAMPS_DEFAULT),
        })
    }
}

fn bounded(option: &'static str, given: Option<u64>, limit: u32) -> Result<Option<u32>, PlanError> {
    match given.map(u32::try_from) {
        None => Ok(None),
        Some(Ok(value)) if value <= limit => Ok(Some(value)),
        Some(_) => Err(PlanError::TooMany {
            option,
            given: given.unwrap_or_default(),
            limit: limit.into(),
        }),
    }
}

fn url(options: &Options) -> Result<Url, PlanError> {
    if let Some(second) = options.more.first() {
        return Err(PlanError::SecondUrl { second: second.clone() });
    }
    Ok(options.url.as_deref().ok_or(PlanError::NoUrl)?.parse::<Url>()?)
}

fn model(
    options: &Options,
    typed: &Typed,
    rate: Option<Rate>,
    endpoints: &[Endpoint],
) -> Result<Model, Box<dyn Failure>> {
    let Some(rate) = rate else {
        return Ok(Model::Closed { connections: typed.connections.unwrap_or(CONNECTIONS_DEFAULT) });
    };
    let pool = match (typed.connections, typed.connections_max) {
        (Some(count), _) => Pool::Fixed(count),
        (None, Some(cap)) => Pool::UpTo(cap),
        (None, None) => Pool::UpTo(preflight::connections_possible(
            CONNECTIONS_MAX_DEFAULT,
            typed.threads,
            endpoints,
        )?),
    };
    let arrivals = options.arrivals.map_or(Arrivals::Constant, Arrivals::from);
    Ok(Model::Open { rate, arrivals, pool })
}

fn sendable(rate: Rate) -> Result<Rate, PlanError> {
    if rate.per_s() > RATE_MAX_PER_S {
        return Err(PlanError::RateTooHigh {
            given_per_s: rate.per_s(),
            limit_per_s: RATE_MAX_PER_S,
        });
    }
    Ok(rate)
}

fn stop(options: &Options) -> Stop {
    let duration_ns = match (options.duration, options.requests) {
        (Some(duration), _) => Some(ns(duration)),
        (None, Some(_)) => None,
        (None, None) => Some(DURATION_DEFAULT_NS),
    };
    Stop { duration_ns, requests: options.requests }
}

fn timeout_ns(options: &Options) -> Result<u64, PlanError> {
    let timeout_ns = options.timeout.map_or(TIMEOUT_DEFAULT_NS, ns);
    if timeout_ns > HIGHEST_NS {
        return Err(PlanError::TimeoutTooLong {
            given: Duration::from_nanos(timeout_ns),
            limit: Duration::from_nanos(HIGHEST_NS),
        });
    }
    Ok(timeout_ns)
}

fn warmup_ns(options: &Options, stop: Stop, rate: Option<Rate>) -> Result<u64, PlanError> {
    let warmup = options.warmup.unwrap_or_default();
    let warmup_ns = ns(warmup);
    if warmup_ns == 0 {
        return Ok(0);
    }
    if let Some(run_ns) = stop.duration_ns.filter(|&run_ns| warmup_ns >= run_ns) {
        return Err(PlanError::WarmupTooLong { warmup, run: Duration::from_nanos(run_ns) });
    }
    if let (Some(requests), Some(rate)) = (stop.requests, rate) {
        // Arrivals 0 ..= n − 1 at `i × per / count`: none is due after this.
        let run_ns = u128::from(requests) * u128::from(rate.per_ns) / u128::from(rate.count);
        let run_ns = u64::try_from(run_ns).unwrap_or(u64::MAX);
        if warmup_ns >= run_ns {
            let run = Duration::from_nanos(run_ns);
            return Err(PlanError::WarmupTakesAll { warmup, requests, run });
        }
    }
    Ok(warmup_ns)
}

fn endpoints(options: &Options, url: &Url) -> Result<Vec<Endpoint>, Box<dyn Failure>> {
    if let Some(path) = &options.unix {
        return Ok(vec![Endpoint::Unix(path.clone())]);
    }
    let family = match (options.ipv4, options.ipv6) {
        (true, _) => Some(Family::V4),
        (_, true) => Some(Family::V6),
        _ => None,
    };
    let mut overrides = Vec::new();
    for resolve in &options.resolve {
        if !resolve.host.eq_ignore_ascii_case(&url.host) || resolve.port != url.port {
            return Err(PlanError::ResolveUnused {
                given: host_and_port(&resolve.host, resolve.port),
                url: host_and_port(&url.host, url.port),
            }
            .into());
        }
        overrides.extend_from_slice(&resolve.addresses);
    }
    Ok(names::endpoints(url, &overrides, family)?)
}

fn host_and_port(host: &str, port: u16) -> String {
    if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
}

fn outputs(options: &Options) -> Outputs {
    let json = options.json.as_ref().map(|path| match path {
        path if path == Path::new("-") => JsonTo::Stdout,
        path => JsonTo::File(path.clone()),
    });
    Outputs { quiet: options.quiet, json, run_file: options.out.clone() }
}

/// Half of the processors: the server under test is often on the same machine, and one thread
/// saturates most servers.
fn threads_default() -> u32 {
    u32::try_from(half_of_the_processors().get()).unwrap_or(THREADS_MAX).min(THREADS_MAX)
}

/// Parsers give durations of at most 64 bits of nanoseconds.
fn ns(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// As in wrk.
const CONNECTIONS_DEFAULT: u32 = 10;
const CONNECTIONS_MAX_DEFAULT: u32 = 10_000;
/// As many as there are local ports for a dozen addresses; a typing error beyond that.
const CONNECTIONS_MAX: u32 = 1_000_000;
const THREADS_MAX: u32 = 1_024;
const PIPELINE_MAX: u32 = 1_024;
/// Ten stamped requests near a percentile, which take it apart, are there after some thousands.
const TX_STAMPS_DEFAULT: u32 = 64;
const TX_STAMPS_MAX: u32 = 1_000_000_000;
/// A hundred times what one processor can send.
const RATE_MAX_PER_S: f64 = 10_000_000.0;
const DURATION_DEFAULT_NS: u64 = 10_000_000_000;
const TIMEOUT_DEFAULT_NS: u64 = 10_000_000_000;
/// Long enough for nearly every answer that will come at all, short enough that a server that hangs
/// at the end does not double the length of a default run.
const GRACE_DEFAULT_NS: u64 = 5_000_000_000;
/// Fixed, so that a result can be reproduced without having recorded anything.
const SEED_DEFAULT: u64 = 1;

#[cfg(test)]
mod tests;
