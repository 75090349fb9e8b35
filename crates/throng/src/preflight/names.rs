//! Names to addresses.

use std::collections::HashSet;
use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs as _};

use throng_engine::plan::Endpoint;
use throng_journey::Url;

use super::loopback;
use crate::failure::Failure;

/// A version of the Internet protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    V4,
    V6,
}

impl Family {
    fn holds(self, address: &SocketAddr) -> bool {
        address.is_ipv4() == (self == Self::V4)
    }

    fn name(self) -> &'static str {
        match self {
            Self::V4 => "IPv4",
            Self::V6 => "IPv6",
        }
    }

    fn option(self) -> &'static str {
        match self {
            Self::V4 => "-4",
            Self::V6 => "-6",
        }
    }
}

/// Why a host leads nowhere.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NameError {
    /// The resolver knows no address.
    #[error("the name '{host}' has no address")]
    Unresolvable { host: String, source: io::Error },
    /// The resolver answered with an empty list.
    #[error("the resolver knows '{host}' but gives no address for it")]
    NoAddress { host: String },
    /// No address is of the version asked for.
    #[error(
        "'{host}' has no {} address, only {}",
        family.name(), list(found)
    )]
    NoneOfFamily { host: String, family: Family, found: Vec<SocketAddr> },
}

impl Failure for NameError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Unresolvable { host, .. } | Self::NoAddress { host } => format!(
                "check the spelling, or give the address yourself: --resolve {host}:PORT:ADDRESS"
            ),
            Self::NoneOfFamily { family, .. } => format!("leave {} out", family.option()),
        })
    }
}

fn list(addresses: &[SocketAddr]) -> String {
    addresses.iter().map(|address| address.ip().to_string()).collect::<Vec<_>>().join(", ")
}

/// Where connections for the URL go, each address once: the given ones, or else what the host is
/// or resolves to.
///
/// # Errors
/// When there is no address, or none of the family.
pub(crate) fn endpoints(
    url: &Url,
    overrides: &[IpAddr],
    family: Option<Family>,
) -> Result<Vec<Endpoint>, NameError> {
    let host = || url.host.clone();
    let found = if overrides.is_empty() {
        let found = (url.host.as_str(), url.port).to_socket_addrs();
        loopback::listening(once_each(
            found.map_err(|source| NameError::Unresolvable { host: host(), source })?,
        ))
    } else {
        once_each(overrides.iter().map(|&address| SocketAddr::new(address, url.port)))
    };
    if found.is_empty() {
        return Err(NameError::NoAddress { host: host() });
    }
    let Some(family) = family else {
        return Ok(found.into_iter().map(Endpoint::Tcp).collect());
    };
    let (kept, others) = found.into_iter().partition::<Vec<_>, _>(|address| family.holds(address));
    if kept.is_empty() {
        return Err(NameError::NoneOfFamily { host: host(), family, found: others });
    }
    Ok(kept.into_iter().map(Endpoint::Tcp).collect())
}

fn once_each(addresses: impl Iterator<Item = SocketAddr>) -> Vec<SocketAddr> {
    let mut seen = HashSet::new();
    addresses.filter(|&address| seen.insert(address)).collect()
}
