//! The queue as clients see it. Times are bounded from below only: the machine may be busy.

use std::time::{Duration, Instant};

use super::client::Client;
use super::{letters, sink_and_client, sink_of};

#[test]
fn requests_of_all_connections_and_workers_are_served_one_after_the_other() {
    let sink = sink_of(3);
    let mut clients: Vec<Client> = (0..3).map(|_| Client::connect(sink.address())).collect();
    let start = Instant::now();
    for client in &mut clients {
        client.send("GET /queue/fixed/60ms HTTP/1.1\r\nHost: h\r\n\r\n");
    }
    for client in &mut clients {
        assert_eq!(client.answer(false).body, letters(100));
    }
    assert!(start.elapsed() >= Duration::from_millis(180), "{:?}", start.elapsed());
    let counts: Vec<u64> = sink.server.request_counts_by_worker().collect();
    assert_eq!(counts, [1, 1, 1]);
}

#[test]
fn a_request_of_one_kind_waits_behind_one_of_the_other() {
    let (sink, mut client) = sink_and_client();
    let mut other = Client::connect(sink.address());
    client.send("GET /queue/fixed/80ms HTTP/1.1\r\nHost: h\r\n\r\n");
    client.within(Duration::from_millis(20));
    let start = Instant::now();
    assert_eq!(other.ask("GET", "/queue/exponential/1us").body, letters(100));
    // What the first was into its service when the second came is unknown, but less than that.
    let service_time = start.elapsed();
    assert_eq!(client.answer(false).body, letters(100));
    assert!(service_time >= Duration::from_millis(10), "{service_time:?}");
}

#[test]
fn a_queue_that_is_empty_serves_at_once_and_no_earlier_than_its_service_ends() {
    let (_sink, mut client) = sink_and_client();
    for _ in 0..3 {
        let start = Instant::now();
        client.ask("GET", "/queue/fixed/20ms");
        assert!(start.elapsed() >= Duration::from_millis(20), "{:?}", start.elapsed());
        assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    }
}
