//! What all TLS connections of a run have in common: certificates read, choices made.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::client::{ClientConfig, WebPkiServerVerifier};
use rustls::crypto::aws_lc_rs::{self, kx_group};
use rustls::crypto::{CryptoProvider, SupportedKxGroup};
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::version::{TLS12, TLS13};
use rustls::{RootCertStore, SupportedProtocolVersion};

use super::trust::Anybody;
use crate::plan::{ClientCertificate, Group, Resume, Tls, TlsVersion, Trust};

/// What all TLS connections of a run have in common.
#[derive(Debug)]
pub(crate) struct Setup {
    pub(super) config: ClientConfig,
    pub(super) server_name: ServerName<'static>,
    pub(super) resume: Resume,
}

/// Why a run cannot speak TLS as its plan says.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsError {
    /// A file cannot be read, or is no PEM.
    #[error("cannot read {what} from {}", path.display())]
    Unreadable {
        /// What should be in it.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        #[source]
        source: pem::Error,
    },
    /// A file has nothing of what it should have.
    #[error("there is no {what} in {}", path.display())]
    Nothing {
        /// What should be in it.
        what: &'static str,
        /// The file.
        path: PathBuf,
    },
    /// A certificate to trust is none.
    #[error("a certificate in {} cannot be trusted", path.display())]
    BadRoot {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        #[source]
        source: rustls::Error,
    },
    /// The system trusts nobody.
    #[error("this system has no certificates of issuers that it trusts")]
    NoSystemRoots,
    /// Key and certificate do not belong together, or are of a kind that cannot be used.
    #[error(
        "the key in {} does not fit the certificate in {}", key.display(), certificate.display()
    )]
    BadClient {
        /// The file with the certificate.
        certificate: PathBuf,
        /// The file with the key.
        key: PathBuf,
        /// What is wrong with them.
        #[source]
        source: rustls::Error,
    },
    /// The name cannot be asked for.
    #[error("'{name}' is neither a host name nor an address that TLS can ask for")]
    BadName {
        /// The name.
        name: String,
    },
    /// Versions and groups leave nothing to offer.
    #[error("TLS {min} to {max} with these key-exchange groups leaves nothing to offer")]
    NothingToOffer {
        /// The lowest version.
        min: TlsVersion,
        /// The highest version.
        max: TlsVersion,
        /// What is missing.
        #[source]
        source: rustls::Error,
    },
}

impl TlsError {
    /// What to do next.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Unreadable { .. } | Self::Nothing { .. } => {
                "give a PEM file; openssl x509 and openssl pkey convert others"
            }
            Self::BadRoot { .. } => "give the certificate of the issuer",
            Self::NoSystemRoots => {
                "install ca-certificates, name a file with --cacert, or trust anybody with -k"
            }
            Self::BadClient { .. } => "give the key that the certificate was made for",
            Self::BadName { .. } => "give a name such as example.com with --sni",
            Self::NothingToOffer { .. } => "allow TLS 1.3, or x25519, secp256r1 or secp384r1",
        }
    }
}

impl Setup {
    /// Reads what the plan names.
    ///
    /// # Errors
    /// [`TlsError`], for the first thing that is not as it should be.
    pub(crate) fn load(plan: &Tls) -> Result<Self, TlsError> {
        let mut provider = aws_lc_rs::default_provider();
        if !plan.groups.is_empty() {
            provider.kx_groups = plan.groups.iter().map(|&group| implementation(group)).collect();
        }
        let provider = Arc::new(provider);
        let nothing = |source| TlsError::NothingToOffer {
            min: plan.version_min,
            max: plan.version_max,
            source,
        };
        let builder = ClientConfig::builder_with_provider(provider.clone())
            .with_protocol_versions(&versions(plan))
            .map_err(nothing)?;
        let builder = match roots(&plan.trust)? {
            Some(roots) => {
                let verifier = WebPkiServerVerifier::builder_with_provider(roots.into(), provider);
                // Its only error is a store without roots, which `roots` does not give.
                let verifier = verifier.build().map_err(|_| TlsError::NoSystemRoots)?;
                builder.with_webpki_verifier(verifier)
            }
            None => anybody(builder, provider),
        };
        let mut config = match &plan.client {
            Some(client) => with_client(builder, client)?,
            None => builder.with_no_client_auth(),
        };
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        let name = plan.server_name.clone();
        let server_name =
            ServerName::try_from(name.clone()).map_err(|_| TlsError::BadName { name })?;
        Ok(Self { config, server_name, resume: plan.resume })
    }
}

