//! Why a request got no answer: one name per thing a person would look into differently.

/// The cause behind an outcome other than an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[allow(missing_docs, reason = "CAUSES below gives each its name and sentence, for reports too")]
pub enum Cause {
    ConnectRefused,
    ConnectReset,
    ConnectTimeout,
    Unreachable,
    PortsExhausted,
    FileLimit,
    ConnectFailed,
    TlsClosed,
    TlsNotTls,
    TlsProtocol,
    TlsCertificateUnknownIssuer,
    TlsCertificateExpired,
    TlsCertificateName,
    TlsCertificateInvalid,
    TlsHandshakeFailure,
    TlsProtocolVersion,
    TlsUnrecognisedName,
    TlsCertificateRequired,
    TlsBadCertificate,
    TlsUnknownCa,
    TlsNoApplicationProtocol,
    TlsAlert,
    TlsTruncated,
    WaitingForConnection,
    WaitingForAnswer,
    ResetByPeer,
    ClosedBeforeAnswer,
    ClosedInHead,
    ClosedInBody,
    IoFailed,
    ConnectionLost,
    BadStatusLine,
    BadVersion,
    BadHeader,
    TooManyHeaders,
    HeadTooLarge,
    BadContentLength,
    ConflictingContentLength,
    BadChunkSize,
    ChunkSizeTooLarge,
    ChunkLineTooLong,
    BadChunkEnd,
    BadTrailer,
    TrailersTooLarge,
    SwitchingProtocols,
    TooManyInterim,
    QueueFull,
    UnfinishedUnsent,
    UnfinishedInFlight,
}

