//! No bytes can panic the HTTP/1.1 decoder, and their splitting never changes what they mean.
//!
//! The first byte of the input is not sent: bit 0 makes the responses answer HEAD, bit 1 closes the
//! connection after the last byte, the rest seeds the splitting.

#![no_main]

#[path = "../../crates/proto/tests/support/mod.rs"]
mod support;

use libfuzzer_sys::fuzz_target;
use support::play;
use throng_proto::h1::HeadCache;

fuzz_target!(|input: &[u8]| {
    let Some((&choice, bytes)) = input.split_first() else {
        return;
    };
    let (to_head, closes) = (choice & 1 != 0, choice & 2 != 0);
    let mut cache = HeadCache::new();
    let whole = play([bytes], to_head, closes, &mut cache);
    assert_eq!(play([bytes], to_head, closes, &mut cache), whole, "a warm cache");
    let pieces = split(bytes, u64::from(choice >> 2));
    assert_eq!(play(pieces, to_head, closes, &mut HeadCache::new()), whole, "random pieces");
    assert_eq!(play(bytes.chunks(1), to_head, closes, &mut cache), whole, "single bytes");
});

/// Cuts `bytes` into pieces of 1 to 16 bytes, chosen by `seed`.
fn split(bytes: &[u8], seed: u64) -> Vec<&[u8]> {
    let mut state = seed;
    let mut rest = bytes;
    let mut pieces = Vec::new();
    while !rest.is_empty() {
        // Knuth's MMIX generator; its high bits are the random ones.
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let wanted = 1 + (state >> 60) as usize;
        let (piece, after) = rest.split_at(rest.len().min(wanted));
        pieces.push(piece);
        rest = after;
    }
    pieces
}