type WantsVerifier = rustls::ConfigBuilder<ClientConfig, rustls::WantsVerifier>;
type WantsClient = rustls::ConfigBuilder<ClientConfig, rustls::client::WantsClientCert>;

fn anybody(builder: WantsVerifier, provider: Arc<CryptoProvider>) -> WantsClient {
    builder.dangerous().with_custom_certificate_verifier(Arc::new(Anybody(provider)))
}

fn with_client(builder: WantsClient, client: &ClientCertificate) -> Result<ClientConfig, TlsError> {
    let ClientCertificate { certificate, key } = client;
    let chain = certificates(certificate)?;
    let secret = PrivateKeyDer::from_pem_file(key).map_err(|error| match error {
        pem::Error::NoItemsFound => TlsError::Nothing { what: KEY, path: key.clone() },
        source => TlsError::Unreadable { what: KEY, path: key.clone(), source },
    })?;
    builder.with_client_auth_cert(chain, secret).map_err(|source| TlsError::BadClient {
        certificate: certificate.clone(),
        key: key.clone(),
        source,
    })
}

fn versions(plan: &Tls) -> Vec<&'static SupportedProtocolVersion> {
    [(TlsVersion::V1_3, &TLS13), (TlsVersion::V1_2, &TLS12)]
        .into_iter()
        .filter(|(version, _)| (plan.version_min..=plan.version_max).contains(version))
        .map(|(_, supported)| supported)
        .collect()
}

/// Whom to trust; `None` for anybody.
fn roots(trust: &Trust) -> Result<Option<RootCertStore>, TlsError> {
    let mut roots = RootCertStore::empty();
    match trust {
        Trust::Anybody => return Ok(None),
        Trust::System => {
            // What cannot be read is as if it were not there: the others are enough, or not.
            let found = rustls_native_certs::load_native_certs();
            roots.add_parsable_certificates(found.certs);
            if roots.is_empty() {
                return Err(TlsError::NoSystemRoots);
            }
        }
        Trust::File(path) => {
            for certificate in certificates(path)? {
                let bad = |source| TlsError::BadRoot { path: path.clone(), source };
                roots.add(certificate).map_err(bad)?;
            }
        }
    }
    Ok(Some(roots))
}

/// All certificates of a PEM file; at least one.
fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let unreadable =
        |source| TlsError::Unreadable { what: CERTIFICATE, path: path.to_owned(), source };
    let found: Result<Vec<_>, _> =
        CertificateDer::pem_file_iter(path).map_err(unreadable)?.collect();
    let found = found.map_err(unreadable)?;
    if found.is_empty() {
        return Err(TlsError::Nothing { what: CERTIFICATE, path: path.to_owned() });
    }
    Ok(found)
}

fn implementation(group: Group) -> &'static dyn SupportedKxGroup {
    match group {
        Group::X25519Mlkem768 => kx_group::X25519MLKEM768,
        Group::Secp256r1Mlkem768 => kx_group::SECP256R1MLKEM768,
        Group::X25519 => kx_group::X25519,
        Group::Secp256r1 => kx_group::SECP256R1,
        Group::Secp384r1 => kx_group::SECP384R1,
        Group::Mlkem768 => kx_group::MLKEM768,
        Group::Mlkem1024 => kx_group::MLKEM1024,
    }
}

const CERTIFICATE: &str = "certificate";
const KEY: &str = "private key";
