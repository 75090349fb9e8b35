//! The HTTP/1.1 client: requests to bytes ([`encode_request`]), bytes to responses ([`Decoder`]).
//!
//! A connection owns one [`Decoder`]; all connections of a worker share one [`HeadCache`].
//! Heads are parsed by `httparse`, or recognised byte for byte by the cache. Bodies are counted and
//! skipped, never copied or kept.
//!
//! Not here: connecting, timeouts, retries and pairing responses with requests (`engine`).

mod chunked;
mod decode;
mod encode;
mod fault;
mod head;

pub use chunked::{CHUNK_LINE_BYTES_MAX, TRAILER_BYTES_MAX};
pub use decode::{Decoder, INTERIM_COUNT_MAX, Progress, Response};
pub use encode::{RequestHead, encode_request};
pub use fault::PeerFault;
pub use head::{CACHED_HEAD_BYTES_MAX, HEAD_BYTES_MAX, HEADER_COUNT_MAX, HeadCache};
