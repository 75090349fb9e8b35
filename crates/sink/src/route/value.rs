//! Numbers and durations as they stand in a path.

use std::time::Duration;

/// Reads a number written in digits only: no sign, no space, no exponent.
pub(super) fn read_digits(text: &str) -> Option<u64> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) { text.parse().ok() } else { None }
}

/// Reads digits, at most one point among them, and a unit: `1.5s`.
///
/// Formed in whole nanoseconds, rounded down, so that `0.3s` is 300_000_000 ns and not a
/// neighbouring binary fraction.
pub(super) fn read_duration(text: &str) -> Option<Duration> {
    let unit_start = text.find(|character: char| character.is_ascii_alphabetic())?;
    let (number, unit) = text.split_at(unit_start);
    let unit_ns = UNITS.iter().find(|row| row.0 == unit)?.1;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    if fraction.is_empty() || fraction.len() > FRACTION_DIGITS_MAX {
        return None;
    }
    let whole_ns = read_digits(whole)?.checked_mul(unit_ns)?;
    let fraction_scale = 10_u128.pow(u32::try_from(fraction.len()).ok()?);
    let fraction_ns = u128::from(read_digits(fraction)?) * u128::from(unit_ns) / fraction_scale;
    let total_ns = whole_ns.checked_add(u64::try_from(fraction_ns).ok()?)?;
    Some(Duration::from_nanos(total_ns))
}

/// More digits than this after the point are refused: they would not fit the arithmetic.
const FRACTION_DIGITS_MAX: usize = 18;
const UNITS: [(&str, u64); 5] = [
    ("us", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];
