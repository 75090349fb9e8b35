use super::*;
use proptest::prelude::*;

fn request(dispatched: u64) -> Request {
    let due = Nanos(dispatched);
    Request { due, dispatched: due, sent: None, first_byte: None, tries: 0, sampled: false }
}

fn room(depth: u32, slots: u32) -> (InFlight, Vec<Ring>) {
    let mut in_flight = InFlight::new(depth, slots);
    (0..slots).for_each(|_| in_flight.make_room());
    (in_flight, vec![Ring::default(); slots as usize])
}

#[test]
fn the_oldest_request_is_known_whatever_the_order_of_answers() {
    let (mut in_flight, mut rings) = room(1, 3);
    for slot in 0..3 {
        in_flight.push(slot, &mut rings[slot as usize], request(10 + u64::from(slot)));
    }
    in_flight.pop_front(1, &mut rings[1]);
    assert_eq!(in_flight.oldest(), Some((0, Nanos(10))));
    in_flight.pop_front(0, &mut rings[0]);
    assert_eq!(in_flight.oldest(), Some((2, Nanos(12))));
}

proptest! {
    /// Against a model that keeps a plain list per connection.
    #[test]
    fn rings_agree_with_plain_lists(
        depth in 1_u32..5,
        steps in prop::collection::vec((0_u32..4, 0_u8..3, 0_u64..50), 0..200),
    ) {
        let (mut in_flight, mut rings) = room(depth, 4);
        let mut model: Vec<Vec<u64>> = vec![Vec::new(); 4];
        for (slot, action, time) in steps {
            let (ring, list) = (&mut rings[slot as usize], &mut model[slot as usize]);
            match action {
                0 if list.len() < depth as usize => {
                    in_flight.push(slot, ring, request(time));
                    list.push(time);
                }
                1 => {
                    let expected = (!list.is_empty()).then(|| list.remove(0));
                    let popped = in_flight.pop_front(slot, ring);
                    prop_assert_eq!(popped.map(|r| r.dispatched.0), expected);
                }
                2 => {
                    let popped = in_flight.pop_back(slot, ring);
                    prop_assert_eq!(popped.map(|r| r.dispatched.0), list.pop());
                }
                _ => {}
            }
            let oldest = model.iter().flatten().min().copied();
            prop_assert_eq!(in_flight.oldest().map(|(_, at)| at.0), oldest);
            prop_assert_eq!(in_flight.count() as usize, model.iter().map(Vec::len).sum::<usize>());
        }
    }
}
