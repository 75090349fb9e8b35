//! A client of a few lines, sharing nothing with the server: bytes in, bytes out.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::Duration;

pub(super) struct Client {
    stream: TcpStream,
    /// Read from the socket, but not yet taken by an answer.
    buffered: Vec<u8>,
}

#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) status_line: String,
    head: String,
    pub(super) body: Vec<u8>,
    /// The sizes of the chunks, if it came in chunks.
    pub(super) chunk_bytes: Vec<usize>,
}

impl Client {
    pub(super) fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(READ_TIMEOUT)).unwrap();
        stream.set_write_timeout(Some(READ_TIMEOUT)).unwrap();
        Self { stream, buffered: Vec::new() }
    }

    pub(super) fn send(&mut self, request: &str) {
        self.stream.write_all(request.as_bytes()).unwrap();
    }

    /// Sends what the server may refuse to read.
    pub(super) fn try_send(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.stream.write_all(bytes)
    }

    pub(super) fn finish_sending(&mut self) {
        self.stream.shutdown(Shutdown::Write).unwrap();
    }

    pub(super) fn ask(&mut self, method: &str, path: &str) -> Answer {
        self.send(&format!("{method} {path} HTTP/1.1\r\nHost: sink.test\r\n\r\n"));
        self.answer(method == "HEAD")
    }

    pub(super) fn answer(&mut self, is_head: bool) -> Answer {
        let head = self.take_until(b"\r\n\r\n");
        let status_line = head.lines().next().unwrap().to_owned();
        let status = status_line.split(' ').nth(1).unwrap().parse().unwrap();
        let mut answer = Answer { status, status_line, head, body: vec![], chunk_bytes: vec![] };
        let has_body = !is_head && ![204, 304].contains(&status);
        if has_body && answer.header("transfer-encoding") == Some("chunked") {
            self.take_chunks(&mut answer);
        } else if has_body && let Some(length) = answer.header("content-length") {
            answer.body = self.take(length.parse().unwrap());
        }
        answer
    }

    /// Everything until the server closes.
    pub(super) fn rest(&mut self) -> Vec<u8> {
        self.stream.read_to_end(&mut self.buffered).unwrap();
        std::mem::take(&mut self.buffered)
    }

    /// The next answer's body as far as `bytes`, its head apart.
    pub(super) fn begin(&mut self, bytes: usize) -> Vec<u8> {
        self.take_until(b"\r\n\r\n");
        self.take(bytes)
    }

    /// What arrives within `wait`; panics if the server closes.
    pub(super) fn within(&mut self, wait: Duration) -> Vec<u8> {
        self.stream.set_read_timeout(Some(wait)).unwrap();
        loop {
            match self.fill() {
                Ok(0) => panic!("closed after {:?}", String::from_utf8_lossy(&self.buffered)),
                Ok(_) => {}
                Err(_timeout) => break,
            }
        }
        self.stream.set_read_timeout(Some(READ_TIMEOUT)).unwrap();
        std::mem::take(&mut self.buffered)
    }

    fn take_chunks(&mut self, answer: &mut Answer) {
        loop {
            let line = self.take_until(b"\r\n");
            let size = usize::from_str_radix(line.trim_end(), 16).unwrap();
            answer.body.extend(self.take(size));
            assert_eq!(self.take(2), b"\r\n");
            if size == 0 {
                return;
            }
            answer.chunk_bytes.push(size);
        }
    }

    fn take_until(&mut self, end: &[u8]) -> String {
        loop {
            if let Some(at) = self.buffered.windows(end.len()).position(|bytes| bytes == end) {
                return String::from_utf8(self.take(at + end.len())).unwrap();
            }
            assert_ne!(self.fill().unwrap(), 0, "closed after {:?}", self.buffered);
        }
    }

    fn take(&mut self, bytes: usize) -> Vec<u8> {
        while self.buffered.len() < bytes {
            assert_ne!(self.fill().unwrap(), 0, "closed {} bytes into a body", self.buffered.len());
        }
        let rest = self.buffered.split_off(bytes);
        std::mem::replace(&mut self.buffered, rest)
    }

    fn fill(&mut self) -> std::io::Result<usize> {
        let mut bytes = [0; 65_536];
        let count = self.stream.read(&mut bytes)?;
        self.buffered.extend_from_slice(&bytes[..count]);
        Ok(count)
    }
}

impl Answer {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().skip(1).filter_map(|line| line.split_once(": "));
        lines.filter(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value).next()
    }

    pub(super) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub(super) fn json(&self) -> serde_json::Value {
        assert_eq!(self.header("content-type"), Some("application/json"));
        serde_json::from_slice(&self.body).unwrap()
    }
}

const READ_TIMEOUT: Duration = Duration::from_secs(10);