/// One row per cause: itself, its name in JSON and the run file, a sentence for a person.
const CAUSES: &[(Cause, &str, &str)] = &[
    (Cause::ConnectRefused, "connect_refused", "the peer refused the connection"),
    (Cause::ConnectReset, "connect_reset", "the peer reset the connection while it was opened"),
    (Cause::ConnectTimeout, "connect_timeout", "the connection did not open in time"),
    (Cause::Unreachable, "unreachable", "no route to the peer"),
    (Cause::PortsExhausted, "ports_exhausted", "no local port was free towards the peer"),
    (Cause::FileLimit, "file_limit", "the process or system may not open more files"),
    (Cause::ConnectFailed, "connect_failed", "the connection could not be opened"),
    (Cause::TlsClosed, "tls_closed", "the peer closed during the TLS handshake"),
    (Cause::TlsNotTls, "tls_not_tls", "the peer does not speak TLS"),
    (
        Cause::TlsProtocol,
        "tls_protocol",
        "the peer broke the TLS protocol or chose what was not offered",
    ),
    (
        Cause::TlsCertificateUnknownIssuer,
        "tls_certificate_unknown_issuer",
        "nobody who is trusted has issued the server's certificate",
    ),
    (
        Cause::TlsCertificateExpired,
        "tls_certificate_expired",
        "the server's certificate has expired, or is not valid yet",
    ),
    (
        Cause::TlsCertificateName,
        "tls_certificate_name",
        "the server's certificate is for another name",
    ),
    (
        Cause::TlsCertificateInvalid,
        "tls_certificate_invalid",
        "the server's certificate is not valid, or is an issuer's own",
    ),
    (
        Cause::TlsHandshakeFailure,
        "tls_handshake_failure",
        "the peer accepted nothing of what was offered (TLS alert 40)",
    ),
    (
        Cause::TlsProtocolVersion,
        "tls_protocol_version",
        "the peer accepted no TLS version that was offered (TLS alert 70)",
    ),
    (
        Cause::TlsUnrecognisedName,
        "tls_unrecognised_name",
        "the peer does not know the name in the TLS handshake (TLS alert 112)",
    ),
    (
        Cause::TlsCertificateRequired,
        "tls_certificate_required",
        "the peer wants a client certificate (TLS alert 116)",
    ),
    (
        Cause::TlsBadCertificate,
        "tls_bad_certificate",
        "the peer refused the client certificate (TLS alerts 42 to 46, 49)",
    ),
    (
        Cause::TlsUnknownCa,
        "tls_unknown_ca",
        "the peer trusts nobody who issued the client certificate (TLS alert 48)",
    ),
    (
        Cause::TlsNoApplicationProtocol,
        "tls_no_application_protocol",
        "the peer does not speak HTTP/1.1 over TLS (TLS alert 120)",
    ),
    (Cause::TlsAlert, "tls_alert", "the peer ended the TLS connection with another alert"),
    (
        Cause::TlsTruncated,
        "tls_truncated",
        "the peer closed inside the answer's body without ending TLS",
    ),
    (Cause::WaitingForConnection, "waiting_for_connection", "timed out before it could be sent"),
    (Cause::WaitingForAnswer, "waiting_for_answer", "timed out after it was sent"),
    (Cause::ResetByPeer, "reset_by_peer", "the peer reset the connection"),
    (Cause::ClosedBeforeAnswer, "closed_before_answer", "the peer closed before any answer"),
    (Cause::ClosedInHead, "closed_in_head", "the peer closed inside the answer's head"),
    (Cause::ClosedInBody, "closed_in_body", "the peer closed inside the answer's body"),
    (Cause::IoFailed, "io_failed", "reading or writing the connection failed"),
    (Cause::ConnectionLost, "connection_lost", "another request ended the connection"),
    (Cause::BadStatusLine, "bad_status_line", "the answer does not begin with a status line"),
    (Cause::BadVersion, "bad_version", "the answer's HTTP version is not 1.0 or 1.1"),
    (Cause::BadHeader, "bad_header", "a header of the answer is malformed"),
    (Cause::TooManyHeaders, "too_many_headers", "the answer has too many headers"),
    (Cause::HeadTooLarge, "head_too_large", "the answer's head is too large"),
    (Cause::BadContentLength, "bad_content_length", "Content-Length is not a number"),
    (
        Cause::ConflictingContentLength,
        "conflicting_content_length",
        "the answer has several Content-Length values that differ",
    ),
    (Cause::BadChunkSize, "bad_chunk_size", "a chunk's size is not a hexadecimal number"),
    (Cause::ChunkSizeTooLarge, "chunk_size_too_large", "a chunk's size exceeds 64 bits"),
    (Cause::ChunkLineTooLong, "chunk_line_too_long", "a chunk's size line is too long"),
    (Cause::BadChunkEnd, "bad_chunk_end", "a chunk does not end with CRLF"),
    (Cause::BadTrailer, "bad_trailer", "the trailer section is malformed"),
    (Cause::TrailersTooLarge, "trailers_too_large", "the trailer section is too large"),
    (Cause::SwitchingProtocols, "switching_protocols", "the peer switched protocols unasked"),
    (Cause::TooManyInterim, "too_many_interim", "too many 1xx answers before the final one"),
    (Cause::QueueFull, "queue_full", "the queue of requests waiting for a connection was full"),
    (Cause::UnfinishedUnsent, "unfinished_unsent", "the run ended before it could be sent"),
    (Cause::UnfinishedInFlight, "unfinished_in_flight", "the run ended before its answer came"),
];

impl Cause {
    /// How many there are.
    pub const COUNT: usize = CAUSES.len();

    /// Every cause, in the order of [`Cause::index`].
    pub fn all() -> impl Iterator<Item = Self> {
        CAUSES.iter().map(|row| row.0)
    }

    /// Its place in the table.
    #[inline]
    #[must_use]
    pub fn index(self) -> usize {
        self as usize
    }

    /// The name in JSON and in the run file.
    #[must_use]
    pub fn name(self) -> &'static str {
        CAUSES[self.index()].1
    }

    /// A sentence for a person, without subject: "the peer refused the connection".
    #[must_use]
    pub fn explain(self) -> &'static str {
        CAUSES[self.index()].2
    }

    /// The cause of that name, as the run file stores it.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        CAUSES.iter().find(|row| row.1 == name).map(|row| row.0)
    }
}

#[cfg(test)]
mod tests;
