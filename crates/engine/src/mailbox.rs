//! How intervals travel between a worker and the conductor: two rings that block neither.

use std::thread;
use std::time::Duration;

use rtrb::{Consumer, Producer, RingBuffer};
use throng_measure::{Exchange, Interval};

/// The worker's end.
pub(crate) struct Mailbox {
    full: Producer<Box<Interval>>,
    empty: Consumer<Box<Interval>>,
}

/// The conductor's end.
pub(crate) struct Desk {
    full: Consumer<Box<Interval>>,
    empty: Producer<Box<Interval>>,
}

/// Both ends, with [`SPARES`] empty intervals in between.
pub(crate) fn pair() -> (Mailbox, Desk) {
    let (full_in, full_out) = RingBuffer::new(SPARES);
    let (mut empty_in, empty_out) = RingBuffer::new(SPARES);
    for _ in 0..SPARES {
        // The ring was made for exactly so many.
        let _ = empty_in.push(Box::default());
    }
    (Mailbox { full: full_in, empty: empty_out }, Desk { full: full_out, empty: empty_in })
}

impl Exchange for Mailbox {
    fn exchange(&mut self, interval: &mut Box<Interval>) {
        let mut empty = loop {
            match self.empty.pop() {
                Ok(empty) => break empty,
                // The conductor was kept from running for seconds. Waiting loses nothing and shows
                // up as what it is: lateness.
                Err(_) if !self.empty.is_abandoned() => thread::park_timeout(PAUSE),
                // The conductor is gone, and with it whoever would read this.
                Err(_) => return interval.clear(),
            }
        };
        std::mem::swap(interval, &mut empty);
        // There are as many intervals as places, so a place is free.
        let _ = self.full.push(empty);
    }
}

impl Desk {
    /// Passes every interval that has arrived to `read`, and sends it back empty.
    pub(crate) fn read_all(&mut self, mut read: impl FnMut(&Interval)) {
        while let Ok(mut interval) = self.full.pop() {
            read(&interval);
            interval.clear();
            // A worker that has ended takes nothing back.
            let _ = self.empty.push(interval);
        }
    }
}

/// Intervals under way between a worker and the conductor.
const SPARES: usize = 4;

const PAUSE: Duration = Duration::from_micros(50);
