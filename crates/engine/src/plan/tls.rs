//! How a run speaks TLS: options only. Certificates and keys are named by their files, so that no
//! secret gets into a plan, and so into a run file.

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// How a run speaks TLS.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tls {
    /// The name that the server is asked for (SNI) and that its certificate must be for. With an
    /// address none is asked for (RFC 6066, 3).
    pub server_name: String,
    /// Who must have issued the server's certificate.
    pub trust: Trust,
    /// The client's certificate, for servers that want one.
    pub client: Option<ClientCertificate>,
    /// The lowest version that is offered.
    pub version_min: TlsVersion,
    /// The highest version that is offered; not below `version_min`.
    pub version_max: TlsVersion,
    /// The key-exchange groups that are offered, the preferred one first. Empty: the defaults.
    pub groups: Vec<Group>,
    /// Whether sessions are resumed.
    pub resume: Resume,
}

/// Who must have issued a server's certificate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    /// One of those whom the system trusts.
    System,
    /// One of those in a PEM file.
    File(PathBuf),
    /// Anybody; nor does the name matter, nor the date.
    Anybody,
}

/// A client's certificate and its key, in PEM files that may be one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClientCertificate {
    /// The certificate, then those of its issuers.
    pub certificate: PathBuf,
    /// The private key.
    pub key: PathBuf,
}

/// A version of TLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum TlsVersion {
    /// TLS 1.2 (RFC 5246).
    #[serde(rename = "1.2")]
    V1_2,
    /// TLS 1.3 (RFC 8446).
    #[serde(rename = "1.3")]
    V1_3,
}

/// A key-exchange group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "GROUPS gives each its name")]
pub enum Group {
    X25519Mlkem768,
    Secp256r1Mlkem768,
    X25519,
    Secp256r1,
    Secp384r1,
    Mlkem768,
    Mlkem1024,
}

/// One row per group: itself, and its name as IANA's registry has it.
const GROUPS: [(Group, &str); 7] = [
    (Group::X25519Mlkem768, "X25519MLKEM768"),
    (Group::Secp256r1Mlkem768, "SecP256r1MLKEM768"),
    (Group::X25519, "x25519"),
    (Group::Secp256r1, "secp256r1"),
    (Group::Secp384r1, "secp384r1"),
    (Group::Mlkem768, "MLKEM768"),
    (Group::Mlkem1024, "MLKEM1024"),
];

impl Group {
    /// Every group.
    pub fn all() -> impl Iterator<Item = Self> {
        GROUPS.into_iter().map(|row| row.0)
    }

    /// The name as IANA's registry has it.
    #[must_use]
    pub fn name(self) -> &'static str {
        GROUPS[self as usize].1
    }

    /// The group of that name, in whatever case.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        GROUPS.into_iter().find(|row| row.1.eq_ignore_ascii_case(name)).map(|row| row.0)
    }

    /// Whether only TLS 1.3 knows it.
    #[must_use]
    pub fn needs_1_3(self) -> bool {
        !matches!(self, Self::X25519 | Self::Secp256r1 | Self::Secp384r1)
    }
}

/// Whether a new connection takes up the session of an earlier one, which spares it the
/// certificates and their verification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Resume {
    /// Never: every connection is a new user's.
    Full,
    /// Whenever the server gave what it takes, as browsers do.
    Resume,
    /// So many per cent of the handshakes are full ones; at most 100.
    Mixed {
        /// Per cent.
        full_percent: u8,
    },
}

impl fmt::Display for TlsVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::V1_2 => "1.2",
            Self::V1_3 => "1.3",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_group_stands_at_its_own_place_in_the_table() {
        for group in Group::all() {
            assert_eq!(Group::from_name(&group.name().to_lowercase()), Some(group));
        }
        assert_eq!(Group::Mlkem1024.name(), "MLKEM1024");
        assert_eq!(Group::from_name("secp521r1"), None);
    }
}
