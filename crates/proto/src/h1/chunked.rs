//! The chunked transfer coding: payload counted and skipped, framing checked byte by byte.
//!
//! Nothing is buffered: the decoder is a phase, a count of bytes left and a length of the line under
//! way. Data is skipped by length, so a large chunk costs as much as a small one.
//!
//! Lines end with CRLF and nothing else: here a lone LF would let two readers disagree on where a
//! chunk begins, and RFC 9112 section 2.2 allows it in heads only.

use super::fault::PeerFault;

/// The longest chunk-size line, extensions and CRLF included, in bytes.
pub const CHUNK_LINE_BYTES_MAX: u32 = 4 * 1024;

/// The longest trailer section, its empty last line included, in bytes.
pub const TRAILER_BYTES_MAX: u32 = 16 * 1024;

/// A chunked body under way.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chunked {
    /// While a size is read: its value so far. While data is read: how much is left.
    remaining: u64,
    /// Bytes of the chunk-size line, or of the whole trailer section, so far.
    section_bytes: u32,
    phase: Phase,
}

/// What the next byte is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// The first digit of a chunk size.
    Size,
    SizeDigit,
    /// After the size: white space before an extension, or before the line's end as some servers pad.
    SizePadding,
    Extension,
    SizeLf,
    Data,
    DataCr,
    DataLf,
    /// The first byte of a trailer line, or of the empty line that ends the body.
    TrailerStart,
    TrailerName,
    TrailerValue,
    TrailerLf,
    EndLf,
    Done,
}

impl Chunked {
    pub(super) const fn new() -> Self {
        Self { remaining: 0, section_bytes: 0, phase: Phase::Size }
    }

