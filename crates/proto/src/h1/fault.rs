//! What a peer can do wrong, one variant for each thing.

/// Why the bytes of a peer are not an HTTP/1.1 response.
///
/// Every variant is the peer's doing, never ours: it counts as a protocol error of the request
/// under way. The enum is exhaustive on purpose, so that whoever counts faults cannot forget one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum PeerFault {
    /// The first line is not `HTTP/1.1 200 reason`, or something other than a response came.
    #[error("the response does not begin with a status line (RFC 9112 section 4)")]
    BadStatusLine,
    /// The response is of a major version other than 1.
    #[error("the response is not of HTTP version 1.x (RFC 9112 section 2.3)")]
    BadVersion,
    /// A header line has no valid name, colon or value.
    #[error("a header line is malformed (RFC 9112 section 5)")]
    BadHeader,
    /// More header lines than [`HEADER_COUNT_MAX`](super::HEADER_COUNT_MAX).
    #[error("the head has more than 128 header lines (limit allowed by RFC 9110 section 5.4)")]
    TooManyHeaders,
    /// The head is longer than [`HEAD_BYTES_MAX`](super::HEAD_BYTES_MAX).
    #[error("the head is longer than 65536 bytes (limit allowed by RFC 9110 section 5.4)")]
    HeadTooLarge,
    /// `Content-Length` is empty, not all digits, or exceeds 64 bits.
    #[error("Content-Length is not a decimal number of at most 64 bits (RFC 9110 section 8.6)")]
    BadContentLength,
    /// `Content-Length` was given more than once, with different values.
    #[error("several Content-Length values differ (RFC 9112 section 6.3, rule 5)")]
    ConflictingContentLength,
    /// A chunk-size line is not hexadecimal digits, an optional extension and CRLF.
    #[error("a chunk-size line is malformed (RFC 9112 section 7.1)")]
    BadChunkSize,
    /// A chunk size exceeds 64 bits.
    #[error("a chunk size exceeds 64 bits (RFC 9112 section 7.1)")]
    ChunkSizeTooLarge,
    /// A chunk-size line exceeds [`CHUNK_LINE_BYTES_MAX`](super::CHUNK_LINE_BYTES_MAX).
    #[error("a chunk-size line is longer than 4096 bytes (limit asked by RFC 9112 section 7.1.1)")]
    ChunkLineTooLong,
    /// The data of a chunk is not followed by CRLF.
    #[error("the data of a chunk is not followed by CRLF (RFC 9112 section 7.1)")]
    BadChunkEnd,
    /// A line of the trailer section is malformed.
    #[error("a trailer line is malformed (RFC 9112 section 7.1.2)")]
    BadTrailer,
    /// The trailer section exceeds [`TRAILER_BYTES_MAX`](super::TRAILER_BYTES_MAX).
    #[error(
        "the trailer section is longer than 16384 bytes (limit allowed by RFC 9110 section 5.4)"
    )]
    TrailersTooLarge,
    /// The peer answered 101 to a request that did not ask for an upgrade.
    #[error("status 101 without a request to upgrade (RFC 9110 section 15.2.2)")]
    SwitchingProtocols,
    /// More interim responses than [`INTERIM_COUNT_MAX`](super::INTERIM_COUNT_MAX) before a final one.
    #[error(
        "more than 32 interim responses before a final one (RFC 9110 section 15.2 sets no limit)"
    )]
    TooManyInterim,
    /// The peer closed within a head, or between an interim response and the final one.
    #[error("the connection closed before the head was complete (RFC 9112 section 8)")]
    ClosedInHead,
    /// The peer closed before the announced end of the body.
    #[error("the connection closed before the body was complete (RFC 9112 section 8)")]
    ClosedInBody,
}
