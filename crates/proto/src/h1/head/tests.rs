use super::*;

const SMALL: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";

fn take(input: &[u8], cache: &mut HeadCache) -> Result<Option<(usize, HeadFacts)>, PeerFault> {
    PartialHead::default().receive(input, cache)
}

#[test]
fn a_cache_hit_needs_every_byte_of_the_head() {
    let mut cache = HeadCache::new();
    take(SMALL, &mut cache).unwrap();
    let followed = [SMALL, b"hello"].concat();
    let (head_bytes, facts) = cache.lookup(&followed).unwrap();
    assert_eq!((head_bytes, facts.framing), (SMALL.len(), Framing::Length(5)));
    assert_eq!(cache.lookup(&SMALL[..SMALL.len() - 1]), None);
    for at in 0..SMALL.len() {
        let mut changed = followed.clone();
        changed[at] ^= 1;
        assert_eq!(cache.lookup(&changed), None, "byte {at}");
    }
}

#[test]
fn an_empty_cache_hits_nothing() {
    assert_eq!(HeadCache::new().lookup(b""), None);
    assert_eq!(HeadCache::new().lookup(SMALL), None);
}

#[test]
fn neither_interim_nor_large_heads_replace_the_remembered_one() {
    let mut cache = HeadCache::new();
    take(SMALL, &mut cache).unwrap();
    let padding = "x".repeat(CACHED_HEAD_BYTES_MAX);
    let large = format!("HTTP/1.1 200 OK\r\nx: {padding}\r\n\r\n");
    take(large.as_bytes(), &mut cache).unwrap().unwrap();
    take(b"HTTP/1.1 103 Early Hints\r\n\r\n", &mut cache).unwrap().unwrap();
    assert!(cache.lookup(SMALL).is_some());
    assert_eq!(cache.head.capacity(), CACHED_HEAD_BYTES_MAX);
}

#[test]
fn the_search_for_the_end_continues_where_it_stopped() {
    let mut partial = PartialHead::default();
    let mut cache = HeadCache::new();
    for byte in &SMALL[..SMALL.len() - 1] {
        assert_eq!(partial.receive(&[*byte], &mut cache), Ok(None));
        let line = partial.bytes.rsplit(|&byte| byte == b'\n').next().unwrap();
        assert_eq!(partial.line_bytes, line.len());
    }
    assert!(matches!(partial.receive(b"\nrest", &mut cache), Ok(Some((1, _)))));
    assert!(partial.is_empty());
    assert!(partial.bytes.capacity() >= SMALL.len(), "the allocation is kept");
}

#[test]
fn the_facts_of_version_connection_and_coding_combine_as_the_rfc_says() {
    let cases: &[(&str, bool, Framing)] = &[
        ("1.1 200\r\n", true, Framing::UntilClose),
        ("1.0 200\r\n", false, Framing::UntilClose),
        ("1.0 200\r\nConnection: Keep-Alive\r\n", true, Framing::UntilClose),
        ("1.0 200\r\nConnection: keep-alive, close\r\n", false, Framing::UntilClose),
        ("1.1 200\r\nConnection: keep-alive,CLOSE\r\n", false, Framing::UntilClose),
        ("1.1 200\r\nConnection: x\r\nconnection: close\r\n", false, Framing::UntilClose),
        ("1.1 200\r\nConnection: closed, not-close\r\n", true, Framing::UntilClose),
        ("1.1 200\r\nConnection:\r\n close\r\n", false, Framing::UntilClose),
        ("1.1 200\r\nProxy-Connection: close\r\n", true, Framing::UntilClose),
        ("1.1 200\r\nTransfer-Encoding: CHUNKED\r\n", true, Framing::Chunked),
        ("1.1 200\r\nTransfer-Encoding: gzip, chunked\r\n", true, Framing::Chunked),
        (
            "1.1 200\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n",
            true,
            Framing::Chunked,
        ),
        ("1.1 200\r\nTransfer-Encoding: gzip,\r\n\tchunked,,\r\n", true, Framing::Chunked),
        ("1.1 200\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding:\r\n", true, Framing::Chunked),
        ("1.1 200\r\nTransfer-Encoding: chunked, gzip\r\n", true, Framing::UntilClose),
        ("1.1 200\r\nTransfer-Encoding: chunked;a=b\r\n", true, Framing::UntilClose),
        ("1.1 200\r\nTransfer-Encoding: xchunked\r\n", true, Framing::UntilClose),
        (
            "1.0 200\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n",
            false,
            Framing::Chunked,
        ),
        ("1.1 200\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n", false, Framing::Chunked),
        ("1.7 200\r\nContent-Length: 3\r\n", true, Framing::Length(3)),
    ];
    for (rest, persistent, framing) in cases {
        let head = format!("HTTP/{rest}\r\n");
        let facts = take(head.as_bytes(), &mut HeadCache::new()).unwrap().unwrap().1;
        assert_eq!((facts.persistent, facts.framing), (*persistent, *framing), "{rest}");
    }
}

