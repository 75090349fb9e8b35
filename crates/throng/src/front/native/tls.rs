//! How TLS is spoken, from what was typed.

use throng_engine::plan::{ClientCertificate, Group, Resume, Tls, TlsVersion, Trust};
use throng_journey::{Scheme, Url};

use super::error::PlanError;
use super::options::Options;

/// The TLS of the plan; none for an `http` URL.
pub(super) fn tls(options: &Options, url: &Url) -> Result<Option<Tls>, PlanError> {
    if url.scheme == Scheme::Http {
        return match given(options) {
            Some(option) => Err(PlanError::TlsWithoutHttps { option, url: url.to_string() }),
            None => Ok(None),
        };
    }
    let version_min = options.tls_min.unwrap_or(TlsVersion::V1_2);
    let version_max = options.tls_max.unwrap_or(TlsVersion::V1_3);
    if version_min > version_max {
        return Err(PlanError::TlsVersions { min: version_min, max: version_max });
    }
    let groups = options.tls_groups.clone();
    if version_max == TlsVersion::V1_2
        && let Some(&group) = groups.first()
        && groups.iter().all(|group| group.needs_1_3())
    {
        return Err(PlanError::TlsGroups { group });
    }
    let trust = match &options.cacert {
        _ if options.insecure => Trust::Anybody,
        Some(path) => Trust::File(path.clone()),
        None => Trust::System,
    };
    let client = options.cert.as_ref().map(|certificate| ClientCertificate {
        certificate: certificate.clone(),
        key: options.key.as_ref().unwrap_or(certificate).clone(),
    });
    Ok(Some(Tls {
        server_name: options.sni.as_ref().unwrap_or(&url.host).clone(),
        trust,
        client,
        version_min,
        version_max,
        groups,
        resume: options.tls_resume.unwrap_or(Resume::Resume),
    }))
}

/// The first option that only TLS gives a meaning to.
fn given(options: &Options) -> Option<&'static str> {
    [
        (options.insecure, "-k"),
        (options.cacert.is_some(), "--cacert"),
        (options.cert.is_some(), "--cert"),
        (options.key.is_some(), "--key"),
        (options.sni.is_some(), "--sni"),
        (options.tls_min.is_some(), "--tls-min"),
        (options.tls_max.is_some(), "--tls-max"),
        (!options.tls_groups.is_empty(), "--tls-groups"),
        (options.tls_resume.is_some(), "--tls-resume"),
    ]
    .into_iter()
    .find_map(|(is_given, option)| is_given.then_some(option))
}

/// The names of all groups, for people.
pub(super) fn group_names() -> String {
    Group::all().map(Group::name).collect::<Vec<_>>().join(", ")
}
