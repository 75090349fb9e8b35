//! Histograms to bytes and back: HdrHistogram V2 with deflate, as every HdrHistogram library reads.

use hdrhistogram::serialization::{Deserializer, Serializer, V2DeflateSerializer};
use hdrhistogram::{Counter, Histogram};

use super::RunFileError;
use crate::distribution::empty_histogram;
use crate::{Buckets, Metric};

/// Encodes histograms, keeping its buffers.
pub(super) struct Encoder {
    serializer: V2DeflateSerializer,
    scratch: Histogram<u64>,
    bytes: Vec<u8>,
}

impl Encoder {
    pub(super) fn new() -> Self {
        Self {
            serializer: V2DeflateSerializer::new(),
            scratch: empty_histogram(),
            bytes: Vec::new(),
        }
    }

    pub(super) fn encode(&mut self, histogram: &Histogram<u64>) -> &[u8] {
        serialize(&mut self.serializer, histogram, &mut self.bytes);
        &self.bytes
    }

    pub(super) fn encode_buckets(&mut self, durations: &Buckets) -> &[u8] {
        self.scratch.reset();
        durations.fold_into(&mut self.scratch);
        serialize(&mut self.serializer, &self.scratch, &mut self.bytes);
        &self.bytes
    }
}

fn serialize(
    serializer: &mut V2DeflateSerializer,
    histogram: &Histogram<u64>,
    bytes: &mut Vec<u8>,
) {
    bytes.clear();
    // It fails when a count exceeds 63 bits, or when the target cannot be written.
    serializer
        .serialize(histogram, bytes)
        .expect("writing to memory works and counts stay below 2^63");
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
