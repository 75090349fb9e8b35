//! Driving the built command as a person does.
#![allow(dead_code, reason = "every test file uses a part of it")]

pub(crate) mod capture;
pub(crate) mod certificates;
pub(crate) mod nginx;
pub(crate) mod sink_log;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, ChildStdout, Command, Output, Stdio};

/// What a command did.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) status: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl From<Output> for Done {
    fn from(output: Output) -> Self {
        Self {
            status: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("text"),
            stderr: String::from_utf8(output.stderr).expect("text"),
        }
    }
}

/// The command, with nothing to read and no calibration of the machine that the tests run on.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_throng"));
    command.args(arguments).stdin(Stdio::null()).env("THRONG_CALIBRATION", "");
    command
}

/// Runs the command to its end.
pub(crate) fn throng(arguments: &[&str]) -> Done {
    command(arguments).output().expect("the command starts").into()
}

/// Runs it from a shell, where `$0` is the command: for limits and pipes.
pub(crate) fn shell(script: &str) -> Done {
    let mut command = Command::new("sh");
    let output = command.args(["-c", script, env!("CARGO_BIN_EXE_throng")]).stdin(Stdio::null());
    output.output().expect("a shell").into()
}

/// Sends a signal to a child that is still waited for.
pub(crate) fn signal(child: &Child, name: &str) {
    let status = Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status();
    assert!(status.expect("kill exists").success(), "{name} to {}", child.id());
}

/// A running `throng sink`; killed when dropped.
pub(crate) struct Sink {
    pub(crate) child: Child,
    pub(crate) address: SocketAddr,
    stdout: BufReader<ChildStdout>,
}

impl Sink {
    pub(crate) fn start() -> Self {
        Self::start_with(&[])
    }

    /// Starts it with more options.
    pub(crate) fn start_with(options: &[&str]) -> Self {
        let usual = ["sink", "--address", "127.0.0.1:0", "--workers", "1"];
        let mut command = command(&[&usual, options].concat());
        let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the sink starts");
        let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
        let mut line = String::new();
        stdout.read_line(&mut line).expect("a line");
        let address = line.strip_prefix("listening on http://").expect(&line).trim_end();
        let address = address.parse().expect(&line);
        Self { child, address, stdout }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// One request with HTTP/1.0, so that the answer ends with the connection.
    #[allow(clippy::disallowed_methods, reason = "no run is measured here")]
    pub(crate) fn get(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(self.address).expect("the sink accepts");
        write!(stream, "GET {path} HTTP/1.0\r\nHost: sink\r\n\r\n").expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("answered");
        answer
    }

    /// Ends it by a signal and returns what it printed after its address.
    pub(crate) fn end(mut self, name: &str) -> Done {
        signal(&self.child, name);
        let status = self.child.wait().expect("it ends").code();
        let (mut stdout, mut stderr) = (String::new(), String::new());
        self.stdout.read_to_string(&mut stdout).expect("text");
        let mut pipe = self.child.stderr.take().expect("piped");
        pipe.read_to_string(&mut stderr).expect("text");
        Done { status, stdout, stderr }
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
