//! One connection's TLS: records in, records out.
//!
//! Plaintext is encrypted one record at a time and only when the kernel has taken the record
//! before it. So what is left over after a short write is at most one record and what the handshake
//! itself has to say, and a request is sent when the call is made that takes the last byte of its
//! record: the peer can read none of a record before it has all of it.

use std::io::{self, BufRead as _, IoSlice, Write};
use std::sync::Arc;

use rustls::HandshakeKind;
use rustls::client::{ClientConfig, ClientConnection};
use rustls::pki_types::ServerName;
use throng_measure::{Agreement, Cause};

use super::fault::fault_of;

/// One connection's TLS.
#[derive(Debug)]
pub(crate) struct Session {
    connection: ClientConnection,
    /// How long the connection below took to open.
    pub(crate) connect_ns: u64,
    /// The plaintext in the record that is not wholly sent.
    encrypted_bytes: usize,
    is_established: bool,
    /// The peer has announced the end, so an end of the connection cuts nothing off.
    has_peer_ended: bool,
}

/// What became of an attempt to send all that there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sent {
    /// It is sent.
    All {
        /// The plaintext of the record that was finished by it.
        plaintext_bytes: usize,
    },
    /// The kernel takes no more for now.
    Part,
}

/// Why a TLS connection is of no more use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) cause: Cause,
    /// Whether the peer said so, rather than we.
    pub(crate) is_alert: bool,
}

/// What received bytes have changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Received {
    /// The handshake has ended with these bytes.
    pub(crate) established: bool,
    /// The peer has announced that nothing follows.
    pub(crate) ended: bool,
}

impl Session {
    /// Begins a handshake; its first message waits to be sent.
    pub(super) fn start(
        config: Arc<ClientConfig>,
        server_name: ServerName<'static>,
        connect_ns: u64,
    ) -> Result<Self, Cause> {
        let connection =
            ClientConnection::new(config, server_name).map_err(|error| fault_of(&error).cause)?;
        Ok(Self {
            connection,
            connect_ns,
            encrypted_bytes: 0,
            is_established: false,
            has_peer_ended: false,
        })
    }

    /// Takes received bytes, all of them, and appends what they decrypt to to `plaintext`. After a
    /// fault there may be an alert to send.
    ///
    /// # Errors
    /// The fault after which nothing can be read; what came before it is in `plaintext`.
    pub(crate) fn receive(
        &mut self,
        mut bytes: &[u8],
        plaintext: &mut Vec<u8>,
    ) -> Result<Received, Fault> {
        let mut received = Received::default();
        while !bytes.is_empty() && !received.ended {
            // It refuses only while there is plaintext to be fetched, and all of it has been.
            let taken = self.connection.read_tls(&mut bytes).unwrap_or(0);
            let processed = self.connection.process_new_packets();
            self.fetch(plaintext);
            received.ended = processed.map_err(|error| fault_of(&error))?.peer_has_closed();
            if taken == 0 && !received.ended {
                return Err(Fault { cause: Cause::TlsProtocol, is_alert: false });
            }
        }
        self.has_peer_ended |= received.ended;
        if !self.is_established && !self.connection.is_handshaking() {
            self.is_established = true;
            received.established = true;
        }
        Ok(received)
    }

    fn fetch(&mut self, plaintext: &mut Vec<u8>) {
        let mut reader = self.connection.reader();
        // Its errors say that there is no more, now or ever.
        while let Ok(chunk) = reader.fill_buf()
            && !chunk.is_empty()
        {
            let length = chunk.len();
            plaintext.extend_from_slice(chunk);
            reader.consume(length);
        }
    }

    /// Whether the next plaintext may be encrypted: what was before it has been sent.
    pub(crate) fn takes_plaintext(&self) -> bool {
        self.is_established && self.encrypted_bytes == 0
    }

    /// Makes a record of as much as fits into one.
    pub(crate) fn encrypt(&mut self, plaintext: &[u8]) -> Result<(), Cause> {
        debug_assert!(self.takes_plaintext(), "one record at a time");
        let piece = &plaintext[..plaintext.len().min(RECORD_BYTES_MAX)];
        let taken = self.connection.writer().write(piece).map_err(|_| Cause::TlsProtocol)?;
        self.encrypted_bytes = taken;
        Ok(())
    }

    /// Whether there is anything to send.
    pub(crate) fn wants_to_send(&self) -> bool {
        self.connection.wants_write()
    }

    /// Sends what there is, in one call of `send` where that takes all of it. `records` is room to
    /// put several together.
    ///
    /// # Errors
    /// Those of `send`.
    pub(crate) fn send(
        &mut self,
        records: &mut Vec<u8>,
        send: impl FnMut(&[u8]) -> Result<usize, Cause>,
    ) -> Result<Sent, Cause> {
        let mut wire = Wire { send, records, offered: 0, failed: None };
        while self.connection.wants_write() {
            // What it returns as an error is in `failed` too.
            let taken = self.connection.write_tls(&mut wire).unwrap_or(0);
            if let Some(cause) = wire.failed {
                return Err(cause);
            }
            if taken < wire.offered {
                return Ok(Sent::Part);
            }
        }
        Ok(Sent::All { plaintext_bytes: std::mem::take(&mut self.encrypted_bytes) })
    }

    /// Announces that nothing follows.
    pub(crate) fn end(&mut self) {
        self.connection.send_close_notify();
    }

    /// Whether the peer has announced that nothing follows.
    pub(crate) fn has_peer_ended(&self) -> bool {
        self.has_peer_ended
    }

    /// Whether the handshake has ended.
    pub(crate) fn is_established(&self) -> bool {
        self.is_established
    }

    /// Whether the handshake took up an earlier session.
    pub(crate) fn is_resumed(&self) -> bool {
        self.connection.handshake_kind() == Some(HandshakeKind::Resumed)
    }

    /// What the handshake agreed on.
    pub(crate) fn agreement(&self) -> Agreement {
        let connection = &self.connection;
        let suite = connection.negotiated_cipher_suite();
        let group = connection.negotiated_key_exchange_group();
        Agreement {
            version: connection.protocol_version().map_or(0, u16::from),
            cipher_suite: suite.map_or(0, |suite| suite.suite().into()),
            key_exchange_group: group.map_or(0, |group| group.name().into()),
        }
    }
}

/// A writer that offers all records in one call.
struct Wire<'a, S> {
    send: S,
    records: &'a mut Vec<u8>,
    /// Bytes of the last call.
    offered: usize,
    failed: Option<Cause>,
}

impl<S: FnMut(&[u8]) -> Result<usize, Cause>> Write for Wire<'_, S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.offered = bytes.len();
        (self.send)(bytes).map_err(|cause| {
            self.failed = Some(cause);
            io::ErrorKind::Other.into()
        })
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        if let [record] = slices {
            return self.write(record);
        }
        let mut records = std::mem::take(self.records);
        records.clear();
        slices.iter().for_each(|slice| records.extend_from_slice(slice));
        let sent = self.write(&records);
        *self.records = records;
        sent
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The most plaintext in one record (RFC 8446, 5.1).
const RECORD_BYTES_MAX: usize = 1 << 14;
