//! The threads: one accepts, the others each answer the connections they were handed.
//!
//! The acceptor hands connections round robin. The alternatives spread them unevenly: with a
//! listener per worker (`SO_REUSEPORT`) the kernel hashes addresses and ports, so that of 64
//! connections each of 4 workers gets 16 with a standard deviation of 3.5; with one listener in
//! every worker's event queue, the worker that wakes first takes what there is. Load tests keep few
//! connections for long, so an uneven start is an uneven run. The price is one hop between threads
//! per connection, none per request.
//!
//! In this order:
//! 1. [`Server::start`] binds, starts the workers and the acceptor, waits until all are ready;
//! 2. the acceptor accepts and sends each socket to the next worker's queue;
//! 3. a worker, a thread with an event loop of its own, gives each socket a task that runs hyper;
//! 4. dropping the [`Server`] shuts the listener down, at which the acceptor leaves; that closes
//!    the workers' queues, at which they leave and drop their connections.
//!
//! Invariant: a connection stays on one worker from accept to close; nothing is shared per request
//! but a counter that only that worker writes, and the queue by the requests that stand in it.

use std::future::poll_fn;
use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::task::Poll;
use std::thread::{Builder as ThreadBuilder, JoinHandle};
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use rustix::io::Errno;
use rustix::net::{AddressFamily, Shutdown, SocketFlags, SocketType, accept_with, sockopt};
use tokio::runtime::{Builder as RuntimeBuilder, LocalOptions};
use tokio::sync::mpsc;

use crate::delay::Timer;
use crate::log::{ConnectionLog, LogFile, WorkerLog};
use crate::queue::Queue;
use crate::respond::{RequestCount, Responder};
use crate::wire::Wire;
use crate::{Options, SinkError};

/// The running threads.
#[derive(Debug)]
pub(crate) struct Server {
    address: SocketAddr,
    request_counts: Vec<Arc<RequestCount>>,
    shared: Arc<Shared>,
    listener: Arc<TcpListener>,
    log: Option<Arc<LogFile>>,
    threads: Vec<JoinHandle<()>>,
}

/// What the acceptor counts, and what tells it to leave.
#[derive(Debug, Default)]
struct Shared {
    connection_count: AtomicU64,
    is_stopping: AtomicBool,
}

/// What a worker works with.
struct Work {
    handed: mpsc::Receiver<TcpStream>,
    request_count: Arc<RequestCount>,
    queue: Arc<Queue>,
    log: Option<(Arc<LogFile>, usize)>,
}

/// How a thread reports that it can do its work, or why not.
type Ready = SyncSender<io::Result<()>>;

impl Server {
    /// Binds and starts; returns once every thread is ready.
    ///
    /// # Errors
    /// As [`crate::Sink::start`]; the threads that had started are stopped.
    pub(crate) fn start(options: &Options) -> Result<Self, SinkError> {
        let bind_error = |source| SinkError::from_bind(options.address, source);
        let listener = listen(options.address).map_err(bind_error)?;
        let address = listener.local_addr().map_err(bind_error)?;
        let log = options.log.as_deref().map(LogFile::create).transpose()?.map(Arc::new);
        let mut server = Self {
            address,
            listener: Arc::new(listener),
            request_counts: Vec::new(),
            shared: Arc::default(),
            log,
            threads: Vec::new(),
        };
        let service_queue = Arc::new(Queue::new(options.seed));
        let thread_count = options.workers.get() + 1;
        let mut queues = Vec::new();
        let mut pending = Vec::new();
        for worker in 0..options.workers.get() {
            let (queue, handed) = mpsc::channel(HANDED_CONNECTIONS_MAX);
            let request_count = Arc::<RequestCount>::default();
            queues.push(queue);
            server.request_counts.push(Arc::clone(&request_count));
            let queue = Arc::clone(&service_queue);
            let log = server.log.clone().map(|file| (file, worker));
            let work = Work { handed, request_count, queue, log };
            pending.push(server.spawn(thread_count, move |ready| work.run(&ready))?);
        }
        let (listener, shared) = (Arc::clone(&server.listener), Arc::clone(&server.shared));
        pending.push(server.spawn(thread_count, move |ready| {
            tell(&ready);
            accept(&listener, &queues, &shared);
        })?);
        for (thread_index, ready) in pending.into_iter().enumerate() {
            // A thread that ends without a word panicked.
            let answer = ready.recv().unwrap_or_else(|_| Err(io::ErrorKind::Other.into()));
            answer.map_err(|source| SinkError::from_start(thread_index, thread_count, source))?;
        }
        Ok(server)
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn request_count(&self) -> u64 {
        self.request_counts_by_worker().sum()
    }

    pub(crate) fn request_counts_by_worker(&self) -> impl Iterator<Item = u64> {
        self.request_counts.iter().map(|count| count.0.load(Ordering::Relaxed))
    }

    pub(crate) fn connection_count(&self) -> u64 {
        self.shared.connection_count.load(Ordering::Relaxed)
    }

    /// Stops the threads and tells whether the log is complete.
    ///
    /// # Errors
    /// As [`crate::Sink::stop`].
    pub(crate) fn stop(self) -> Result<(), SinkError> {
        let log = self.log.clone();
        drop(self);
        log.and_then(|log| log.failure()).map_or(Ok(()), Err)
    }

    fn spawn(
        &mut self,
        thread_count: usize,
        body: impl FnOnce(Ready) + Send + 'static,
    ) -> Result<Receiver<io::Result<()>>, SinkError> {
        let thread_index = self.threads.len();
        let (ready, told) = sync_channel(1);
        let thread = ThreadBuilder::new()
            .name(format!("sink-{thread_index}"))
            .spawn(move || body(ready))
            .map_err(|source| SinkError::from_start(thread_index, thread_count, source))?;
        self.threads.push(thread);
        Ok(told)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.is_stopping.store(true, Ordering::Release);
        // Makes a blocked accept return. Should it fail, joining could wait for ever: the threads
        // are then left to the end of the process.
        if rustix::net::shutdown(&*self.listener, Shutdown::Both).is_err() {
            return;
        }
        for thread in self.threads.drain(..) {
            // A thread that panicked has said so itself; there is nothing left to stop in it.
            let _ = thread.join();
        }
    }
}

/// Opens the listening socket, with room for a burst of connections.
fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let flags = SocketFlags::CLOEXEC;
    let socket = rustix::net::socket_with(family, SocketType::STREAM, flags, None)?;
    // A server that ran here a moment ago leaves connections in TIME_WAIT behind.
    sockopt::set_socket_reuseaddr(&socket, true)?;
    rustix::net::bind(&socket, &address)?;
    rustix::net::listen(&socket, BACKLOG_CONNECTIONS)?;
    Ok(TcpListener::from(socket))
}

