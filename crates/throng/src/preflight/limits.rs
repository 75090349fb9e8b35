//! What the system allows one process: open files, local ports.

use std::fs;

use throng_engine::limits::raise_open_files;
use throng_engine::plan::{Endpoint, Plan};

use super::{PreflightError, per_endpoint};

/// Raises the limit on open files to what the plan needs.
pub(super) fn open_files(plan: &Plan) -> Result<(), PreflightError> {
    let needed_count = files_needed(plan.connections_max(), plan.workers);
    let limit_count = raise(needed_count)?;
    if limit_count < needed_count {
        return Err(PreflightError::OpenFiles { needed_count, limit_count });
    }
    Ok(())
}

/// Whether every connection can have a local port. A connection to one peer is told from the
/// others by its local port alone, as long as there is one local address.
pub(super) fn local_ports(plan: &Plan, (low, high): (u16, u16)) -> Result<(), PreflightError> {
    let needed_count = u64::from(per_endpoint(plan.connections_max(), &plan.endpoints));
    let free_count = ports(low, high);
    let tcp = plan.endpoints.iter().find(|endpoint| matches!(endpoint, Endpoint::Tcp(_)));
    match tcp {
        Some(peer) if needed_count > free_count => Err(PreflightError::LocalPorts {
            peer: peer.clone(),
            needed_count,
            low,
            high,
            free_count,
        }),
        _ => Ok(()),
    }
}

/// The most connections, up to `wanted`, that the limits allow: for a default, which should fit
/// rather than fail.
///
/// # Errors
/// When the limit on open files is unknown, or leaves no connection.
pub(crate) fn connections_possible(
    wanted: u32,
    workers: u32,
    endpoints: &[Endpoint],
) -> Result<u32, PreflightError> {
    let limit_count = raise(files_needed(wanted, workers))?;
    let (low, high) = local_port_range();
    possible(wanted, workers, endpoints, limit_count, ports(low, high))
}

pub(super) fn possible(
    wanted: u32,
    workers: u32,
    endpoints: &[Endpoint],
    limit_count: u64,
    free_ports: u64,
) -> Result<u32, PreflightError> {
    let by_files = limit_count.saturating_sub(files_needed(0, workers));
    let tcp_count = endpoints.iter().filter(|e| matches!(e, Endpoint::Tcp(_))).count() as u64;
    let by_ports = if tcp_count == 0 { u64::MAX } else { free_ports.saturating_mul(tcp_count) };
    let possible = u64::from(wanted).min(by_files).min(by_ports);
    match u32::try_from(possible) {
        Ok(count) if count > 0 => Ok(count),
        _ => Err(PreflightError::OpenFiles { needed_count: files_needed(1, workers), limit_count }),
    }
}

/// File descriptors that a run needs.
pub(super) fn files_needed(connections: u32, workers: u32) -> u64 {
    u64::from(connections) + u64::from(workers) * FILES_PER_WORKER + FILES_RESERVE
}

fn raise(needed_count: u64) -> Result<u64, PreflightError> {
    raise_open_files(needed_count)
        .map_err(|source| PreflightError::OpenFilesUnknown { needed_count, source })
}

fn ports(low: u16, high: u16) -> u64 {
    u64::from(high).saturating_sub(u64::from(low)) + 1
}

/// The range that the kernel takes local ports from, or its own default when it does not say.
pub(super) fn local_port_range() -> (u16, u16) {
    fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range")
        .ok()
        .and_then(|text| parse_port_range(&text))
        .unwrap_or(PORT_RANGE_DEFAULT)
}

pub(super) fn parse_port_range(text: &str) -> Option<(u16, u16)> {
    let mut bounds = text.split_whitespace();
    let low = bounds.next()?.parse().ok()?;
    let high = bounds.next()?.parse().ok()?;
    (low <= high).then_some((low, high))
}

/// An event queue, and what a backend keeps beside it.
const FILES_PER_WORKER: u64 = 4;
/// Standard streams, the run file with its journal and temporary files, what libraries keep open.
const FILES_RESERVE: u64 = 32;
/// Linux's own default.
const PORT_RANGE_DEFAULT: (u16, u16) = (32_768, 60_999);
