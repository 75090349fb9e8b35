//! Protocols as pure functions: bytes in, bytes and events out.
//!
//! Nothing here reads a clock, opens a socket or starts a thread. The caller moves the bytes and
//! knows the time; this crate knows what the bytes mean. That makes every rule testable with plain
//! byte strings, at every possible split, and keeps the cost of one response countable.
//!
//! Invariant: what is decoded depends on the bytes alone, never on how reads happened to cut them.

#![forbid(unsafe_code)]

pub mod h1;
