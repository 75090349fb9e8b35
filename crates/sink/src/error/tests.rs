use std::error::Error as _;
use std::io;
use std::net::SocketAddr;

use rustix::io::Errno;

use super::SinkError;

#[test]
fn each_cause_has_its_variant_message_and_next_action() {
    let address: SocketAddr = "127.0.0.1:80".parse().unwrap();
    for (errno, message, hint) in [
        (Errno::ADDRINUSE, "127.0.0.1:80 is in use by another listener", "ss -ltnp 'sport = :80'"),
        (Errno::ACCESS, "this process may not listen on port 80 (127.0.0.1:80)", "1024 or above"),
        (Errno::ADDRNOTAVAIL, "127.0.0.1 is not an address of this machine", "0.0.0.0:80"),
        (Errno::MFILE, "the process may not open more files", "ulimit -n"),
        (Errno::AFNOSUPPORT, "cannot listen on 127.0.0.1:80", "[::1]:80"),
    ] {
        let error = SinkError::from_bind(address, io::Error::from(errno));
        assert_eq!(error.to_string(), message);
        assert!(error.hint().contains(hint), "{}", error.hint());
        // The cause is kept beside the message, not repeated in it.
        let cause = error.source().unwrap().to_string();
        assert!(!message.contains(&cause), "{cause}");
    }
}

#[test]
fn a_thread_that_cannot_start_is_told_from_a_limit_of_files() {
    let error = SinkError::from_start(2, 5, io::Error::from(Errno::AGAIN));
    assert_eq!(error.to_string(), "thread 2 of 5 could not start");
    assert!(error.hint().contains("ulimit -u"));
    let error = SinkError::from_start(2, 5, io::Error::from(Errno::NFILE));
    assert!(matches!(error, SinkError::FileLimit { .. }));
}
