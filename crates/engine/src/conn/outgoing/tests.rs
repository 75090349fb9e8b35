use super::*;

fn outgoing(one: &[u8], copies: usize) -> Outgoing {
    Outgoing { repeated: one.repeat(copies), length: one.len() }
}

#[test]
fn what_is_sent_piece_by_piece_is_the_requests_in_order() {
    let outgoing = outgoing(b"abc", 4);
    for requests in 1..9 {
        for piece in 1..8 {
            let (mut unsent, mut wire) = (3 * requests, Vec::new());
            while unsent > 0 {
                let bytes = outgoing.next(unsent);
                let taken = bytes.len().min(piece);
                wire.extend_from_slice(&bytes[..taken]);
                unsent -= taken;
            }
            assert_eq!(wire, b"abc".repeat(requests), "{requests} requests by {piece}");
        }
    }
}
