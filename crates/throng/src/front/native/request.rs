//! What is sent, from what was typed.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use throng_journey::{Body, Request, Url};

use super::error::PlanError;
use super::options::Options;

/// The request that the options describe, with its body read.
pub(super) fn request(options: &Options, url: &Url) -> Result<Request, PlanError> {
    let has_body = options.body.is_some() || options.body_file.is_some();
    let method = match &options.method {
        Some(method) => method,
        None if has_body => "POST",
        None => "GET",
    };
    let mut request = Request::new(method, url.host_header(), url.target.clone())?;
    if has_body && matches!(method, "HEAD" | "TRACE") {
        // RFC 9110, 9.3.2 and 9.3.8: content is undefined for the one, forbidden for the other.
        return Err(PlanError::BodyForMethod { method: method.to_owned() });
    }
    for header in &options.headers {
        request.add_header(header)?;
    }
    if let Some(text) = &options.body {
        request.body = Body::Text(text.clone());
    }
    if let Some(path) = &options.body_file {
        request.body = read(path)?;
    }
    Ok(request)
}

fn read(path: &Path) -> Result<Body, PlanError> {
    let unreadable = |source| PlanError::BodyUnreadable { path: path.to_owned(), source };
    let bytes = if path == Path::new("-") {
        read_bounded(io::stdin().lock(), path)?
    } else {
        read_bounded(File::open(path).map_err(unreadable)?, path)?
    };
    let length_bytes = bytes.len() as u64;
    Ok(Body::File { path: path.to_owned(), length_bytes, bytes: bytes.into() })
}

fn read_bounded(from: impl Read, path: &Path) -> Result<Vec<u8>, PlanError> {
    let mut bytes = Vec::new();
    // One byte more than allowed tells "exactly the limit" from "too large".
    from.take(BODY_BYTES_MAX + 1)
        .read_to_end(&mut bytes)
        .map_err(|source| PlanError::BodyUnreadable { path: path.to_owned(), source })?;
    if bytes.len() as u64 > BODY_BYTES_MAX {
        let limit_bytes = BODY_BYTES_MAX;
        return Err(PlanError::BodyTooLarge { path: path.to_owned(), limit_bytes });
    }
    Ok(bytes)
}

/// A body is kept whole in memory, once for all connections.
const BODY_BYTES_MAX: u64 = 1 << 30;
