//! The client's side of one connection: bytes to responses, one after another.
//!
//! One call to [`Decoder::receive`]:
//! 1. takes heads until a final one: by equality with the last one, in place, or from pieces;
//! 2. decides from head and request where the body ends;
//! 3. counts and skips the body;
//! 4. stops at the end of the response, so that the caller can stamp each response of a batch.
//!
//! Invariant: the responses and faults are a function of the bytes received and whether the peer
//! closed, not of how the bytes were split over calls nor of what the cache holds.
//!
//! Not here: head syntax (`head`), chunk syntax (`chunked`), pairing with requests (`engine`).

use std::mem;

use super::chunked::Chunked;
use super::fault::PeerFault;
use super::head::{Framing, HeadCache, HeadFacts, PartialHead};

/// The most interim (1xx) responses before one final response.
pub const INTERIM_COUNT_MAX: u16 = 32;

/// Decodes the responses of one connection, fed with whatever bytes arrive, split anywhere.
///
/// Holds no allocation unless a head was split over reads; then one buffer of at most
/// [`HEAD_BYTES_MAX`](super::HEAD_BYTES_MAX) bytes, kept for the next such head.
#[derive(Debug)]
pub struct Decoder {
    state: State,
    response: Response,
    partial: PartialHead,
    request_is_head: bool,
}

/// How far a call to [`Decoder::receive`] came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// All of the input was consumed, and the response goes on or none has begun.
    NeedMore,
    /// A response ended.
    Complete {
        /// How many bytes of the input belong to it; the rest begins the next response.
        consumed: usize,
        /// What it was.
        response: Response,
    },
}

/// A response whose last byte was received.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Response {
    /// The status code: three digits as sent, so 0 to 999 except 1xx. RFC 9110 section 15 asks to
    /// treat those outside of 100..=599 as server errors.
    pub status: u16,
    /// Bytes of the payload, without chunk sizes and trailers; compressed bodies count as sent.
    pub body_bytes: u64,
    /// Whether the connection may carry another request.
    pub reusable: bool,
    /// How many interim (1xx) responses came before.
    pub interim_count: u16,
    /// Both `Transfer-Encoding` and `Content-Length` were sent. The former won, as RFC 9112 section
    /// 6.3 rules, and the connection is not reusable, since others may have read it differently.
    pub framing_conflict: bool,
}

#[derive(Debug, Clone, Copy)]
enum State {
    /// Between responses, within a head, or after an interim response.
    Head,
    Length {
        remaining: u64,
    },
    Chunked(Chunked),
    UntilClose,
    Failed(PeerFault),
}

impl Decoder {
    /// A decoder for a new connection; `request_is_head` if its responses answer HEAD requests.
    #[must_use]
    pub fn new(request_is_head: bool) -> Self {
        Self {
            state: State::Head,
            response: Response::default(),
            partial: PartialHead::default(),
            request_is_head,
        }
    }

    /// Consumes `input` up to the end of the response under way at most.
    ///
    /// Call again with the rest after [`Progress::Complete`]: an empty rest is [`Progress::NeedMore`].
    /// Allocates only to keep a head that `input` does not complete.
    ///
    /// # Errors
    /// The first thing that the peer did wrong. The decoder stays in that state and repeats the fault
    /// until [`reset`](Self::reset).
    ///
    /// # Source
    /// RFC 9112 sections 4 to 7; the end of the body by the order of section 6.3.
    #[inline]
    pub fn receive(&mut self, input: &[u8], cache: &mut HeadCache) -> Result<Progress, PeerFault> {
        let result = self.advance(input, cache);
        if let Err(fault) = result {
            self.state = State::Failed(fault);
        }
        result
    }

    /// Notes that the peer closed its sending side.
    ///
    /// `Some` is the response whose body lasted until the close; `None` means that the close fell
    /// between responses, which is how idle connections end.
    ///
    /// # Errors
    /// [`PeerFault::ClosedInHead`] or [`PeerFault::ClosedInBody`] if a response was cut off, or the
    /// fault that `receive` reported before.
    pub fn peer_closed(&mut self) -> Result<Option<Response>, PeerFault> {
        let fault = match self.state {
            State::Head if !self.in_response() => return Ok(None),
            State::UntilClose => return Ok(Some(self.finish())),
            State::Head => PeerFault::ClosedInHead,
            State::Length { .. } | State::Chunked(_) => PeerFault::ClosedInBody,
            State::Failed(fault) => fault,
        };
        self.state = State::Failed(fault);
        Err(fault)
    }

