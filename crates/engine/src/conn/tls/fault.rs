//! What went wrong with TLS, in the words of reports.

use rustls::{AlertDescription, CertificateError, Error, InvalidMessage};
use throng_measure::Cause;

use super::Fault;

/// The fault behind an error of rustls.
pub(super) fn fault_of(error: &Error) -> Fault {
    match error {
        Error::AlertReceived(alert) => Fault { cause: of_alert(*alert), is_alert: true },
        error => Fault { cause: of_refusal(error), is_alert: false },
    }
}

/// What the peer said (RFC 8446, 6.2).
fn of_alert(alert: AlertDescription) -> Cause {
    match alert {
        AlertDescription::HandshakeFailure | AlertDescription::InsufficientSecurity => {
            Cause::TlsHandshakeFailure
        }
        AlertDescription::ProtocolVersion => Cause::TlsProtocolVersion,
        AlertDescription::UnrecognisedName => Cause::TlsUnrecognisedName,
        AlertDescription::CertificateRequired => Cause::TlsCertificateRequired,
        AlertDescription::BadCertificate
        | AlertDescription::UnsupportedCertificate
        | AlertDescription::CertificateRevoked
        | AlertDescription::CertificateExpired
        | AlertDescription::CertificateUnknown
        | AlertDescription::AccessDenied => Cause::TlsBadCertificate,
        AlertDescription::UnknownCA => Cause::TlsUnknownCa,
        AlertDescription::NoApplicationProtocol => Cause::TlsNoApplicationProtocol,
        _ => Cause::TlsAlert,
    }
}

/// What we would not accept.
fn of_refusal(error: &Error) -> Cause {
    match error {
        Error::InvalidMessage(
            InvalidMessage::InvalidContentType | InvalidMessage::UnknownProtocolVersion,
        ) => Cause::TlsNotTls,
        Error::InvalidCertificate(CertificateError::UnknownIssuer) => {
            Cause::TlsCertificateUnknownIssuer
        }
        Error::InvalidCertificate(
            CertificateError::Expired
            | CertificateError::ExpiredContext { .. }
            | CertificateError::NotValidYet
            | CertificateError::NotValidYetContext { .. },
        ) => Cause::TlsCertificateExpired,
        Error::InvalidCertificate(
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
        ) => Cause::TlsCertificateName,
        Error::InvalidCertificate(_) => Cause::TlsCertificateInvalid,
        _ => Cause::TlsProtocol,
    }
}
