//! Response heads: the facts that decide where a body ends and whether a connection lives on.
//!
//! A head is taken by the first of three ways that applies:
//! 1. its bytes equal those of the last head parsed by this worker ([`HeadCache`]): same facts;
//! 2. it lies whole in the input: parsed in place;
//! 3. it came in pieces: collected in [`PartialHead`], parsed when its last byte arrives.
//!
//! Invariant: the facts of a head are a function of its bytes, not of the way by which it was taken.
//!
//! Lines end with CRLF or a bare LF, which RFC 9112 section 2.2 lets a recipient accept. Folded
//! lines count as one value, as section 5.2 demands of a user agent.
//!
//! Not here: what the request's method changes (`decode`).

use std::mem::MaybeUninit;

use super::fault::PeerFault;

/// The longest head that is accepted, in bytes, with its status line and its empty last line.
pub const HEAD_BYTES_MAX: usize = 64 * 1024;

/// The most header lines that a head may have.
pub const HEADER_COUNT_MAX: usize = 128;

/// The longest head that a [`HeadCache`] remembers, in bytes.
pub const CACHED_HEAD_BYTES_MAX: usize = 4 * 1024;

/// How a body ends, as far as the head alone tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Framing {
    Length(u64),
    Chunked,
    UntilClose,
}

/// What a head says, whatever request it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct HeadFacts {
    pub(super) status: u16,
    pub(super) framing: Framing,
    /// The version and the `Connection` header let another request follow.
    pub(super) persistent: bool,
    /// Both `Transfer-Encoding` and `Content-Length` were sent.
    pub(super) framing_conflict: bool,
}

/// The last final head that a worker parsed, with its facts.
///
/// Servers under load repeat their heads, `Date` included, for a second at a time. Input that begins
/// with exactly the remembered bytes has exactly that head: those bytes end with the first empty line
/// after a status line, so nothing that follows can belong to it. The comparison covers every byte, so
/// a hit can never be wrong, and any difference leads to a full parse.
///
/// Only what the bytes say is remembered. What depends on the request (HEAD) is derived each time.
#[derive(Debug)]
pub struct HeadCache {
    head: Vec<u8>,
    facts: HeadFacts,
}

impl HeadCache {
    /// An empty cache; the only allocation of its life, [`CACHED_HEAD_BYTES_MAX`] bytes.
    #[must_use]
    pub fn new() -> Self {
        let facts = HeadFacts {
            status: 0,
            framing: Framing::UntilClose,
            persistent: false,
            framing_conflict: false,
        };
        Self { head: Vec::with_capacity(CACHED_HEAD_BYTES_MAX), facts }
    }

    /// The length and facts of the head at the start of `input`, if it is the remembered one.
    #[inline]
    pub(super) fn lookup(&self, input: &[u8]) -> Option<(usize, &HeadFacts)> {
        let hit = !self.head.is_empty() && input.starts_with(&self.head);
        hit.then_some((self.head.len(), &self.facts))
    }

    fn store(&mut self, head: &[u8], facts: HeadFacts) {
        // An interim head would only push out the final one that every response has.
        if head.len() <= CACHED_HEAD_BYTES_MAX && facts.status >= 200 {
            self.head.clear();
            self.head.extend_from_slice(head);
            self.facts = facts;
        }
    }
}

impl Default for HeadCache {
    fn default() -> Self {
        Self::new()
    }
}

/// The bytes of a head that has not ended yet.
#[derive(Debug, Default)]
pub(super) struct PartialHead {
    /// Empty between heads; its allocation is kept.
    bytes: Vec<u8>,
    /// How many of `bytes` follow the last LF: the search for the empty line goes on from here, so a
    /// head that arrives byte by byte is searched once, not once for each byte.
    line_bytes: usize,
}

