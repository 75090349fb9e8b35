//! The contract of `io`, over both backends.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread;

use super::clock::Clock;
use super::epoll::Epoll;
use super::sim::{Scene, Sim};
use super::*;

const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n";

/// The table: every backend, with an endpoint that answers [`REQUEST`] with some bytes and then
/// keeps the connection open.
fn backends() -> Vec<(&'static str, Box<dyn Io>, Endpoint)> {
    let epoll = Epoll::new(Clock::start()).expect("an epoll instance");
    let sim = Sim::new(Scene::quiet(1, 1000), 0);
    vec![
        ("epoll", Box::new(epoll), server(answer_all)),
        ("sim", Box::new(sim), Endpoint::Unix("nowhere".into())),
    ]
}

fn server(serve: fn(TcpStream)) -> Endpoint {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let endpoint = Endpoint::Tcp(listener.local_addr().expect("bound"));
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || serve(stream));
        }
    });
    endpoint
}

fn answer_all(mut stream: TcpStream) {
    let mut request = [0; 1024];
    while stream.read(&mut request).is_ok_and(|length| length > 0) {
        let _ = stream.write_all(b"an answer");
    }
}

/// The next completion; `None` when ten seconds bring none, on however busy a machine.
fn next(io: &mut dyn Io) -> Option<Completion> {
    next_within(io, 10_000_000_000)
}

/// Whether nothing more is delivered for half a second.
fn is_quiet(io: &mut dyn Io) -> bool {
    next_within(io, 500_000_000).is_none()
}

fn next_within(io: &mut dyn Io, patience_ns: u64) -> Option<Completion> {
    let until = io.now().plus(patience_ns);
    loop {
        if let Some(completion) = io.next() {
            return Some(completion);
        }
        if io.now() >= until {
            return None;
        }
        io.wait(until).expect("the backend works");
    }
}

/// Sends a request and receives its answer, until the kernel stamps both: it begins to stamp a
/// while after the first socket has asked for it. Returns the instants of the last exchange:
/// before it, transmitted, received, read.
fn stamped_exchange(name: &str, io: &mut dyn Io) -> (Nanos, Nanos, Nanos, Nanos) {
    for _ in 0..10_000 {
        let before = io.now();
        assert_eq!(io.send_stamped(0, REQUEST), Ok(REQUEST.len()), "{name}");
        let Some(Completion::Received { slot: 0, stamp, read, closing }) = next(io) else {
            panic!("{name}: no answer");
        };
        assert!(!io.received().is_empty() && !closing, "{name}");
        if let (Some(stamp), Some(transmitted)) = (stamp, io.transmitted(0)) {
            return (before, transmitted, stamp, read);
        }
    }
    panic!("{name}: no kernel timestamps");
}

#[test]
fn a_connection_opens_carries_bytes_and_is_silent_after_close() {
    for (name, mut io, endpoint) in backends() {
        let io = &mut *io;
        for round in 0..2 {
            io.connect(0, &endpoint).expect("the attempt starts");
            assert_eq!(next(io), Some(Completion::Connected { slot: 0 }), "{name} {round}");
            let (before, transmitted, stamp, read) = stamped_exchange(name, io);
            // The wall clock is mapped to ours with a small error.
            assert!(before.0 <= transmitted.0 + 1000, "{name}: {before}, {transmitted}");
            assert!(transmitted <= stamp && stamp.0 <= read.0 + 1000, "{name}: {stamp}");
            assert_eq!(io.transmitted(0), None, "{name}: a stamp is told once");
            // What is on its way when the slot is closed is nobody's any more.
            assert_eq!(io.send(0, REQUEST), Ok(REQUEST.len()), "{name}");
            io.close(0, if round == 0 { Close::Now } else { Close::AfterPeer });
        }
        assert!(is_quiet(io), "{name}");
    }
}

#[test]
fn waiting_ends_at_the_given_instant() {
    for (name, mut io, _) in backends() {
        let until = io.now().plus(3_000_000);
        while io.now() < until {
            io.wait(until).expect("the backend works");
            assert_eq!(io.next(), None, "{name}");
        }
    }
}

#[test]
fn the_run_s_zero_is_where_it_begins() {
    for (name, mut io, _) in backends() {
        let start = io.now();
        io.begin(start);
        let at_once = io.now();
        io.wait(at_once.plus(2_000_000)).expect("the backend works");
        assert!(io.now() >= at_once, "{name}");
        assert!(io.now() < Nanos(60_000_000_000), "{name}: {}", io.now());
    }
}

fn epoll() -> Epoll {
    Epoll::new(Clock::start()).expect("an epoll instance")
}

#[test]
fn a_refused_connection_says_so() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let nobody = Endpoint::Tcp(listener.local_addr().expect("bound"));
    drop(listener);
    let mut io = epoll();
    let refused = match io.connect(0, &nobody) {
        Err(cause) => Some(cause),
        Ok(()) => match next(&mut io) {
            Some(Completion::ConnectFailed { slot: 0, cause }) => Some(cause),
            _ => None,
        },
    };
    assert_eq!(refused, Some(Cause::ConnectRefused));
}

#[test]
fn a_peer_that_closes_behind_its_answer_is_seen_with_it() {
    let endpoint = server(|mut stream| {
        let _ = stream.read(&mut [0; 1024]);
        let _ = stream.write_all(b"last words");
    });
    let mut io = epoll();
    io.connect(0, &endpoint).expect("the attempt starts");
    assert_eq!(next(&mut io), Some(Completion::Connected { slot: 0 }));
    assert_eq!(io.send(0, REQUEST), Ok(REQUEST.len()));
    let Some(Completion::Received { .. }) = next(&mut io) else { panic!("no answer") };
    assert_eq!(io.received(), b"last words");
    assert_eq!(next(&mut io), Some(Completion::Closed { slot: 0, cause: None }));
    assert!(is_quiet(&mut io));
}

#[test]
fn a_short_send_goes_on_when_the_kernel_has_room() {
    let endpoint = server(|mut stream| {
        // Reads slowly enough for the sender's buffer to fill first.
        let (mut piece, mut read) = (vec![0; 1 << 16], 0);
        while read < BODY {
            thread::yield_now();
            match stream.read(&mut piece) {
                Ok(length) if length > 0 => read += length,
                _ => return,
            }
        }
        let _ = stream.write_all(b"all of it");
    });
    const BODY: usize = 64 << 20;
    let body = vec![b'a'; BODY];
    let mut io = epoll();
    io.connect(0, &endpoint).expect("the attempt starts");
    assert_eq!(next(&mut io), Some(Completion::Connected { slot: 0 }));
    let mut sent = io.send(0, &body).expect("a first part");
    assert!(sent < BODY, "no kernel buffers 64 MiB for a peer that does not read");
    while sent < BODY {
        assert_eq!(next(&mut io), Some(Completion::Writable { slot: 0 }));
        sent += io.send(0, &body[sent..]).expect("a further part");
    }
    let Some(Completion::Received { .. }) = next(&mut io) else { panic!("no answer") };
    assert_eq!(io.received(), b"all of it");
}
