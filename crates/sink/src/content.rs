//! The bodies of answers: known letters from one static block, whole or breaking off.
//!
//! Byte `i` of every generated body is the letter `i mod 26` of the alphabet, so that a client can
//! check what it received. Bodies of any size are slices of the same 64 KiB: serving 10 GiB
//! allocates nothing.
//!
//! Invariant: what a body announces in its size hint is what it sends, except for
//! [`Content::Broken`], whose purpose is the opposite.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use hyper::body::{Body, Bytes, Frame, SizeHint};

use crate::wire::Wire;

/// The body of one answer.
#[derive(Debug)]
pub(crate) enum Content {
    /// Bytes at hand, sent in one piece.
    Whole(Option<Bytes>),
    /// Letters, with Content-Length.
    Counted { sent_bytes: u64, total_bytes: u64 },
    /// Letters without a length, which hyper frames as chunks of `piece_bytes`.
    Chunked { sent_bytes: u64, total_bytes: u64, piece_bytes: u64 },
    /// Announces [`BROKEN_BODY_BYTES`], sends half of them and goes on as `ending` says.
    Broken { is_half_sent: bool, ending: Ending },
}

/// What follows the first half of a broken body.
#[derive(Debug)]
pub(crate) enum Ending {
    /// The connection closes, one turn later, so that the half is on the wire before.
    Close { is_flushed: bool },
    /// Nothing, until the client closes.
    Stall(Wire),
}

/// The error that makes hyper close the connection where the answer stands.
#[derive(Debug, thiserror::Error)]
#[error("closed on purpose")]
pub(crate) struct ClosedOnPurpose;

impl Content {
    pub(crate) fn empty() -> Self {
        Self::Whole(None)
    }

    pub(crate) fn whole(bytes: impl Into<Bytes>) -> Self {
        Self::Whole(Some(bytes.into()))
    }

    pub(crate) fn counted(total_bytes: u64) -> Self {
        Self::Counted { sent_bytes: 0, total_bytes }
    }

    /// At least [`CHUNKS_MIN`] chunks, as far as there are bytes for that many.
    pub(crate) fn chunked(total_bytes: u64) -> Self {
        let piece_bytes = total_bytes.div_ceil(CHUNKS_MIN).max(1);
        Self::Chunked { sent_bytes: 0, total_bytes, piece_bytes }
    }

    pub(crate) fn broken(ending: Ending) -> Self {
        Self::Broken { is_half_sent: false, ending }
    }
}

impl Body for Content {
    type Data = Bytes;
    type Error = ClosedOnPurpose;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, ClosedOnPurpose>>> {
        let piece = match self.get_mut() {
            Self::Whole(bytes) => bytes.take(),
            Self::Counted { sent_bytes, total_bytes } => {
                next_letters(sent_bytes, *total_bytes, PIECE_BYTES_MAX)
            }
            Self::Chunked { sent_bytes, total_bytes, piece_bytes } => {
                next_letters(sent_bytes, *total_bytes, *piece_bytes)
            }
            Self::Broken { is_half_sent: is_half_sent @ false, .. } => {
                *is_half_sent = true;
                next_letters(&mut 0, BROKEN_BODY_BYTES / 2, PIECE_BYTES_MAX)
            }
            Self::Broken { ending, .. } => {
                ready!(ending.poll(context));
                return Poll::Ready(Some(Err(ClosedOnPurpose)));
            }
        };
        Poll::Ready(piece.map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Whole(bytes) => bytes.is_none(),
            Self::Counted { sent_bytes, total_bytes } => sent_bytes == total_bytes,
            // Asked before the first piece too, where true would make hyper send Content-Length: 0.
            Self::Chunked { .. } | Self::Broken { .. } => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(bytes) => {
                SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64))
            }
            Self::Counted { sent_bytes, total_bytes } => {
                SizeHint::with_exact(total_bytes - sent_bytes)
            }
            Self::Chunked { .. } => SizeHint::new(),
            Self::Broken { .. } => SizeHint::with_exact(BROKEN_BODY_BYTES),
        }
    }
}

impl Ending {
    /// Ready when the connection is to close.
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<()> {
        match self {
            Self::Close { is_flushed: true } => Poll::Ready(()),
            Self::Close { is_flushed } => {
                *is_flushed = true;
                context.waker().wake_by_ref();
                Poll::Pending
            }
            Self::Stall(wire) => wire.poll_closed(context),
        }
    }
}

/// The next piece of the letters, or `None` once `total_bytes` of them were taken.
fn next_letters(sent_bytes: &mut u64, total_bytes: u64, piece_bytes: u64) -> Option<Bytes> {
    let piece_bytes = piece_bytes.min(PIECE_BYTES_MAX).min(total_bytes - *sent_bytes);
    // Neither cast loses anything: both numbers are below the 64 KiB of the block.
    let start = (*sent_bytes % ALPHABET_BYTES) as usize;
    let end = start + piece_bytes as usize;
    *sent_bytes += piece_bytes;
    (piece_bytes > 0).then(|| Bytes::from_static(&LETTERS[start..end]))
}

const fn letters() -> [u8; BLOCK_BYTES] {
    let mut block = [0; BLOCK_BYTES];
    let mut index = 0;
    while index < BLOCK_BYTES {
        block[index] = b'a' + (index % ALPHABET_BYTES as usize) as u8;
        index += 1;
    }
    block
}

/// What a broken body announces. It sends half.
pub(crate) const BROKEN_BODY_BYTES: u64 = 100;
/// How many chunks a chunked body has at least, if it has that many bytes.
const CHUNKS_MIN: u64 = 4;
const ALPHABET_BYTES: u64 = 26;
const BLOCK_BYTES: usize = 65_536;
/// The longest piece: a piece may begin at any letter, and all of it lies in the block.
const PIECE_BYTES_MAX: u64 = BLOCK_BYTES as u64 - ALPHABET_BYTES;
static LETTERS: [u8; BLOCK_BYTES] = letters();

#[cfg(test)]
mod tests;
