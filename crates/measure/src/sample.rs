//! One planned request, ended.

use crate::{Cause, Nanos, Outcome};

/// The instants and the end of one planned request.
///
/// `due` has no default and is never rewritten: a response time that leaves out the wait before
/// sending (coordinated omission) cannot be formed from a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// When the plan says that it starts. Fixed before a connection is chosen.
    pub due: Nanos,
    /// When the worker picked it up; `None` when it was dropped.
    pub dispatched: Option<Nanos>,
    /// When its last byte was handed to the kernel; `None` when that never happened.
    pub sent: Option<Nanos>,
    /// When the kernel had handed its last byte to the device; known of sampled requests only.
    pub transmitted: Option<Nanos>,
    /// When the kernel had received the first bytes of the answer; `None` when none came.
    pub first_byte: Option<Nanos>,
    /// When the kernel had received the last byte of the answer; without an answer, when throng
    /// stopped waiting.
    pub end: Nanos,
    /// When user space had the last byte; equals `end` without an answer.
    pub read: Nanos,
    /// How it ended.
    pub outcome: Outcome,
    /// Why, when there was no answer.
    pub cause: Option<Cause>,
    /// The answer's status; 0 without one.
    pub status: u16,
}
