//! Writes the transcripts of the HTTP/1.1 tests as seeds for `h1_decode`.
//!
//! Long transcripts are left out: they test limits, and slow every run of the fuzzer down.

#[path = "../../../crates/proto/tests/support/mod.rs"]
mod support;

use std::path::Path;

/// The longest transcript that becomes a seed.
const SEED_BYTES_MAX: usize = 96;

fn main() -> std::io::Result<()> {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR"));
    let corpus = fuzz.join("corpus/h1_decode");
    std::fs::create_dir_all(&corpus)?;
    for transcript in support::transcripts_in(&fuzz.join("../crates/proto/tests/transcripts")) {
        if transcript.server_bytes.len() <= SEED_BYTES_MAX {
            let choice = u8::from(transcript.request_is_head) | u8::from(transcript.closes) << 1;
            let seed = [&[choice], transcript.server_bytes.as_slice()].concat();
            std::fs::write(corpus.join(format!("transcript_{}", transcript.name)), seed)?;
        }
    }
    Ok(())
}
