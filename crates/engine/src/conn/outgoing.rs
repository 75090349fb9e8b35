//! The encoded request, ready to be handed to the kernel.

use throng_proto::h1::{RequestHead, encode_request};

use crate::plan::Plan;

/// The bytes of the plan's request, repeated as often as is useful, so that pipelined requests go
/// out in one write and no request is ever copied.
#[derive(Debug)]
pub(crate) struct Outgoing {
    repeated: Vec<u8>,
    /// The length of one request.
    length: usize,
}

impl Outgoing {
    /// Encodes the request of a plan.
    pub(crate) fn of_plan(plan: &Plan) -> Self {
        let head = RequestHead {
            method: &plan.request.method,
            target: &plan.request.target,
            host: &plan.request.host,
            headers: &plan.request.headers,
            keep_alive: plan.keep_alive,
        };
        let mut one = Vec::new();
        encode_request(&head, plan.request.body.bytes(), &mut one);
        let copies = (BATCH_BYTES_MAX / one.len()).clamp(1, plan.pipeline.max(1) as usize);
        Self { length: one.len(), repeated: one.repeat(copies) }
    }

    /// The length of one request in bytes. At least 1.
    pub(crate) fn request_bytes(&self) -> usize {
        self.length
    }

    /// How many requests the last `unsent` bytes belong to. At most the pipeline's depth.
    #[inline]
    pub(crate) fn requests_in(&self, unsent: usize) -> u32 {
        // The usual cases come without a division.
        if unsent <= self.length {
            return u32::from(unsent > 0);
        }
        u32::try_from(unsent.div_ceil(self.length)).unwrap_or(u32::MAX)
    }

    /// The next bytes to send when the last `unsent` bytes of whole requests are not sent yet.
    #[inline]
    pub(crate) fn next(&self, unsent: usize) -> &[u8] {
        // Requests are equal, so where one ends the next begins: only the place within a request
        // matters.
        if unsent == self.length {
            return &self.repeated[..unsent];
        }
        let place = match unsent % self.length {
            0 => 0,
            left_of_first => self.length - left_of_first,
        };
        let end = (place + unsent).min(self.repeated.len());
        &self.repeated[place..end]
    }
}

/// Pipelined requests are repeated up to this size.
const BATCH_BYTES_MAX: usize = 64 * 1024;

#[cfg(test)]
mod tests;