#[test]
fn content_lengths_are_digits_of_at_most_64_bits() {
    use PeerFault::{BadContentLength, ConflictingContentLength};
    let cases: &[(&str, Result<u64, PeerFault>)] = &[
        ("0", Ok(0)),
        ("18446744073709551615", Ok(u64::MAX)),
        ("00000000000000000000000005", Ok(5)),
        ("5, 5 ,5", Ok(5)),
        ("5\r\nContent-Length: 05", Ok(5)),
        ("18446744073709551616", Err(BadContentLength)),
        ("99999999999999999999", Err(BadContentLength)),
        ("", Err(BadContentLength)),
        ("+5", Err(BadContentLength)),
        ("-5", Err(BadContentLength)),
        ("5 5", Err(BadContentLength)),
        ("0x5", Err(BadContentLength)),
        ("5,", Err(BadContentLength)),
        ("5;", Err(BadContentLength)),
        ("5, 6", Err(ConflictingContentLength)),
        ("5\r\nContent-Length: 6", Err(ConflictingContentLength)),
        ("5, 6, x", Err(ConflictingContentLength)),
        ("5, x, 6", Err(BadContentLength)),
    ];
    for (value, wanted) in cases {
        let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {value}\r\n\r\n");
        let taken = take(head.as_bytes(), &mut HeadCache::new());
        let wanted = wanted.map(Framing::Length);
        assert_eq!(taken.map(|taken| taken.unwrap().1.framing), wanted, "{value:?}");
    }
}

#[test]
fn the_limits_of_a_head_are_exact() {
    let with_lines = |count: usize| format!("HTTP/1.1 200 OK\r\n{}\r\n", "a: b\r\n".repeat(count));
    let full = with_lines(HEADER_COUNT_MAX);
    assert!(take(full.as_bytes(), &mut HeadCache::new()).is_ok());
    let over = with_lines(HEADER_COUNT_MAX + 1);
    let fault = take(over.as_bytes(), &mut HeadCache::new()).unwrap_err();
    assert_eq!(fault, PeerFault::TooManyHeaders);

    let empty = b"HTTP/1.1 200 OK\r\nx: \r\n\r\n".len();
    let of_size =
        |bytes: usize| format!("HTTP/1.1 200 OK\r\nx: {}\r\n\r\n", "y".repeat(bytes - empty));
    let longest = of_size(HEAD_BYTES_MAX);
    assert_eq!(take(longest.as_bytes(), &mut HeadCache::new()).unwrap().unwrap().0, HEAD_BYTES_MAX);
    let longer = of_size(HEAD_BYTES_MAX + 1);
    assert_eq!(take(longer.as_bytes(), &mut HeadCache::new()), Err(PeerFault::HeadTooLarge));
}

#[test]
fn the_messages_state_the_limits_that_hold() {
    assert!(PeerFault::TooManyHeaders.to_string().contains(&HEADER_COUNT_MAX.to_string()));
    assert!(PeerFault::HeadTooLarge.to_string().contains(&HEAD_BYTES_MAX.to_string()));
}
