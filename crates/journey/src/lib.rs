//! What one user does next.
//!
//! Today a journey is one request, repeated: its [`Url`] says where it goes and [`Request`] what is
//! sent. Steps, data and checks will join it here.
//!
//! Invariant: nothing here reads a clock or opens a socket; files are read at load time only.
#![forbid(unsafe_code)]

mod request;
mod url;

pub use request::{Body, Request, RequestError, check_method};
pub use url::{Scheme, Url, UrlError};