impl PartialHead {
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        self.bytes.capacity()
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.line_bytes = 0;
    }

    /// Takes the rest of a head from `input`: how much of `input` it was, and the facts.
    ///
    /// `None` if the head goes on; all of `input` is kept then.
    ///
    /// # Errors
    /// Those of a head. Only the first bytes (not `HTTP/`) and the size are judged before the end of
    /// the head, and both in every way of arrival, so that a fault does not depend on the splitting.
    #[inline(never)]
    pub(super) fn receive(
        &mut self,
        input: &[u8],
        cache: &mut HeadCache,
    ) -> Result<Option<(usize, HeadFacts)>, PeerFault> {
        self.check_prefix(input)?;
        let room = HEAD_BYTES_MAX - self.bytes.len();
        let window = &input[..input.len().min(room)];
        if self.is_empty()
            && let Ok(taken) = parse(window, cache)
        {
            return Ok(Some(taken));
        }
        // Cut off or at fault: only once its end is here may a head be judged.
        let Some(end) = self.find_end(window) else {
            if window.len() == room {
                return Err(PeerFault::HeadTooLarge);
            }
            self.bytes.extend_from_slice(window);
            return Ok(None);
        };
        let (parsed_bytes, facts) = if self.is_empty() {
            parse(&window[..end], cache)?
        } else {
            self.bytes.extend_from_slice(&window[..end]);
            parse(&self.bytes, cache)?
        };
        debug_assert!(parsed_bytes == self.bytes.len().max(end), "both searches find the same end");
        self.clear();
        Ok(Some((end, facts)))
    }

    /// Refuses what is no HTTP at its first byte, instead of waiting for an end that never comes.
    fn check_prefix(&self, input: &[u8]) -> Result<(), PeerFault> {
        let awaited = PREFIX.get(self.bytes.len()..).unwrap_or_default();
        let compared = awaited.len().min(input.len());
        if awaited[..compared] == input[..compared] {
            Ok(())
        } else {
            // RFC 9112 section 2.2 lets servers skip an empty line before a request; it gives clients
            // no such leave, and a stray CRLF after a body is a wrong Content-Length worth knowing.
            Err(PeerFault::BadStatusLine)
        }
    }

    /// Finds the end of the empty line that ends the head, and remembers how far the search came.
    fn find_end(&mut self, input: &[u8]) -> Option<usize> {
        let mut line_start = 0;
        let mut carried = self.line_bytes;
        for lf in memchr::memchr_iter(b'\n', input) {
            let line_bytes = carried + lf - line_start;
            if line_bytes == 0 || (line_bytes == 1 && self.byte_before(input, lf) == b'\r') {
                return Some(lf + 1);
            }
            line_start = lf + 1;
            carried = 0;
        }
        self.line_bytes = carried + input.len() - line_start;
        None
    }

    /// The byte before `input[at]`; the caller knows that there is one.
    fn byte_before(&self, input: &[u8], at: usize) -> u8 {
        if at > 0 { input[at - 1] } else { self.bytes[self.bytes.len() - 1] }
    }
}

/// Parses the head at the start of `input` and remembers it; returns its length and facts.
///
/// # Errors
/// The fault of the head, or any fault at all if `input` ends before the head does.
fn parse(input: &[u8], cache: &mut HeadCache) -> Result<(usize, HeadFacts), PeerFault> {
    let (head_bytes, facts) = match parse_version_1_1(input) {
        Err(PeerFault::BadVersion) => parse_later_minor_version(input)?,
        other => other?,
    };
    cache.store(&input[..head_bytes], facts);
    Ok((head_bytes, facts))
}

fn parse_version_1_1(input: &[u8]) -> Result<(usize, HeadFacts), PeerFault> {
    // Uninitialised: filling 128 headers would cost more than parsing the usual six.
    let mut headers = [const { MaybeUninit::uninit() }; HEADER_COUNT_MAX];
    let mut response = httparse::Response::new(&mut []);
    let mut config = httparse::ParserConfig::default();
    config.allow_obsolete_multiline_headers_in_responses(true);
    let parsed = config.parse_response_with_uninit_headers(&mut response, input, &mut headers);
    let head_bytes = match parsed {
        Ok(httparse::Status::Complete(head_bytes)) => head_bytes,
        Ok(httparse::Status::Partial) => return Err(PeerFault::BadHeader),
        Err(error) => return Err(fault_of(error)),
    };
    let (Some(version), Some(status)) = (response.version, response.code) else {
        return Err(PeerFault::BadStatusLine);
    };
    let mut summary = Summary::default();
    for header in response.headers {
        summary.add(header.name, header.value);
    }
    Ok((head_bytes, summary.facts(version, status)?))
}

/// Reads `HTTP/1.2` to `HTTP/1.9` as 1.1, the highest minor version that we know.
///
/// # Source
/// RFC 9110 section 2.5.
#[cold]
fn parse_later_minor_version(input: &[u8]) -> Result<(usize, HeadFacts), PeerFault> {
    match input.get(PREFIX.len()..) {
        Some([b'1', b'.', b'2'..=b'9', b' ', ..]) => {
            let mut known = input.to_vec();
            known[PREFIX.len() + 2] = b'1';
            parse_version_1_1(&known)
        }
        Some([b'1', b'.', ..]) => Err(PeerFault::BadStatusLine),
        _ => Err(PeerFault::BadVersion),
    }
}

