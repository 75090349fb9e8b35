use super::*;

fn complete(consumed: usize, status: u16, body_bytes: u64) -> Progress {
    let response = Response { status, body_bytes, reusable: true, ..Response::default() };
    Progress::Complete { consumed, response }
}

#[test]
fn a_decoder_is_small_and_allocates_nothing_for_whole_heads() {
    assert!(size_of::<Decoder>() <= 128, "{}", size_of::<Decoder>());
    let mut decoder = Decoder::new(false);
    let mut cache = HeadCache::new();
    let input = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";
    assert_eq!(decoder.receive(input, &mut cache), Ok(complete(input.len(), 200, 2)));
    assert_eq!(decoder.partial.capacity(), 0);
}

#[test]
fn five_gigabytes_pass_through_without_a_buffer() {
    const BODY_BYTES: u64 = 5_000_000_000;
    let mut decoder = Decoder::new(false);
    let mut cache = HeadCache::new();
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {BODY_BYTES}\r\n\r\n");
    assert_eq!(decoder.receive(head.as_bytes(), &mut cache), Ok(Progress::NeedMore));
    let slice = vec![b'x'; 64 * 1024];
    let whole_slices = BODY_BYTES / slice.len() as u64;
    for _ in 0..whole_slices {
        assert_eq!(decoder.receive(&slice, &mut cache), Ok(Progress::NeedMore));
    }
    let rest = (BODY_BYTES % slice.len() as u64) as usize;
    assert_eq!(decoder.receive(&slice, &mut cache), Ok(complete(rest, 200, BODY_BYTES)));
    assert_eq!(decoder.partial.capacity(), 0);
}

#[test]
fn a_fault_is_repeated_until_reset() {
    let mut decoder = Decoder::new(false);
    let mut cache = HeadCache::new();
    let good = b"HTTP/1.1 204 No Content\r\n\r\n";
    assert_eq!(decoder.receive(b"ICY 200 OK", &mut cache), Err(PeerFault::BadStatusLine));
    assert_eq!(decoder.receive(good, &mut cache), Err(PeerFault::BadStatusLine));
    assert_eq!(decoder.receive(b"", &mut cache), Err(PeerFault::BadStatusLine));
    assert_eq!(decoder.peer_closed(), Err(PeerFault::BadStatusLine));
    assert!(decoder.in_response());
    decoder.reset();
    assert!(!decoder.in_response());
    assert_eq!(decoder.receive(good, &mut cache), Ok(complete(good.len(), 204, 0)));
}

#[test]
fn reset_forgets_everything_but_the_allocation_and_the_kind_of_request() {
    let beginnings: [&[u8]; 4] = [
        b"HTTP/1.1 200 OK\r\nContent-Le",
        b"HTTP/1.1 103 Early Hints\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
    ];
    let next = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";
    for beginning in beginnings {
        let mut decoder = Decoder::new(false);
        let mut cache = HeadCache::new();
        assert_eq!(decoder.receive(beginning, &mut cache), Ok(Progress::NeedMore));
        assert!(decoder.in_response());
        let capacity = decoder.partial.capacity();
        decoder.reset();
        assert!(!decoder.in_response());
        assert_eq!(decoder.peer_closed(), Ok(None));
        assert_eq!(decoder.receive(next, &mut cache), Ok(complete(next.len(), 200, 2)));
        assert_eq!(decoder.partial.capacity(), capacity);
    }
    let mut decoder = Decoder::new(true);
    decoder.reset();
    let head_bytes = next.len() - 2;
    let progress = decoder.receive(&next[..head_bytes], &mut HeadCache::new());
    assert_eq!(progress, Ok(complete(head_bytes, 200, 0)));
}

#[test]
fn one_cached_head_serves_get_and_head_alike() {
    let mut cache = HeadCache::new();
    let input = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";
    let head_bytes = input.len() - 2;
    for _ in 0..2 {
        let to_get = Decoder::new(false).receive(input, &mut cache);
        assert_eq!(to_get, Ok(complete(input.len(), 200, 2)));
        let to_head = Decoder::new(true).receive(&input[..head_bytes], &mut cache);
        assert_eq!(to_head, Ok(complete(head_bytes, 200, 0)));
    }
}

#[test]
fn nothing_at_all_is_no_response_and_no_fault() {
    let mut decoder = Decoder::new(false);
    assert_eq!(decoder.receive(b"", &mut HeadCache::new()), Ok(Progress::NeedMore));
    assert!(!decoder.in_response());
    assert_eq!(decoder.peer_closed(), Ok(None));
}

#[test]
fn the_message_states_the_limit_that_holds() {
    let message = PeerFault::TooManyInterim.to_string();
    assert!(message.contains(&INTERIM_COUNT_MAX.to_string()));
}