    /// Reads on; returns how much of `input` it consumed once the body has ended, else `None`.
    ///
    /// Adds the payload to `body_bytes`, without framing and trailers.
    ///
    /// # Errors
    /// The fault of the first byte that cannot belong to a chunked body.
    pub(super) fn receive(
        &mut self,
        input: &[u8],
        body_bytes: &mut u64,
    ) -> Result<Option<usize>, PeerFault> {
        let mut at = 0;
        while at < input.len() {
            let rest = &input[at..];
            if self.phase == Phase::Data {
                let skipped = self.remaining.min(rest.len() as u64);
                self.remaining -= skipped;
                *body_bytes += skipped;
                // `skipped` is at most the length of a slice.
                at += skipped as usize;
                if self.remaining == 0 {
                    self.phase = Phase::DataCr;
                }
            } else if let Some(line_bytes) = self.whole_line(rest) {
                at += line_bytes;
            } else {
                self.phase = self.next_phase(rest[0])?;
                at += 1;
            }
            if self.phase == Phase::Done {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    /// Takes a whole line of the usual form in one step, else nothing; returns its length.
    ///
    /// Does what [`next_phase`](Self::next_phase) would do byte by byte, at less than half the cost.
    #[inline]
    fn whole_line(&mut self, input: &[u8]) -> Option<usize> {
        match self.phase {
            Phase::Size if self.section_bytes == 0 => {
                let (size, line_bytes) = plain_size_line(input)?;
                self.remaining = size;
                self.phase = self.end_of_size_line();
                Some(line_bytes)
            }
            Phase::DataCr if input.starts_with(b"\r\n") => {
                self.phase = Phase::Size;
                Some(2)
            }
            Phase::TrailerStart if self.section_bytes == 0 && input.starts_with(b"\r\n") => {
                self.phase = Phase::Done;
                Some(2)
            }
            _ => None,
        }
    }

    #[inline]
    fn next_phase(&mut self, byte: u8) -> Result<Phase, PeerFault> {
        match self.phase {
            Phase::Size | Phase::SizeDigit | Phase::SizePadding => self.size_line(byte),
            Phase::Extension | Phase::SizeLf => self.size_line(byte),
            Phase::DataCr if byte == b'\r' => Ok(Phase::DataLf),
            Phase::DataLf if byte == b'\n' => Ok(Phase::Size),
            Phase::DataCr | Phase::DataLf => Err(PeerFault::BadChunkEnd),
            Phase::TrailerStart | Phase::TrailerName | Phase::TrailerValue => self.trailer(byte),
            Phase::TrailerLf | Phase::EndLf => self.trailer(byte),
            // `receive` skips data itself and returns when it is done.
            Phase::Data | Phase::Done => unreachable!("no byte is read one by one here"),
        }
    }

    /// One byte of `chunk-size [ chunk-ext ] CRLF` (RFC 9112 section 7.1).
    fn size_line(&mut self, byte: u8) -> Result<Phase, PeerFault> {
        self.section_bytes += 1;
        if self.section_bytes > CHUNK_LINE_BYTES_MAX {
            return Err(PeerFault::ChunkLineTooLong);
        }
        match (self.phase, byte) {
            (Phase::Size | Phase::SizeDigit, _) if byte.is_ascii_hexdigit() => {
                self.add_digit(byte)?;
                Ok(Phase::SizeDigit)
            }
            (Phase::Size, _) => Err(PeerFault::BadChunkSize),
            (Phase::SizeLf, b'\n') => Ok(self.end_of_size_line()),
            (Phase::SizeLf, _) => Err(PeerFault::BadChunkSize),
            (_, b'\r') => Ok(Phase::SizeLf),
            (Phase::SizeDigit | Phase::SizePadding, b' ' | b'\t') => Ok(Phase::SizePadding),
            (Phase::SizeDigit | Phase::SizePadding, b';') => Ok(Phase::Extension),
            (Phase::Extension, _) if is_text(byte) => Ok(Phase::Extension),
            _ => Err(PeerFault::BadChunkSize),
        }
    }

    fn add_digit(&mut self, byte: u8) -> Result<(), PeerFault> {
        let digit = digit_of(byte).ok_or(PeerFault::BadChunkSize)?;
        let shifted = self.remaining.checked_mul(16).ok_or(PeerFault::ChunkSizeTooLarge)?;
        self.remaining = shifted + digit;
        Ok(())
    }

    fn end_of_size_line(&mut self) -> Phase {
        self.section_bytes = 0;
        if self.remaining == 0 { Phase::TrailerStart } else { Phase::Data }
    }

    /// One byte of `*( field-line CRLF ) CRLF` (RFC 9112 section 7.1.2); folded lines as in heads.
    fn trailer(&mut self, byte: u8) -> Result<Phase, PeerFault> {
        let first_of_section = self.section_bytes == 0;
        self.section_bytes += 1;
        if self.section_bytes > TRAILER_BYTES_MAX {
            return Err(PeerFault::TrailersTooLarge);
        }
        match (self.phase, byte) {
            (Phase::TrailerStart, b'\r') => Ok(Phase::EndLf),
            (Phase::TrailerStart, b' ' | b'\t') if !first_of_section => Ok(Phase::TrailerValue),
            (Phase::TrailerName, b':') => Ok(Phase::TrailerValue),
            (Phase::TrailerStart | Phase::TrailerName, _) if is_token(byte) => {
                Ok(Phase::TrailerName)
            }
            (Phase::TrailerValue, b'\r') => Ok(Phase::TrailerLf),
            (Phase::TrailerValue, _) if is_text(byte) => Ok(Phase::TrailerValue),
            (Phase::TrailerLf, b'\n') => Ok(Phase::TrailerStart),
            (Phase::EndLf, b'\n') => Ok(Phase::Done),
            _ => Err(PeerFault::BadTrailer),
        }
    }
}

/// Reads digits and CRLF at the start of `input`: the size and the length of the line.
///
/// `None` for anything else, be it longer, padded, extended, incomplete or wrong.
#[inline]
fn plain_size_line(input: &[u8]) -> Option<(u64, usize)> {
    let mut size = 0;
    // Fifteen digits cannot exceed 64 bits.
    for (digit_count, &byte) in input.iter().take(16).enumerate() {
        match digit_of(byte) {
            Some(digit) if digit_count < 15 => size = size * 16 + digit,
            None if digit_count > 0 && input[digit_count..].starts_with(b"\r\n") => {
                return Some((size, digit_count + 2));
            }
            _ => return None,
        }
    }
    None
}

#[inline]
fn digit_of(byte: u8) -> Option<u64> {
    char::from(byte).to_digit(16).map(u64::from)
}

/// Whether `byte` may stand in a value: visible, white space, or beyond ASCII (RFC 9110 section 5.5).
fn is_text(byte: u8) -> bool {
    byte == b'\t' || (byte >= b' ' && byte != 0x7f)
}

/// Whether `byte` may stand in a name (RFC 9110 section 5.6.2).
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

#[cfg(test)]
mod tests;
