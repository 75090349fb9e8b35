//! Combinations that mean nothing: refused with a remedy, never guessed at.

use std::path::Path;

use super::options::Options;

/// One combination of options that is refused.
#[derive(Debug)]
pub(super) struct Rule {
    /// Whether the options have it.
    pub(super) broken: fn(&Options) -> bool,
    /// The fact.
    pub(super) message: &'static str,
    /// The next action.
    pub(super) hint: &'static str,
}

/// The first rule that the options break.
pub(super) fn broken(options: &Options) -> Option<&'static Rule> {
    RULES.iter().find(|rule| (rule.broken)(options))
}

/// Every rule that needs no number of its own in the message.
pub(super) static RULES: &[Rule] = &[
    Rule {
        broken: |o| o.connections == Some(0),
        message: "-c 0 opens no connection",
        hint: "give at least 1 connection",
    },
    Rule {
        broken: |o| o.max_connections == Some(0),
        message: "--max-connections 0 opens no connection",
        hint: "give at least 1 connection",
    },
    Rule {
        broken: |o| o.threads == Some(0),
        message: "-t 0 leaves no thread to send requests",
        hint: "give at least 1 thread, or leave -t out",
    },
    Rule {
        broken: |o| o.requests == Some(0),
        message: "-n 0 sends no request",
        hint: "give at least 1 request, or leave -n out and give a duration with -d",
    },
    Rule {
        broken: |o| o.duration.is_some_and(|d| d.is_zero()),
        message: "-d 0 ends before the first request",
        hint: "give a duration such as 10s, or leave -d out and give a number with -n",
    },
    Rule {
        broken: |o| o.timeout.is_some_and(|t| t.is_zero()),
        message: "--timeout 0 lets no request be answered",
        hint: "give a duration such as 10s",
    },
    Rule {
        broken: |o| o.pipeline == Some(0),
        message: "--pipeline 0 leaves no request in flight",
        hint: "give 1 for no pipelining, or more",
    },
    Rule {
        broken: |o| o.pipeline.is_some_and(|depth| depth > 1) && o.no_keepalive,
        message: "--pipeline needs a connection that carries several requests, --no-keepalive forbids it",
        hint: "leave one of the two out",
    },
    Rule {
        broken: |o| o.max_connections.is_some() && o.rate.is_none(),
        message: "--max-connections caps the connections that -R opens as needed, and there is no -R",
        hint: "give a rate with -R, or the number of connections with -c",
    },
    Rule {
        broken: |o| o.max_connections.is_some() && o.connections.is_some(),
        message: "-c makes a pool of fixed size, --max-connections one that grows",
        hint: "leave one of the two out",
    },
    Rule {
        broken: |o| o.arrivals.is_some() && o.rate.is_none(),
        message: "--arrivals says how -R spaces requests, and there is no -R",
        hint: "give a rate with -R; without one the answers decide when requests are sent",
    },
    Rule {
        broken: |o| o.body.is_some() && o.body_file.is_some(),
        message: "-b and -B both give a body",
        hint: "leave one of the two out",
    },
    Rule {
        broken: |o| o.unix.is_some() && !o.resolve.is_empty(),
        message: "--unix and --resolve both say where to connect",
        hint: "leave one of the two out",
    },
    Rule {
        broken: |o| o.unix.is_some() && (o.ipv4 || o.ipv6),
        message: "a Unix socket has no IP version to choose with -4 or -6",
        hint: "leave out --unix, or -4 and -6",
    },
    Rule {
        broken: |o| o.ipv4 && o.ipv6,
        message: "-4 and -6 together leave no address",
        hint: "leave both out to use addresses of both versions",
    },
    Rule {
        broken: |o| o.insecure && o.cacert.is_some(),
        message: "-k trusts anybody, --cacert only some",
        hint: "leave one of the two out",
    },
    Rule {
        broken: |o| o.key.is_some() && o.cert.is_none(),
        message: "--key is the key of a client certificate, and there is none",
        hint: "give the certificate with --cert",
    },
    Rule {
        broken: |o| o.abort && o.fail_if.is_empty(),
        message: "--abort ends the run when a --fail-if is met, and there is none",
        hint: "give a condition such as --fail-if 'error_ratio > 10%'",
    },
    Rule {
        broken: |o| o.out.as_deref() == Some(Path::new("-")),
        message: "a run file is a database and cannot go to standard output",
        hint: "give a file name such as run.throng; --json - prints to standard output",
    },
    Rule {
        broken: |o| o.json.is_some() && o.json == o.out,
        message: "--json and -o name the same file",
        hint: "give them two names",
    },
];
