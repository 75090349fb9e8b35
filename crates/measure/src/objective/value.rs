//! Words to numbers: durations, ratios, amounts, whole seconds.

/// A duration in nanoseconds, with its unit.
pub(crate) fn duration_ns(text: &str) -> Option<f64> {
    let (number, unit) = number_and_unit(text)?;
    let (_, length_ns) = DURATIONS.iter().find(|row| row.0 == unit)?;
    // Zero is the same in every unit.
    if unit.is_empty() && number != 0.0 {
        return None;
    }
    finite(number * length_ns)
}

/// A duration in whole seconds; windows are no shorter.
pub(crate) fn whole_seconds(text: &str) -> Option<u32> {
    let seconds = duration_ns(text)? / 1e9;
    // Below 2^32 every whole number has its own `f64`.
    (seconds.fract() == 0.0 && seconds <= f64::from(u32::MAX)).then_some(seconds as u32)
}

/// A share, 0..=1, with or without a percent sign.
pub(crate) fn ratio(text: &str) -> Option<f64> {
    let (number, unit) = number_and_unit(text)?;
    let ratio = match unit {
        "" => number,
        "%" => number / 100.0,
        _ => return None,
    };
    (ratio <= 1.0).then_some(ratio)
}

/// A rate per second.
pub(crate) fn rate(text: &str) -> Option<f64> {
    amount(text.strip_suffix("/s").unwrap_or(text))
}

/// A count.
pub(crate) fn amount(text: &str) -> Option<f64> {
    let (number, unit) = number_and_unit(text)?;
    let (_, factor) = AMOUNTS.iter().find(|row| row.0 == unit)?;
    finite(number * factor)
}

/// A number of digits, `_` between them, at most one dot; and the rest.
fn number_and_unit(text: &str) -> Option<(f64, &str)> {
    let end =
        text.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_')).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    if !number.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    Some((number.replace('_', "").parse().ok()?, unit))
}

fn finite(number: f64) -> Option<f64> {
    number.is_finite().then_some(number)
}

const DURATIONS: [(&str, f64); 8] = [
    ("", 1.0),
    ("ns", 1.0),
    ("us", 1e3),
    ("µs", 1e3),
    ("ms", 1e6),
    ("s", 1e9),
    ("m", 60e9),
    ("h", 3_600e9),
];

const AMOUNTS: [(&str, f64); 4] = [("", 1.0), ("k", 1e3), ("M", 1e6), ("G", 1e9)];
