//! What a peer broke, in the words of reports.

use throng_measure::Cause;
use throng_proto::h1::PeerFault;

/// The cause that a report shows for a protocol fault.
pub(crate) fn cause_of(fault: PeerFault) -> Cause {
    match fault {
        PeerFault::BadStatusLine => Cause::BadStatusLine,
        PeerFault::BadVersion => Cause::BadVersion,
        PeerFault::BadHeader => Cause::BadHeader,
        PeerFault::TooManyHeaders => Cause::TooManyHeaders,
        PeerFault::HeadTooLarge => Cause::HeadTooLarge,
        PeerFault::BadContentLength => Cause::BadContentLength,
        PeerFault::ConflictingContentLength => Cause::ConflictingContentLength,
        PeerFault::BadChunkSize => Cause::BadChunkSize,
        PeerFault::ChunkSizeTooLarge => Cause::ChunkSizeTooLarge,
        PeerFault::ChunkLineTooLong => Cause::ChunkLineTooLong,
        PeerFault::BadChunkEnd => Cause::BadChunkEnd,
        PeerFault::BadTrailer => Cause::BadTrailer,
        PeerFault::TrailersTooLarge => Cause::TrailersTooLarge,
        PeerFault::SwitchingProtocols => Cause::SwitchingProtocols,
        PeerFault::TooManyInterim => Cause::TooManyInterim,
        PeerFault::ClosedInHead => Cause::ClosedInHead,
        PeerFault::ClosedInBody => Cause::ClosedInBody,
    }
}
