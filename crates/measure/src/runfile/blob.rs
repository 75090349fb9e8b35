//! Histograms to bytes and back: HdrHistogram V2 with deflate, as every HdrHistogram library reads.
//!
//! Windows are encoded every second beside a running load, so [`Encoder::encode_buckets`] writes the
//! format straight from the counts: a tenth of the work of forming a histogram first and having it
//! serialised. [`Walker`] reads them without forming one. Other reading, and the totals that are
//! written once, go through the library.

mod walk;

use flate2::{Compress, Compression, FlushCompress, Status};
use hdrhistogram::serialization::{Deserializer, Serializer, V2DeflateSerializer};
use hdrhistogram::{Counter, Histogram};

use super::RunFileError;
use crate::metric::{HIGHEST_NS, SIGNIFICANT_DIGITS};
use crate::{Buckets, Metric};

pub(super) use walk::Walker;

/// Encodes durations, keeping its buffers.
pub(super) struct Encoder {
    compress: Compress,
    plain: Vec<u8>,
    bytes: Vec<u8>,
}

impl Encoder {
    pub(super) fn new() -> Self {
        let compress = Compress::new(Compression::fast(), true);
        Self { compress, plain: Vec::new(), bytes: Vec::new() }
    }

    /// The V2 encoding of a histogram with these counts.
    pub(super) fn encode_buckets(&mut self, durations: &Buckets) -> &[u8] {
        self.plain.clear();
        write_plain(durations, &mut self.plain);
        self.compress.reset();
        self.bytes.clear();
        self.bytes.extend_from_slice(&V2_DEFLATE_COOKIE.to_be_bytes());
        self.bytes.extend_from_slice(&[0; 4]);
        loop {
            // What is still to be compressed shrinks; incompressible data grows by a few bytes.
            let read = usize::try_from(self.compress.total_in()).unwrap_or(usize::MAX);
            let rest = self.plain.get(read..).unwrap_or_default();
            self.bytes.reserve(rest.len() + ROOM);
            match self.compress.compress_vec(rest, &mut self.bytes, FlushCompress::Finish) {
                Ok(Status::Ok | Status::BufError) => {}
                Ok(Status::StreamEnd) => break,
                Err(_) => unreachable!("compressing takes any bytes"),
            }
        }
        let length = u32::try_from(self.bytes.len() - V2_DEFLATE_HEADER).unwrap_or(u32::MAX);
        self.bytes[4..V2_DEFLATE_HEADER].copy_from_slice(&length.to_be_bytes());
        &self.bytes
    }
}

/// The uncompressed V2 encoding: a header, then the counts up to the last one that is not zero.
///
/// # Source
/// HdrHistogram's `encodeIntoByteBuffer`: counts are zig-zag LEB128 numbers; a negative one stands
/// for so many zeros.
fn write_plain(durations: &Buckets, out: &mut Vec<u8>) {
    out.extend_from_slice(&V2_COOKIE.to_be_bytes());
    out.extend_from_slice(&[0; 4]); // the payload's length, below
    out.extend_from_slice(&0_u32.to_be_bytes()); // normalizing index offset
    out.extend_from_slice(&u32::from(SIGNIFICANT_DIGITS).to_be_bytes());
    out.extend_from_slice(&1_u64.to_be_bytes()); // lowest discernible value
    out.extend_from_slice(&HIGHEST_NS.to_be_bytes());
    out.extend_from_slice(&1_f64.to_be_bytes()); // integer to double conversion ratio
    let payload_start = out.len();
    let mut zeros = 0;
    for &count in durations.counts() {
        if count == 0 {
            zeros += 1;
            continue;
        }
        write_number(-std::mem::take(&mut zeros), out);
        write_number(i64::from(count), out);
    }
    let length = u32::try_from(out.len() - payload_start).unwrap_or(u32::MAX);
    out[4..8].copy_from_slice(&length.to_be_bytes());
}

/// Zig-zag LEB128; nothing for zero, which stands for an empty run.
fn write_number(number: i64, out: &mut Vec<u8>) {
    let mut zigzag = ((number << 1) ^ (number >> 63)).cast_unsigned();
    if zigzag == 0 {
        return;
    }
    while zigzag >= 0x80 {
        out.push((zigzag & 0x7f) as u8 | 0x80);
        zigzag >>= 7;
    }
    out.push((zigzag & 0x7f) as u8);
}

/// Encodes one histogram.
pub(super) fn encode(histogram: &Histogram<u64>) -> Vec<u8> {
    let mut bytes = Vec::new();
    // It fails when a count exceeds 63 bits, or when the target cannot be written.
    V2DeflateSerializer::new()
        .serialize(histogram, &mut bytes)
        .expect("writing to memory works and counts stay below 2^63");
    bytes
}

/// Decodes one histogram.
pub(super) fn decode<T: Counter>(
    metric: Metric,
    bytes: &[u8],
) -> Result<Histogram<T>, RunFileError> {
    Deserializer::new()
        .deserialize(&mut &*bytes)
        .map_err(|_| RunFileError::DamagedHistogram { metric: metric.name() })
}

/// Cookies of the V2 formats; 0x10 says that counts are LEB128 numbers.
const V2_COOKIE: u32 = 0x1c84_9303 | 0x10;
const V2_DEFLATE_COOKIE: u32 = 0x1c84_9304 | 0x10;

/// Cookie and length.
const V2_DEFLATE_HEADER: usize = 8;

/// Room that is always enough for deflate's own header and trailer.
const ROOM: usize = 64;

#[cfg(test)]
mod tests;