fn fault_of(error: httparse::Error) -> PeerFault {
    use httparse::Error;
    match error {
        Error::Version => PeerFault::BadVersion,
        Error::Status | Error::Token => PeerFault::BadStatusLine,
        Error::TooManyHeaders => PeerFault::TooManyHeaders,
        Error::HeaderName | Error::HeaderValue | Error::NewLine => PeerFault::BadHeader,
    }
}

/// The three headers that matter, gathered over all their lines.
#[derive(Default)]
struct Summary {
    length: Option<Result<u64, PeerFault>>,
    /// Whether the last transfer coding named so far is `chunked`; `None` without the header.
    chunked: Option<bool>,
    close: bool,
    keep_alive: bool,
}

impl Summary {
    fn add(&mut self, name: &str, value: &[u8]) {
        let name = name.as_bytes();
        if is_name(name, b"content-length") {
            self.add_content_length(value);
        } else if is_name(name, b"transfer-encoding") {
            self.add_coding(value);
        } else if is_name(name, b"connection") {
            self.add_connection(value);
        }
    }

    fn add_content_length(&mut self, value: &[u8]) {
        for member in list(value) {
            self.length = Some(match (self.length, parse_length(member)) {
                (None, parsed) => parsed,
                (Some(Err(fault)), _) | (Some(Ok(_)), Err(fault)) => Err(fault),
                (Some(Ok(before)), Ok(again)) if before == again => Ok(again),
                (Some(Ok(_)), Ok(_)) => Err(PeerFault::ConflictingContentLength),
            });
        }
    }

    fn add_coding(&mut self, value: &[u8]) {
        let last = list(value).rfind(|coding| !coding.is_empty());
        let before = self.chunked.unwrap_or(false);
        self.chunked = Some(last.map_or(before, |coding| coding.eq_ignore_ascii_case(b"chunked")));
    }

    fn add_connection(&mut self, value: &[u8]) {
        for option in list(value) {
            self.close |= option.eq_ignore_ascii_case(b"close");
            self.keep_alive |= option.eq_ignore_ascii_case(b"keep-alive");
        }
    }

    /// Applies RFC 9112 sections 6.1, 6.3 (framing) and 9.3 (persistence), except for HEAD.
    ///
    /// A bad `Content-Length` is a fault whatever the status, except beside `Transfer-Encoding`, which
    /// overrides it.
    fn facts(self, minor_version: u8, status: u16) -> Result<HeadFacts, PeerFault> {
        let framing = match (self.chunked, self.length) {
            (Some(true), _) => Framing::Chunked,
            (Some(false), _) | (None, None) => Framing::UntilClose,
            (None, Some(length)) => Framing::Length(length?),
        };
        let framing = if let 204 | 304 = status { Framing::Length(0) } else { framing };
        let framing_conflict = self.chunked.is_some() && self.length.is_some();
        // HTTP/1.0 knows no transfer codings: its use of one makes all framing doubtful (6.1).
        let old_with_coding = minor_version == 0 && self.chunked.is_some();
        let asks_to_stay = minor_version >= 1 || self.keep_alive;
        Ok(HeadFacts {
            status,
            framing,
            persistent: asks_to_stay && !self.close && !framing_conflict && !old_with_coding,
            framing_conflict,
        })
    }
}

/// Whether `name`, a valid header name, is `lower_case` in any case.
///
/// Compares all bytes at once instead of letter by letter: this runs for every header of every miss.
/// Setting bit 5 makes a letter lower-case; no other byte of a valid name becomes a letter or `-` by it.
fn is_name<const N: usize>(name: &[u8], lower_case: &[u8; N]) -> bool {
    <&[u8; N]>::try_from(name).is_ok_and(|name| {
        name.iter().zip(lower_case).fold(0, |difference, (a, b)| difference | ((a | 0x20) ^ b)) == 0
    })
}

/// The members of a comma-separated value, without the white space around them.
///
/// A folded line leaves its line break in the value; trimming removes it like the space it stands for.
fn list(value: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    value.split(|&byte| byte == b',').map(<[u8]>::trim_ascii)
}

/// Reads `1*DIGIT`, as strictly as RFC 9110 section 8.6 writes it: no sign, no space, not empty.
fn parse_length(digits: &[u8]) -> Result<u64, PeerFault> {
    if digits.is_empty() {
        return Err(PeerFault::BadContentLength);
    }
    digits.iter().try_fold(0_u64, |length, byte| match byte {
        b'0'..=b'9' => length
            .checked_mul(10)
            .and_then(|tens| tens.checked_add(u64::from(byte - b'0')))
            .ok_or(PeerFault::BadContentLength),
        _ => Err(PeerFault::BadContentLength),
    })
}

/// How every response begins.
const PREFIX: &[u8] = b"HTTP/";

#[cfg(test)]
mod tests;
