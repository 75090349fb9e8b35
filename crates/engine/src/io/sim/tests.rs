use super::*;

#[test]
fn an_answer_takes_two_ways_and_the_service() {
    let mut sim = Sim::new(Scene::quiet(1, 1_000_000), 0);
    let endpoint = Endpoint::Unix("nowhere".into());
    sim.connect(0, &endpoint).unwrap();
    sim.wait(Nanos::MAX).unwrap();
    assert_eq!(sim.next(), Some(Completion::Connected { slot: 0 }));
    assert_eq!(sim.next(), None);
    sim.begin(sim.now());
    assert_eq!(sim.send(0, b"GET / HTTP/1.1\r\n\r\n"), Ok(18));
    sim.wait(Nanos::MAX).unwrap();
    let at = Nanos(1_040_000);
    let received = Completion::Received { slot: 0, stamp: Some(at), read: at, closing: false };
    assert_eq!(sim.next(), Some(received));
    assert_eq!(sim.next(), None);
}
