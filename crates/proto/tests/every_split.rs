//! Every transcript gives the same responses and faults however its bytes are cut.

mod support;

use support::{Event, Transcript, transcripts};
use throng_proto::h1::HeadCache;

/// Transcripts up to this length are cut at every place, longer ones at chosen places.
const EVERY_CUT_BYTES_MAX: usize = 2_000;

/// Transcripts up to this length are cut at every pair of places.
const EVERY_PAIR_BYTES_MAX: usize = 220;

#[test]
fn there_are_transcripts_for_every_rule() {
    assert!(transcripts().len() >= 45, "{}", transcripts().len());
}

#[test]
fn whole_transcripts_give_what_they_expect() {
    for transcript in transcripts() {
        transcript.check(&transcript.play(&[], &mut HeadCache::new()));
    }
}

#[test]
fn a_cut_anywhere_changes_nothing() {
    for transcript in transcripts() {
        for cut in cuts(transcript.server_bytes.len()) {
            assert_same(&transcript, &[cut], &mut HeadCache::new());
        }
    }
}

#[test]
fn two_cuts_anywhere_change_nothing() {
    let short = |transcript: &Transcript| transcript.server_bytes.len() <= EVERY_PAIR_BYTES_MAX;
    let mut pair_count = 0;
    for transcript in transcripts().into_iter().filter(short) {
        let len = transcript.server_bytes.len();
        for first in 1..len {
            for second in first..len {
                assert_same(&transcript, &[first, second], &mut HeadCache::new());
                pair_count += 1;
            }
        }
    }
    assert!(pair_count > 100_000, "{pair_count}");
}

#[test]
fn byte_by_byte_changes_nothing() {
    for transcript in transcripts() {
        let cuts: Vec<usize> = (1..transcript.server_bytes.len()).collect();
        assert_same(&transcript, &cuts, &mut HeadCache::new());
    }
}

#[test]
fn a_cache_warmed_by_the_same_or_any_other_transcript_changes_nothing() {
    let mut shared = HeadCache::new();
    for transcript in transcripts().iter().chain(transcripts().iter().rev()) {
        transcript.check(&transcript.play(&[], &mut shared));
        transcript.check(&transcript.play(&[], &mut shared));
        let mut warm = HeadCache::new();
        for cut in cuts(transcript.server_bytes.len()) {
            assert_same(transcript, &[cut], &mut warm);
        }
    }
}

#[test]
fn every_fault_has_a_transcript() {
    use throng_proto::h1::PeerFault as F;
    let faults = [
        F::BadStatusLine,
        F::BadVersion,
        F::BadHeader,
        F::TooManyHeaders,
        F::HeadTooLarge,
        F::BadContentLength,
        F::ConflictingContentLength,
        F::BadChunkSize,
        F::ChunkSizeTooLarge,
        F::ChunkLineTooLong,
        F::BadChunkEnd,
        F::BadTrailer,
        F::TrailersTooLarge,
        F::SwitchingProtocols,
        F::TooManyInterim,
        F::ClosedInHead,
        F::ClosedInBody,
    ];
    let all = transcripts();
    for fault in faults {
        let line = format!("!!! {fault:?}");
        assert!(all.iter().any(|transcript| transcript.expected.contains(&line)), "{fault:?}");
        assert!(fault.to_string().contains("RFC 9"), "{fault:?} names its source");
    }
}

fn assert_same(transcript: &Transcript, cuts: &[usize], cache: &mut HeadCache) {
    let events: Vec<Event> = transcript.play(cuts, cache);
    let whole = transcript.play(&[], &mut HeadCache::new());
    assert_eq!(events, whole, "transcript {} cut at {cuts:?}", transcript.name);
}

/// All places to cut, or for long transcripts those near the ends and some between.
fn cuts(len: usize) -> impl Iterator<Item = usize> {
    let near_ends = move |cut: &usize| {
        len <= EVERY_CUT_BYTES_MAX || *cut < 200 || len - *cut < 200 || cut.is_multiple_of(997)
    };
    (1..len).filter(near_ends)
}
