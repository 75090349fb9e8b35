//! ARCHITECTURE.md, invariant 6: the worker's turn allocates nothing after warm-up.
#![allow(unsafe_code, reason = "a global allocator that counts is unsafe by its trait")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use throng_engine::plan::{Arrivals, Endpoint, Model, Plan, Pool, Rate, Stop};
use throng_engine::{Stopper, run};
use throng_journey::{Request, Url};
use throng_measure::{Environment, Objectives, Place};

/// Counts the allocations of threads that are named as workers are.
struct Counting;

static BY_WORKERS: AtomicU64 = AtomicU64::new(0);

// SAFETY: every call is passed on to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        BY_WORKERS.fetch_add(u64::from(is_worker()), Ordering::Relaxed);
        // SAFETY: as required of our caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as required of our caller.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        BY_WORKERS.fetch_add(u64::from(is_worker()), Ordering::Relaxed);
        // SAFETY: as required of our caller.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Asks the kernel for the thread's name: Rust's own way might allocate.
fn is_worker() -> bool {
    let mut name = [0_u8; 16];
    // SAFETY: PR_GET_NAME writes at most 16 bytes, which the buffer has.
    unsafe { libc::prctl(libc::PR_GET_NAME, name.as_mut_ptr()) };
    name.starts_with(b"worker-")
}

/// Answers every request on every connection with 100 bytes, for as long as the test lasts.
fn serve() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("bound");
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || answer_all(stream));
        }
    });
    address
}

fn answer_all(mut stream: TcpStream) {
    let mut request = [0; 4096];
    let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{}", "a".repeat(100));
    while stream.read(&mut request).is_ok_and(|length| length > 0) {
        if stream.write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}

/// How many times workers allocated between the first second of a run and its third.
fn allocations_of(model: Model) -> u64 {
    let url: Url = format!("http://{}/", serve()).parse().expect("a URL");
    let plan = Plan {
        endpoints: vec![Endpoint::Tcp(SocketAddr::new([127, 0, 0, 1].into(), url.port))],
        request: Request::new("GET", url.host_header(), "/".to_owned()).expect("GET"),
        url,
        model,
        stop: Stop { duration_ns: Some(3_500_000_000), requests: None },
        warmup_ns: 0,
        timeout_ns: 10_000_000_000,
        grace_ns: 1_000_000_000,
        keep_alive: true,
        pipeline: 1,
        transmit_sampling: 64,
        tls: None,
        workers: 1,
        seed: 1,
    };
    let (mut at_first, mut at_last) = (None, 0);
    let (environment, objectives) = (Environment::default(), Objectives::default());
    let stopper = Stopper::new();
    let file = run(&plan, Place::Temporary, environment, &objectives, &stopper, &mut |_| {
        at_last = BY_WORKERS.load(Ordering::Relaxed);
        at_first.get_or_insert(at_last);
    });
    let summary = file.expect("a run").summary().expect("its summary");
    assert!(summary.outcomes[0] > 1000, "{:?}", summary.outcomes);
    assert!(at_first > Some(0), "the counter counts: a worker allocates as it begins");
    at_last - at_first.unwrap_or(0)
}

#[test]
fn a_worker_allocates_nothing_after_its_first_second() {
    assert_eq!(allocations_of(Model::Closed { connections: 4 }), 0);
    let rate = Rate { count: 2000, per_ns: 1_000_000_000 };
    let open = Model::Open { rate, arrivals: Arrivals::Poisson, pool: Pool::Fixed(4) };
    assert_eq!(allocations_of(open), 0);
}
