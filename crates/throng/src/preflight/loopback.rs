//! Which of this machine's own addresses anybody listens on.
//!
//! `localhost` is `127.0.0.1` and `::1`, and most servers listen on one of them. Using both in turn
//! would refuse every second connection. Whether somebody listens can be read from the kernel's
//! table without connecting; for other machines' addresses it cannot.

use std::collections::HashSet;
use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// Leaves out loopback addresses that nobody listens on, as long as somebody listens on one.
pub(super) fn listening(addresses: Vec<SocketAddr>) -> Vec<SocketAddr> {
    if addresses.len() < 2 || !addresses.iter().all(|address| address.ip().is_loopback()) {
        return addresses;
    }
    let mut table = HashSet::new();
    for path in ["/proc/net/tcp", "/proc/net/tcp6"] {
        table.extend(listeners(&fs::read_to_string(path).unwrap_or_default()));
    }
    among(addresses, &table)
}

pub(super) fn among(
    addresses: Vec<SocketAddr>,
    listeners: &HashSet<SocketAddr>,
) -> Vec<SocketAddr> {
    let heard = |address: &SocketAddr| {
        let everywhere: IpAddr = match address.ip() {
            IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
            IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
        };
        listeners.contains(address)
            || listeners.contains(&SocketAddr::new(everywhere, address.port()))
    };
    let kept = addresses.iter().copied().filter(heard).collect::<Vec<_>>();
    if kept.is_empty() { addresses } else { kept }
}

/// The listening sockets in a table of the form of `/proc/net/tcp`.
pub(super) fn listeners(table: &str) -> impl Iterator<Item = SocketAddr> {
    table.lines().skip(1).filter_map(|line| {
        let mut columns = line.split_whitespace();
        let local = columns.nth(1)?;
        let state = columns.nth(1)?;
        if state != LISTEN {
            return None;
        }
        let (address, port) = local.split_once(':')?;
        Some(SocketAddr::new(parse(address)?, u16::from_str_radix(port, 16).ok()?))
    })
}

/// An address as the kernel prints it: 32-bit words in hexadecimal, each in the machine's order.
fn parse(hex: &str) -> Option<IpAddr> {
    let word = |at: usize| {
        let digits = hex.get(at * 8..at * 8 + 8)?;
        u32::from_str_radix(digits, 16).ok().map(u32::to_ne_bytes)
    };
    match hex.len() {
        8 => Some(Ipv4Addr::from(word(0)?).into()),
        32 => {
            let mut octets = [0; 16];
            for (at, chunk) in octets.chunks_exact_mut(4).enumerate() {
                chunk.copy_from_slice(&word(at)?);
            }
            Some(Ipv6Addr::from(octets).into())
        }
        _ => None,
    }
}

/// `TCP_LISTEN` in the kernel's numbering.
const LISTEN: &str = "0A";
