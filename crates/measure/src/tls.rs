//! What TLS handshakes agreed on, and how often.
//!
//! Version, cipher suite and key-exchange group decide what a handshake and a record cost, so a
//! result without them cannot be compared. They travel as the numbers that TLS assigns to them and
//! get their names here.
//!
//! Invariant: no peer can make this grow; what does not fit is counted without its details.

use std::borrow::Cow;

/// What one handshake agreed on, as IANA's registry "TLS Parameters" numbers it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Agreement {
    /// The protocol version: 0x0304 is TLS 1.3.
    pub version: u16,
    /// The cipher suite.
    pub cipher_suite: u16,
    /// The key-exchange group; 0 where there was no key exchange (a resumption in TLS 1.2).
    pub key_exchange_group: u16,
}

/// Handshakes of a window, by what they agreed on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Agreements {
    counts: [(Agreement, u32); AGREEMENTS_MAX],
}

/// Different agreements that are told apart. One server makes one or two.
const AGREEMENTS_MAX: usize = 8;

impl Agreement {
    /// `1.3`.
    #[must_use]
    pub fn version_name(self) -> Cow<'static, str> {
        name_of(VERSIONS, self.version)
    }

    /// `TLS13_AES_256_GCM_SHA384`.
    #[must_use]
    pub fn cipher_suite_name(self) -> Cow<'static, str> {
        name_of(CIPHER_SUITES, self.cipher_suite)
    }

    /// `X25519MLKEM768`.
    #[must_use]
    pub fn key_exchange_group_name(self) -> Cow<'static, str> {
        name_of(KEY_EXCHANGE_GROUPS, self.key_exchange_group)
    }

    /// The agreement with these names, as the run file stores it.
    pub(crate) fn from_names([version, suite, group]: [&str; 3]) -> Option<Self> {
        Some(Self {
            version: number_of(VERSIONS, version)?,
            cipher_suite: number_of(CIPHER_SUITES, suite)?,
            key_exchange_group: number_of(KEY_EXCHANGE_GROUPS, group)?,
        })
    }
}

impl Agreements {
    /// Counts handshakes. When there are too many kinds, those of a new one are counted under no
    /// agreement at all.
    pub(crate) fn add(&mut self, agreement: Agreement, count: u32) {
        let place =
            |wanted| self.counts.iter().position(|&(other, count)| count == 0 || other == wanted);
        let (last, unknown) = (AGREEMENTS_MAX - 1, Agreement::default());
        let (place, agreement) = match place(agreement) {
            // The last place is kept for those that are told apart no more.
            Some(place) if place < last => (place, agreement),
            _ => (place(unknown).unwrap_or(last), unknown),
        };
        let known = &mut self.counts[place];
        *known = (agreement, known.1.saturating_add(count));
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        other.iter().for_each(|(agreement, count)| self.add(agreement, count));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.counts[0].1 == 0
    }

    /// Every agreement that there was, with its count.
    pub fn iter(&self) -> impl Iterator<Item = (Agreement, u32)> {
        self.counts.into_iter().filter(|&(_, count)| count > 0)
    }
}

/// A run's handshakes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TlsUse {
    /// What most of them agreed on; `None` when there was none.
    pub agreement: Option<Agreement>,
    /// How many different agreements there were.
    pub kind_count: usize,
    /// Whether the server's certificate was verified.
    pub verified: bool,
}

impl TlsUse {
    /// From counts of agreements. A resumption without a key exchange is no kind of its own where
    /// handshakes with one led to the same version and suite.
    pub(crate) fn of(counts: &[(Agreement, u64)], verified: bool) -> Self {
        let same_suite = |a: &Agreement, b: &Agreement| {
            (a.version, a.cipher_suite) == (b.version, b.cipher_suite)
        };
        let mut kinds: Vec<_> =
            counts.iter().copied().filter(|(kind, _)| kind.key_exchange_group != 0).collect();
        for &(agreement, count) in counts.iter().filter(|(kind, _)| kind.key_exchange_group == 0) {
            match kinds.iter_mut().find(|(kind, _)| same_suite(kind, &agreement)) {
                Some(kind) => kind.1 += count,
                None => kinds.push((agreement, count)),
            }
        }
        let most = kinds.iter().max_by_key(|(_, count)| count);
        Self { agreement: most.map(|kind| kind.0), kind_count: kinds.len(), verified }
    }
}

type Names = &'static [(u16, &'static str)];

const VERSIONS: Names = &[(0, "unknown"), (0x0303, "1.2"), (0x0304, "1.3")];

const CIPHER_SUITES: Names = &[
    (0, "unknown"),
    (0x1301, "TLS13_AES_128_GCM_SHA256"),
    (0x1302, "TLS13_AES_256_GCM_SHA384"),
    (0x1303, "TLS13_CHACHA20_POLY1305_SHA256"),
    (0xc02b, "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"),
    (0xc02c, "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"),
    (0xc02f, "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"),
    (0xc030, "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384"),
    (0xcca8, "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256"),
    (0xcca9, "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256"),
];

const KEY_EXCHANGE_GROUPS: Names = &[
    (0, "none"),
    (0x0017, "secp256r1"),
    (0x0018, "secp384r1"),
    (0x001d, "X25519"),
    (0x0201, "MLKEM768"),
    (0x0202, "MLKEM1024"),
    (0x11eb, "secp256r1MLKEM768"),
    (0x11ec, "X25519MLKEM768"),
];

fn name_of(names: Names, number: u16) -> Cow<'static, str> {
    match names.iter().find(|row| row.0 == number) {
        Some(row) => row.1.into(),
        None => format!("0x{number:04x}").into(),
    }
}

fn number_of(names: Names, name: &str) -> Option<u16> {
    match names.iter().find(|row| row.1 == name) {
        Some(row) => Some(row.0),
        None => u16::from_str_radix(name.strip_prefix("0x")?, 16).ok(),
    }
}

#[cfg(test)]
mod tests;
