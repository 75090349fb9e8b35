//! What the system allows this process, and what it has used.

use std::io;

/// Raises the soft limit on open files as far as is needed and allowed, and returns it.
///
/// # Errors
/// When the limit can be neither read nor set.
pub fn raise_open_files(needed: u64) -> io::Result<u64> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` is a valid rlimit for the call to fill.
    check(unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) })?;
    if limit.rlim_cur < needed {
        limit.rlim_cur = needed.min(limit.rlim_max);
        // SAFETY: `limit` is a valid rlimit that the call only reads.
        check(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit) })?;
    }
    Ok(limit.rlim_cur)
}

/// What this process has used so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// CPU time in user space.
    pub user_ns: u64,
    /// CPU time in the kernel.
    pub system_ns: u64,
    /// The most memory that was resident at one time.
    pub max_rss_bytes: u64,
}

impl Usage {
    /// Reads the process's own accounting; zeros if the kernel refuses.
    #[must_use]
    pub fn read() -> Self {
        // SAFETY: rusage is plain integers, for which all-zero is a valid value.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: `usage` is a valid rusage for the call to fill.
        if unsafe { libc::getrusage(libc::RUSAGE_SELF, &raw mut usage) } != 0 {
            return Self::default();
        }
        let ns = |time: libc::timeval| {
            time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_usec.unsigned_abs() * 1000
        };
        Self {
            user_ns: ns(usage.ru_utime),
            system_ns: ns(usage.ru_stime),
            max_rss_bytes: peak_memory_bytes()
                .unwrap_or_else(|| usage.ru_maxrss.unsigned_abs() * 1024),
        }
    }
}

/// The peak of this program's resident memory. `ru_maxrss` would not do: it survives exec, so it
/// is at least what the process that started us had resident (getrusage(2), kernel/fork.c).
fn peak_memory_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

fn check(result: libc::c_int) -> io::Result<()> {
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
