//! The simulated server: when and what it answers.

use throng_measure::Nanos;

use super::What;
use super::scene::{Random, Scene, Service};

/// A server's memory: when it is free again.
#[derive(Debug, Default)]
pub(super) struct Server {
    free_at_ns: u64,
}

/// Something that the server does after a while.
pub(super) struct Act {
    pub(super) after_ns: u64,
    pub(super) what: What,
}

impl Server {
    /// What becomes of a request that is whole at `now`.
    pub(super) fn answer(&mut self, scene: &Scene, now: Nanos, random: &mut Random) -> Vec<Act> {
        let done_ns = self.work(scene, now, random);
        let after_ns = done_ns - now.0;
        let trouble = &scene.trouble;
        let act = |what| vec![Act { after_ns, what }];
        if random.happens(trouble.silence_ratio) {
            return Vec::new();
        }
        if random.happens(trouble.reset_ratio) {
            return act(What::End(false));
        }
        if random.happens(trouble.close_ratio) {
            return act(What::End(true));
        }
        if random.happens(trouble.garbage_ratio) {
            return act(What::ToClient(b"\x16\x03\x01 not HTTP\r\n\r\n".to_vec()));
        }
        if random.happens(trouble.truncate_ratio) {
            let half = scene.answer[..scene.answer.len() / 2].to_vec();
            let mut acts = act(What::ToClient(half));
            acts.push(Act { after_ns, what: What::End(true) });
            return acts;
        }
        let mut acts = pieces(scene, after_ns, random);
        if random.happens(trouble.close_after_ratio) {
            let after_ns = acts.last().map_or(after_ns, |act| act.after_ns);
            acts.push(Act { after_ns, what: What::End(true) });
        }
        acts
    }

    /// When the work on a request that came at `now` is done.
    fn work(&mut self, scene: &Scene, now: Nanos, random: &mut Random) -> u64 {
        let service_ns = match scene.service {
            Service::Fixed(ns) => ns,
            Service::Exponential(mean_ns) => exponential(mean_ns, random),
        };
        let service_ns = aged(scene, now, service_ns);
        let start_ns = if scene.one_at_a_time { now.0.max(self.free_at_ns) } else { now.0 };
        let done_ns = past_stalls(scene, start_ns, service_ns);
        self.free_at_ns = done_ns;
        done_ns
    }
}

/// The service time at an age of the server.
#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a duration of the scene: its last bits carry no meaning"
)]
fn aged(scene: &Scene, now: Nanos, service_ns: u64) -> u64 {
    if scene.ageing_per_s == 0.0 {
        return service_ns;
    }
    let factor = 1.0 + scene.ageing_per_s * (now.0 as f64 / 1e9);
    (service_ns as f64 * factor.max(0.0)) as u64
}

/// The instant at which `work_ns` of work begun at `start_ns` is done: stalls pass first.
fn past_stalls(scene: &Scene, start_ns: u64, work_ns: u64) -> u64 {
    let mut done_ns = start_ns + work_ns;
    for stall in &scene.stalls {
        if stall.start < done_ns && start_ns < stall.end {
            done_ns += stall.end - start_ns.max(stall.start);
        }
    }
    done_ns
}

/// The answer, whole or in up to four pieces up to 10 µs apart.
fn pieces(scene: &Scene, after_ns: u64, random: &mut Random) -> Vec<Act> {
    let mut rest = &*scene.answer;
    let mut acts = Vec::new();
    let mut after_ns = after_ns;
    while scene.splits && acts.len() < 3 && rest.len() > 1 {
        let length = 1 + random.below(rest.len() as u64 - 1);
        let (piece, behind) = rest.split_at(usize::try_from(length).unwrap_or(1));
        acts.push(Act { after_ns, what: What::ToClient(piece.to_vec()) });
        after_ns += random.below(10_000);
        rest = behind;
    }
    acts.push(Act { after_ns, what: What::ToClient(rest.to_vec()) });
    acts
}

/// By inversion: `−mean · ln(1 − U)`.
#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a random duration of nanoseconds: its last bits carry no meaning"
)]
fn exponential(mean_ns: u64, random: &mut Random) -> u64 {
    (-(-random.unit()).ln_1p() * mean_ns as f64) as u64
}

/// The length of the first request in `inbox` when it is whole.
pub(super) fn request_length(inbox: &[u8]) -> Option<usize> {
    let head_end = inbox.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
    let head = String::from_utf8_lossy(&inbox[..head_end]).to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
    let body_length: usize = length.and_then(|value| value.trim().parse().ok()).unwrap_or(0);
    (inbox.len() >= head_end + body_length).then_some(head_end + body_length)
}
