use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use hyper::body::{Body as _, Bytes};

use super::{BROKEN_BODY_BYTES, Content, Ending, LETTERS};

fn next(content: &mut Content) -> Poll<Option<Result<Bytes, ()>>> {
    let mut context = Context::from_waker(Waker::noop());
    let frame = Pin::new(content).poll_frame(&mut context);
    frame.map(|frame| frame.map(|frame| frame.map(|f| f.into_data().unwrap()).map_err(|_| ())))
}

fn sizes(mut content: Content) -> Vec<usize> {
    let mut sizes = Vec::new();
    while let Poll::Ready(Some(Ok(bytes))) = next(&mut content) {
        sizes.push(bytes.len());
    }
    sizes
}

#[test]
fn pieces_add_up_to_what_was_announced() {
    for total_bytes in [0, 1, 65_509, 65_510, 65_511, 200_000] {
        let content = Content::counted(total_bytes);
        assert_eq!(content.size_hint().exact(), Some(total_bytes));
        assert_eq!(content.is_end_stream(), total_bytes == 0);
        assert_eq!(sizes(content).iter().sum::<usize>() as u64, total_bytes);
    }
}

#[test]
fn pieces_point_into_the_static_block() {
    let block = LETTERS.as_ptr_range();
    let mut content = Content::counted(10 << 30);
    for _ in 0..5 {
        let Poll::Ready(Some(Ok(bytes))) = next(&mut content) else { panic!("ended early") };
        assert!(block.contains(&bytes.as_ptr()));
    }
}

#[test]
fn chunks_are_at_least_four_while_bytes_last() {
    assert_eq!(sizes(Content::chunked(0)), [0; 0]);
    assert_eq!(sizes(Content::chunked(3)), [1, 1, 1]);
    assert_eq!(sizes(Content::chunked(10)), [3, 3, 3, 1]);
    assert_eq!(Content::chunked(10).size_hint().exact(), None);
    assert!(!Content::chunked(0).is_end_stream(), "hyper would announce a length");
}

#[test]
fn a_broken_body_sends_half_waits_a_turn_and_fails() {
    let mut content = Content::broken(Ending::Close { is_flushed: false });
    assert_eq!(content.size_hint().exact(), Some(BROKEN_BODY_BYTES));
    let Poll::Ready(Some(Ok(half))) = next(&mut content) else { panic!("no half") };
    assert_eq!(half.len() as u64 * 2, BROKEN_BODY_BYTES);
    assert!(next(&mut content).is_pending());
    assert!(matches!(next(&mut content), Poll::Ready(Some(Err(())))));
}