    /// Whether at least one byte of a response, interim ones included, came and it has not ended.
    ///
    /// A response that broke off with a fault has not ended.
    #[inline]
    #[must_use]
    pub fn in_response(&self) -> bool {
        match self.state {
            State::Head => !self.partial.is_empty() || self.response.interim_count > 0,
            _ => true,
        }
    }

    /// Forgets everything for a new connection in the same slot, but keeps the allocation.
    pub fn reset(&mut self) {
        self.state = State::Head;
        self.response = Response::default();
        self.partial.clear();
    }

    // Always: as a call it would cost a tenth of a small response, and it has one caller.
    #[inline(always)]
    fn advance(&mut self, input: &[u8], cache: &mut HeadCache) -> Result<Progress, PeerFault> {
        let mut consumed = 0;
        // At most INTERIM_COUNT_MAX + 1 turns: each takes one head or returns.
        while let State::Head = self.state {
            let rest = &input[consumed..];
            if self.partial.is_empty()
                && let Some((head_bytes, facts)) = cache.lookup(rest)
            {
                self.begin_body(facts)?;
                consumed += head_bytes;
            } else if let Some((head_bytes, facts)) = self.partial.receive(rest, cache)? {
                self.begin_body(&facts)?;
                consumed += head_bytes;
            } else {
                return Ok(Progress::NeedMore);
            }
        }
        match self.skip_body(&input[consumed..])? {
            Some(body_bytes) => {
                let response = self.finish();
                Ok(Progress::Complete { consumed: consumed + body_bytes, response })
            }
            None => Ok(Progress::NeedMore),
        }
    }

    /// Decides how the body ends (RFC 9112 section 6.3), or stays at the head after an interim one.
    #[inline]
    fn begin_body(&mut self, facts: &HeadFacts) -> Result<(), PeerFault> {
        if let 100..=199 = facts.status {
            return self.note_interim(facts.status);
        }
        // RFC 9112 section 6.3, rule 1; the head has already spoken on its own status.
        let framing = if self.request_is_head { Framing::Length(0) } else { facts.framing };
        self.response.status = facts.status;
        self.response.framing_conflict = facts.framing_conflict;
        self.response.reusable = facts.persistent && framing != Framing::UntilClose;
        self.state = match framing {
            Framing::Length(remaining) => State::Length { remaining },
            Framing::Chunked => State::Chunked(Chunked::new()),
            Framing::UntilClose => State::UntilClose,
        };
        Ok(())
    }

    #[cold]
    fn note_interim(&mut self, status: u16) -> Result<(), PeerFault> {
        if status == 101 {
            return Err(PeerFault::SwitchingProtocols);
        }
        if self.response.interim_count == INTERIM_COUNT_MAX {
            return Err(PeerFault::TooManyInterim);
        }
        self.response.interim_count += 1;
        Ok(())
    }

    /// How much of `input` ends the body, or `None` if it goes on after all of `input`.
    #[inline]
    fn skip_body(&mut self, input: &[u8]) -> Result<Option<usize>, PeerFault> {
        match &mut self.state {
            State::Length { remaining } => {
                let skipped = (*remaining).min(input.len() as u64);
                *remaining -= skipped;
                self.response.body_bytes += skipped;
                // `skipped` is at most the length of a slice.
                Ok((*remaining == 0).then_some(skipped as usize))
            }
            State::Chunked(body) => body.receive(input, &mut self.response.body_bytes),
            State::UntilClose => {
                self.response.body_bytes += input.len() as u64;
                Ok(None)
            }
            State::Failed(fault) => Err(*fault),
            State::Head => unreachable!("the body is reached through a final head"),
        }
    }

    #[inline]
    fn finish(&mut self) -> Response {
        self.state = State::Head;
        mem::take(&mut self.response)
    }
}

#[cfg(test)]
mod tests;
