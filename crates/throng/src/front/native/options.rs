//! What was typed. An option that was left out is `None`: what it means then is decided in `plan`,
//! which can tell a default from a wish.

use std::path::PathBuf;
use std::time::Duration;

use clap::ValueEnum;
use throng_engine::plan::{Arrivals, Group, Rate, Resume, TlsVersion};

use super::values::{self, Resolve};
use crate::objectives;

/// The options of a quick run, as typed.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Options {
    /// What to measure, such as http://127.0.0.1:8080/
    #[arg(value_name = "URL")]
    pub(crate) url: Option<String>,

    /// More than one URL, to be refused by name.
    #[arg(hide = true)]
    pub(crate) more: Vec<String>,

    /// Connections [default: 10; with -R: as many as needed]
    ///
    /// Each sends its next request when its answer came. With -R they are a pool of fixed size: a
    /// request that finds none free waits, and its wait counts.
    #[arg(short, long, value_name = "N", value_parser = values::count, help_heading = LOAD)]
    pub(crate) connections: Option<u64>,

    /// Requests per time, whatever the server does: N or N/unit
    ///
    /// The open model: requests are due at instants that do not depend on the answers, and response
    /// time counts from there. 1000 is per second; 2.5/s, 500/ms, 60/m, 100/10s are exact
    /// fractions. Without -R the model is closed: the answers decide when the next request is sent.
    #[arg(short = 'R', long, value_name = "RATE", value_parser = values::rate, help_heading = LOAD)]
    pub(crate) rate: Option<Rate>,

    /// How -R spaces requests [default: constant]
    #[arg(long, value_name = "KIND", value_enum, help_heading = LOAD)]
    pub(crate) arrivals: Option<ArrivalsName>,

    /// Cap of the connections that -R opens as needed [default: 10k]
    ///
    /// The default is lowered to what the limits on open files and local ports allow. Requests
    /// beyond the cap wait, and their wait counts.
    #[arg(long, value_name = "N", value_parser = values::count, help_heading = LOAD)]
    pub(crate) max_connections: Option<u64>,

    /// Worker threads [default: half of the processors]
    #[arg(short, long, value_name = "N", value_parser = values::count, help_heading = LOAD)]
    pub(crate) threads: Option<u64>,

    /// Seed of every random choice [default: 1]
    ///
    /// The same plan and seed give the same schedule, whatever the number of threads.
    #[arg(long, value_name = "N", help_heading = LOAD)]
    pub(crate) seed: Option<u64>,

    /// Requests in flight on one connection at a time [default: 1]
    #[arg(long, value_name = "N", value_parser = values::count, help_heading = LOAD)]
    pub(crate) pipeline: Option<u64>,

    /// Let the kernel stamp the sending of one request in N, 0 for none [default: 64]
    ///
    /// Tells apart what is throng's own, what is the wire and the server. Never with --pipeline,
    /// where one write carries several requests, or over Unix sockets.
    #[arg(long, value_name = "N", value_parser = values::count, help_heading = RESULT)]
    pub(crate) tx_stamps: Option<u64>,

    /// How long requests are sent, warm-up included [default: 10s, unless -n is given]
    #[arg(short, long, value_name = "TIME", value_parser = values::duration, help_heading = END)]
    pub(crate) duration: Option<Duration>,

    /// How many requests are sent, exactly; with -d, whichever ends first
    #[arg(short = 'n', long, value_name = "N", value_parser = values::count, help_heading = END)]
    pub(crate) requests: Option<u64>,

    /// Leave out requests due before this [default: 0s]
    #[arg(long, value_name = "TIME", value_parser = values::duration, help_heading = END)]
    pub(crate) warmup: Option<Duration>,

    /// How long a request may take [default: 10s]
    #[arg(long, value_name = "TIME", value_parser = values::duration, help_heading = END)]
    pub(crate) timeout: Option<Duration>,

    /// How long to wait for answers after the end [default: 5s]
    ///
    /// What has no answer by then is counted as unfinished. Waiting ends as soon as nothing is in
    /// flight.
    #[arg(long, value_name = "TIME", value_parser = values::duration, help_heading = END)]
    pub(crate) grace: Option<Duration>,

    /// Method [default: GET, with a body POST]
    #[arg(short = 'X', long, value_name = "METHOD", help_heading = REQUEST)]
    pub(crate) method: Option<String>,

    /// Header, as 'Name: value' (repeatable)
    #[arg(short = 'H', long = "header", value_name = "HEADER", help_heading = REQUEST)]
    pub(crate) headers: Vec<String>,

    /// Body; sets no Content-Type
    #[arg(
        short, long, value_name = "TEXT", allow_hyphen_values = true, help_heading = REQUEST
    )]
    pub(crate) body: Option<String>,

    /// File with the body, - for standard input
    #[arg(short = 'B', long, value_name = "FILE", help_heading = REQUEST)]
    pub(crate) body_file: Option<PathBuf>,

    /// Open a connection for every request
    #[arg(long, help_heading = CONNECTION)]
    pub(crate) no_keepalive: bool,

    /// Connect to ADDRESS for HOST:PORT (repeatable, several with commas)
    #[arg(
        long, value_name = "HOST:PORT:ADDRESS", value_parser = values::resolve,
        help_heading = CONNECTION
    )]
    pub(crate) resolve: Vec<Resolve>,

    /// Connect to a Unix socket; the URL gives path and Host
    #[arg(long, value_name = "PATH", help_heading = CONNECTION)]
    pub(crate) unix: Option<PathBuf>,

    /// Accept any server certificate
    #[arg(short = 'k', long, help_heading = TLS)]
    pub(crate) insecure: bool,

    /// Trust the issuers in this PEM file, and no others [default: those of the system]
    #[arg(long, value_name = "FILE", help_heading = TLS)]
    pub(crate) cacert: Option<PathBuf>,

    /// Client certificate and its issuers, as PEM
    #[arg(long, value_name = "FILE", help_heading = TLS)]
    pub(crate) cert: Option<PathBuf>,

    /// Key of the client certificate, as PEM [default: in the file of --cert]
    #[arg(long, value_name = "FILE", help_heading = TLS)]
    pub(crate) key: Option<PathBuf>,

    /// Name to ask for in the handshake and to verify [default: the URL's host]
    #[arg(long, value_name = "NAME", help_heading = TLS)]
    pub(crate) sni: Option<String>,

    /// Lowest version of TLS, 1.2 or 1.3 [default: 1.2]
    #[arg(long, value_name = "VERSION", value_parser = values::tls_version, help_heading = TLS)]
    pub(crate) tls_min: Option<TlsVersion>,

    /// Highest version of TLS, 1.2 or 1.3 [default: 1.3]
    #[arg(long, value_name = "VERSION", value_parser = values::tls_version, help_heading = TLS)]
    pub(crate) tls_max: Option<TlsVersion>,

    /// Key-exchange groups, the preferred one first, with commas
    ///
    /// Of X25519MLKEM768, SecP256r1MLKEM768, x25519, secp256r1, secp384r1, MLKEM768, MLKEM1024.
    /// They decide much of what a full handshake costs both sides.
    #[arg(
        long, value_name = "LIST", value_parser = values::tls_group, value_delimiter = ',',
        help_heading = TLS
    )]
    pub(crate) tls_groups: Vec<Group>,

    /// Whether new connections resume sessions: full, resume or mixed:P [default: resume]
    ///
    /// full: every handshake is a full one, as of new users. resume: whenever the server allows
    /// it, as browsers do. mixed:P: P per cent of the handshakes are full ones.
    #[arg(long, value_name = "MODE", value_parser = values::tls_resume, help_heading = TLS)]
    pub(crate) tls_resume: Option<Resume>,

    /// Use IPv4 addresses only
    #[arg(short = '4', long, help_heading = CONNECTION)]
    pub(crate) ipv4: bool,

    /// Use IPv6 addresses only
    #[arg(short = '6', long, help_heading = CONNECTION)]
    pub(crate) ipv6: bool,

    /// Exit with status 1 when this is so, such as 'p99 > 50ms' (repeatable)
    #[arg(
        long, value_name = "CONDITION", long_help = objectives::help(), help_heading = RESULT
    )]
    pub(crate) fail_if: Vec<String>,

    /// Exit with status 4 when the audit says that the result is invalid
    #[arg(long, help_heading = RESULT)]
    pub(crate) strict: bool,

    /// End the run as soon as a --fail-if is met by what was measured so far
    ///
    /// As by Ctrl-C: what is under way is waited for, and the report is whole. A condition with
    /// 'for' can end the run once its seconds are two seconds old, another one from five seconds
    /// of measured time on. The exit status is 1 even if the final numbers no longer meet it.
    #[arg(long, help_heading = RESULT)]
    pub(crate) abort: bool,

    /// Write the result as JSON, - for standard output
    #[arg(long, value_name = "FILE", help_heading = RESULT)]
    pub(crate) json: Option<PathBuf>,

    /// Keep everything in a run file, for throng report
    #[arg(short, long, value_name = "FILE", help_heading = RESULT)]
    pub(crate) out: Option<PathBuf>,

    /// No text report, no progress line
    #[arg(short, long, help_heading = RESULT)]
    pub(crate) quiet: bool,
}

/// The kinds of arrivals by their names on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ArrivalsName {
    /// Equal gaps
    Constant,
    /// Exponential gaps: independent users
    Poisson,
    /// One at a random instant of each equal slice
    Uniform,
}

impl From<ArrivalsName> for Arrivals {
    fn from(name: ArrivalsName) -> Self {
        match name {
            ArrivalsName::Constant => Self::Constant,
            ArrivalsName::Poisson => Self::Poisson,
            ArrivalsName::Uniform => Self::Uniform,
        }
    }
}

const LOAD: &str = "Load";
const END: &str = "Time";
const REQUEST: &str = "Request";
const CONNECTION: &str = "Connection";
const TLS: &str = "TLS (for https URLs)";
const RESULT: &str = "Result";
