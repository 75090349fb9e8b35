//! The plan: everything that decides what a run does.
//!
//! A plan is made by a front (the command line, later a file), checked by preflight, never changed
//! afterwards, and stored in every result. Same plan and same seed give the same schedule,
//! whatever the number of workers.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use throng_journey::{Request, Url};
use throng_measure::format;

mod tls;

pub use tls::{ClientCertificate, Group, Resume, Tls, TlsVersion, Trust};

/// A run, completely described.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The URL as given: for people. `endpoints` decides what is connected to.
    pub url: Url,
    /// Where connections go, used in turn. Never empty.
    pub endpoints: Vec<Endpoint>,
    /// What is sent.
    pub request: Request,
    /// When it is sent.
    pub model: Model,
    /// When the run ends.
    pub stop: Stop,
    /// Requests due before this instant are not part of the result.
    pub warmup_ns: u64,
    /// How long a request may take from dispatch to the last byte of its answer.
    pub timeout_ns: u64,
    /// How long after the end of the plan answers are waited for.
    pub grace_ns: u64,
    /// Whether a connection carries more than one request.
    pub keep_alive: bool,
    /// Requests in flight on one connection at a time. At least 1; 1 is no pipelining.
    pub pipeline: u32,
    /// The kernel stamps the transmission of one request in so many; 0: of none. Never with
    /// pipelining, where one write carries several requests.
    pub transmit_sampling: u32,
    /// How TLS is spoken; `None`: it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls: Option<Tls>,
    /// Threads that generate load. At least 1.
    pub workers: u32,
    /// Decides every random choice.
    pub seed: u64,
}

/// When requests are due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Model {
    /// Each user sends its next request when the answer to the last one has come. There are as
    /// many users as requests fit in flight: connections × pipeline depth.
    Closed {
        /// Connections. At least 1.
        connections: u32,
    },
    /// Requests are due at instants that do not depend on the answers.
    Open {
        /// Mean arrivals per time.
        rate: Rate,
        /// How they are spaced.
        arrivals: Arrivals,
        /// Connections to send them on.
        pool: Pool,
    },
}

impl Model {
    /// The most connections that may be open at one time.
    #[must_use]
    pub fn connections_max(self) -> u32 {
        match self {
            Self::Closed { connections } => connections,
            Self::Open { pool, .. } => pool.connections_max(),
        }
    }
}

/// How open-model arrivals are spaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arrivals {
    /// Equal gaps.
    Constant,
    /// Exponential gaps: independent users.
    Poisson,
    /// One arrival at a random instant of each equal slice: exact count, no bunching.
    Uniform,
}

/// Connections of an open-model run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pool {
    /// Exactly so many: a request that finds none free waits, and its wait counts.
    Fixed(u32),
    /// As many as are needed, up to so many; beyond, requests wait.
    UpTo(u32),
}

impl Pool {
    /// The most connections that it may hold.
    #[must_use]
    pub fn connections_max(self) -> u32 {
        match self {
            Self::Fixed(count) | Self::UpTo(count) => count,
        }
    }
}

/// A rate, kept as the fraction that was typed so that schedules do not drift: 2.5/s is 25 in 10 s.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rate {
    /// Arrivals in `per_ns`. At least 1.
    pub count: u64,
    /// Nanoseconds. At least 1.
    pub per_ns: u64,
}

impl Rate {
    /// Arrivals per second.
    #[must_use]
    #[allow(clippy::cast_precision_loss, reason = "for display and pool sizing only")]
    pub fn per_s(self) -> f64 {
        self.count as f64 * 1e9 / self.per_ns as f64
    }
}

/// When a run ends: at the earlier of both. At least one is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stop {
    /// Requests due at or after this instant are not part of the plan. Counted from the run's
    /// first instant, warm-up included.
    pub duration_ns: Option<u64>,
    /// So many requests are planned, warm-up included.
    pub requests: Option<u64>,
}

/// Where a connection goes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Endpoint {
    /// TCP.
    Tcp(SocketAddr),
    /// A Unix stream socket.
    Unix(PathBuf),
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => address.fmt(f),
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

impl Plan {
    /// The most connections that the plan may have open at one time.
    #[must_use]
    pub fn connections_max(&self) -> u32 {
        self.model.connections_max()
    }

    /// One line for people: "open model: 2,000/s Poisson, up to 10,000 connections, GET …".
    #[must_use]
    pub fn title(&self) -> String {
        let what = format!("{} {}", self.request.method, self.url);
        match self.model {
            Model::Closed { connections } => {
                format!("closed model: {}, {what}", counted(connections, "connection"))
            }
            Model::Open { rate, arrivals, pool } => {
                let arrivals = match arrivals {
                    Arrivals::Constant => "constant",
                    Arrivals::Poisson => "Poisson",
                    Arrivals::Uniform => "uniform",
                };
                let pool = match pool {
                    Pool::Fixed(count) => counted(count, "connection"),
                    Pool::UpTo(count) => format!("up to {}", counted(count, "connection")),
                };
                format!("open model: {}/s {arrivals}, {pool}, {what}", format::rate(rate.per_s()))
            }
        }
    }
}

fn counted(count: u32, noun: &str) -> String {
    format!("{} {noun}{}", format::count(count.into()), if count == 1 { "" } else { "s" })
}
