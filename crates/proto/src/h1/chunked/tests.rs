use super::*;

/// Decodes `input` at once: consumed bytes if it ended, and the payload counted.
fn decode(input: &[u8]) -> Result<(Option<usize>, u64), PeerFault> {
    let mut body_bytes = 0;
    let consumed = Chunked::new().receive(input, &mut body_bytes)?;
    Ok((consumed, body_bytes))
}

#[test]
fn payload_is_counted_without_its_framing() {
    let whole = b"3\r\nabc\r\nA;x=\"1;2\"\r\n0123456789\r\n0\r\nSum: 1\r\n\r\n";
    let followed = [whole.as_slice(), b"HTTP/1.1"].concat();
    assert_eq!(decode(&followed), Ok((Some(whole.len()), 13)));
}

#[test]
fn sizes_near_64_bits_are_read_and_never_wrap() {
    assert_eq!(decode(b"ffffffffffffffff\r\nab"), Ok((None, 2)));
    assert_eq!(decode(b"0000fFfFfFfFfFfFfFfF\r\nab"), Ok((None, 2)));
    assert_eq!(decode(b"10000000000000000\r\n"), Err(PeerFault::ChunkSizeTooLarge));
    assert_eq!(decode(b"fffffffffffffffff\r\n"), Err(PeerFault::ChunkSizeTooLarge));

    let mut chunked = Chunked::new();
    let mut body_bytes = 0;
    chunked.receive(b"fffffffffffffffe\r\n", &mut body_bytes).unwrap();
    let slice = vec![0; 1 << 20];
    for _ in 0..100 {
        assert_eq!(chunked.receive(&slice, &mut body_bytes), Ok(None));
    }
    assert_eq!(body_bytes, 100 << 20);
    assert_eq!(chunked.remaining, u64::MAX - 1 - body_bytes);
}

#[test]
fn the_limit_of_a_chunk_line_is_exact_and_counts_from_each_line() {
    let line = |bytes: u32| format!("1;{}\r\n", "x".repeat(bytes as usize - 4));
    let longest = line(CHUNK_LINE_BYTES_MAX);
    assert_eq!(decode(format!("{longest}a\r\n{longest}b\r\n").as_bytes()), Ok((None, 2)));
    let longer = line(CHUNK_LINE_BYTES_MAX + 1);
    assert_eq!(decode(longer.as_bytes()), Err(PeerFault::ChunkLineTooLong));
    let zeros = "0".repeat(CHUNK_LINE_BYTES_MAX as usize + 1);
    assert_eq!(decode(zeros.as_bytes()), Err(PeerFault::ChunkLineTooLong));
}

#[test]
fn the_limit_of_the_trailer_section_is_exact() {
    let body = |bytes: u32| format!("0\r\nT: {}\r\n\r\n", "x".repeat(bytes as usize - 7));
    let longest = body(TRAILER_BYTES_MAX);
    assert_eq!(decode(longest.as_bytes()), Ok((Some(longest.len()), 0)));
    let longer = body(TRAILER_BYTES_MAX + 1);
    assert_eq!(decode(longer.as_bytes()), Err(PeerFault::TrailersTooLarge));
}

#[test]
fn the_messages_state_the_limits_that_hold() {
    let line = PeerFault::ChunkLineTooLong.to_string();
    assert!(line.contains(&CHUNK_LINE_BYTES_MAX.to_string()));
    let trailers = PeerFault::TrailersTooLarge.to_string();
    assert!(trailers.contains(&TRAILER_BYTES_MAX.to_string()));
}

#[test]
fn a_body_under_way_is_small() {
    assert!(size_of::<Chunked>() <= 16);
}
