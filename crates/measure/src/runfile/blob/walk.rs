//! Reading the counts of a window's histogram without forming it.
//!
//! A report looks at the windows of an hour once for each of a few durations: some 10,000
//! histograms of 33,000 counters, nearly all of them zero. [`Walker`] unpacks what
//! [`Encoder`](super::Encoder) wrote and hands out the counts that are not: a tenth of the work.

use flate2::{Decompress, FlushDecompress, Status};

use super::{V2_COOKIE, V2_DEFLATE_COOKIE, V2_DEFLATE_HEADER};
use crate::metric::SIGNIFICANT_DIGITS;
use crate::runfile::RunFileError;
use crate::{Buckets, Metric};

/// Reads one histogram after the other, keeping its buffers.
pub(in crate::runfile) struct Walker {
    decompress: Decompress,
    plain: Vec<u8>,
}

impl Walker {
    pub(in crate::runfile) fn new() -> Self {
        Self { decompress: Decompress::new(true), plain: Vec::with_capacity(PLAIN_MAX) }
    }

    /// Calls `visit` with the least value of each bucket that has a count, rising, and the count.
    ///
    /// # Errors
    /// [`RunFileError::DamagedHistogram`]; `visit` has then been called for what came before.
    pub(in crate::runfile) fn for_each(
        &mut self,
        metric: Metric,
        bytes: &[u8],
        visit: impl FnMut(u64, u64),
    ) -> Result<(), RunFileError> {
        self.unpack(bytes)
            .and_then(|counts| walk(counts, visit))
            .ok_or(RunFileError::DamagedHistogram { metric: metric.name() })
    }

    /// The encoded counts, when the header is the one that we write.
    fn unpack(&mut self, bytes: &[u8]) -> Option<&[u8]> {
        bytes.strip_prefix(&V2_DEFLATE_COOKIE.to_be_bytes())?;
        self.plain.clear();
        self.decompress.reset(true);
        let packed = bytes.get(V2_DEFLATE_HEADER..)?;
        let done = self.decompress.decompress_vec(packed, &mut self.plain, FlushDecompress::Finish);
        if done.ok()? != Status::StreamEnd {
            return None;
        }
        let (header, counts) = self.plain.split_at_checked(HEADER)?;
        let number = |from: usize| Some(u32::from_be_bytes(*header.get(from..)?.first_chunk()?));
        let known = number(0)? == V2_COOKIE
            && usize::try_from(number(4)?).ok()? == counts.len()
            && number(8)? == 0
            && number(12)? == u32::from(SIGNIFICANT_DIGITS)
            && (number(16)?, number(20)?) == (0, 1);
        known.then_some(counts)
    }
}

/// Counts are zig-zag LEB128 numbers; a negative one stands for so many zeros.
pub(super) fn walk(mut counts: &[u8], mut visit: impl FnMut(u64, u64)) -> Option<()> {
    let mut index: usize = 0;
    while !counts.is_empty() {
        let number = take_number(&mut counts)?;
        if number < 0 {
            index = index.checked_add(usize::try_from(number.unsigned_abs()).ok()?)?;
            continue;
        }
        visit(Buckets::lowest_of(index)?, number.unsigned_abs());
        index += 1;
    }
    Some(())
}

/// A zig-zag LEB128 number; those of more than 63 bits, which no count has, are refused.
fn take_number(bytes: &mut &[u8]) -> Option<i64> {
    let mut zigzag = 0;
    for shift in (0..u64::BITS - 1).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        zigzag |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some((zigzag >> 1).cast_signed() ^ -(zigzag & 1).cast_signed());
        }
    }
    None
}

/// Cookie, length, normalizing offset, digits, lowest and highest value, ratio.
const HEADER: usize = 40;

/// More than any histogram of ours takes: 5 bytes for each count, and for each run of zeros 3.
const PLAIN_MAX: usize = HEADER + Buckets::COUNT * 8;