/// The acceptor's thread. It blocks in the kernel; [`Server::drop`] shuts the listener down.
fn accept(listener: &TcpListener, queues: &[mpsc::Sender<TcpStream>], shared: &Shared) {
    let mut turns = queues.iter().cycle();
    while !shared.is_stopping.load(Ordering::Acquire) {
        match accept_with(listener, SocketFlags::CLOEXEC | SocketFlags::NONBLOCK) {
            Ok(socket) => {
                shared.connection_count.fetch_add(1, Ordering::Relaxed);
                // There is a queue: workers are at least one. It is closed only if its worker
                // panicked, and then the connection closes too.
                let queue = turns.next();
                let _ = queue.map(|queue| queue.blocking_send(TcpStream::from(socket)));
            }
            Err(Errno::CONNABORTED | Errno::INTR) => {}
            // The listener was shut down.
            Err(Errno::INVAL) => return,
            // Out of files, mostly: the client stands in the backlog until one is closed.
            Err(_) => std::thread::park_timeout(ACCEPT_RETRY),
        }
    }
}

impl Work {
    /// A worker's thread: runs until the acceptor closes its queue.
    ///
    /// Dropping the runtime afterwards drops its tasks, and with them the connections.
    fn run(self, ready: &Ready) {
        let result = RuntimeBuilder::new_current_thread()
            .enable_io()
            .build_local(LocalOptions::default())
            .and_then(|runtime| runtime.block_on(self.answer_connections(ready)));
        if let Err(error) = result {
            // Nobody listens any more if another thread failed first.
            let _ = ready.try_send(Err(error));
        }
    }

    async fn answer_connections(mut self, ready: &Ready) -> io::Result<()> {
        let timer = Rc::new(Timer::new()?);
        tokio::task::spawn_local(Rc::clone(&timer).run());
        let log = self.log.take().map(|(file, worker)| WorkerLog::new(file, worker));
        if let Some(log) = &log {
            let log = Rc::clone(log);
            tokio::task::spawn_local(log.pass_on_each_second(Rc::clone(&timer)));
        }
        tell(ready);
        while let Some(stream) = self.handed.recv().await {
            // A socket that fails here was closed by its client in between.
            let Ok(wire) = Wire::new(stream, log.clone().map(ConnectionLog::new)) else {
                continue;
            };
            tokio::task::spawn_local(serve(Responder {
                wire,
                timer: Rc::clone(&timer),
                queue: Arc::clone(&self.queue),
                request_count: Arc::clone(&self.request_count),
            }));
        }
        Ok(())
    }
}

fn tell(ready: &Ready) {
    let _ = ready.try_send(Ok(()));
}

/// One connection, from its first request to its end.
///
/// Clients break off all the time, on purpose too; that is theirs to report, not an error here.
async fn serve(responder: Responder) {
    let wire = responder.wire.clone();
    let responder = Rc::new(responder);
    let connection = http1::Builder::new()
        // A client may close its sending side and still wait for the answer.
        .half_close(true)
        .header_read_timeout(None)
        .serve_connection(wire.clone(), service_fn(move |request| responder.answer(request)));
    let mut connection = pin!(connection);
    let mut has_ended = false;
    poll_fn(|context| {
        if !has_ended {
            has_ended = connection.as_mut().poll(context).is_ready();
        }
        match wire.poll_send(context) {
            Poll::Ready(Ok(())) if !has_ended => Poll::Pending,
            sent => sent.map(drop),
        }
    })
    .await;
}

/// The kernel takes the smaller of this and `net.core.somaxconn`.
const BACKLOG_CONNECTIONS: i32 = 16_384;
/// How many accepted connections may wait for one worker; beyond, they wait in the backlog.
const HANDED_CONNECTIONS_MAX: usize = 1_024;
/// How long the acceptor waits before it tries again.
const ACCEPT_RETRY: Duration = Duration::from_millis(10);
