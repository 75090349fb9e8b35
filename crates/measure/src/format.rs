//! Numbers for people: grouped digits, a unit that suits the size.

/// A count with its digits in groups of three: `1,234,567`.
#[must_use]
pub fn count(count: u64) -> String {
    let digits = count.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A duration with three significant digits in the unit that suits it: `850 ns`, `12.3 µs`,
/// `4.56 ms`, `1.20 s`, `150 s`.
#[must_use]
pub fn duration(ns: f64) -> String {
    // Rounding can reach the next unit: 999.6 µs is 1.00 ms.
    let (unit, in_units) = UNITS
        .into_iter()
        .map(|(unit, length_ns)| (unit, ns / length_ns))
        .find(|&(unit, in_units)| in_units < 999.5 || unit == "s")
        .unwrap_or(("s", ns / 1e9));
    if unit == "ns" {
        return format!("{in_units:.0} ns");
    }
    format!("{} {unit}", three_digits(in_units))
}

/// A rate per second: three significant digits below 1,000, whole and grouped from there on.
#[must_use]
pub fn rate(per_s: f64) -> String {
    if per_s < 999.5 { three_digits(per_s) } else { count(per_s.round() as u64) }
}

/// A share in percent: `0.50 %`, `12.3 %`, and `< 0.01 %` for what would be rounded to nothing.
#[must_use]
pub fn percent(ratio: f64) -> String {
    let percent = ratio * 100.0;
    match percent {
        0.0 => "0 %".into(),
        p if p < 0.01 => "< 0.01 %".into(),
        // Rounding must not turn "nearly all" into "all".
        p if (99.995..100.0).contains(&p) => "> 99.99 %".into(),
        p if p < 10.0 || (99.9..100.0).contains(&p) => format!("{p:.2} %"),
        p => format!("{p:.1} %"),
    }
}

/// An amount of data: `512 B`, `1.23 kB`, `45.6 MB` (powers of 1,000).
#[must_use]
pub fn bytes(bytes: f64) -> String {
    if bytes < 999.5 {
        return format!("{bytes:.0} B");
    }
    let (unit, in_units) = DATA_UNITS
        .into_iter()
        .map(|(unit, size)| (unit, bytes / size))
        .find(|&(unit, in_units)| in_units < 999.5 || unit == "PB")
        .unwrap_or(("PB", bytes / 1e15));
    format!("{} {unit}", three_digits(in_units))
}

/// The day of an instant, given in nanoseconds since 1970, UTC: `2026-11-21`.
///
/// # Source
/// Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`: years begin
/// in March, so that the leap day is their last, and repeat every 400 years (146,097 days).
#[must_use]
pub fn date(unix_ns: i64) -> String {
    let days = unix_ns.div_euclid(86_400_000_000_000) + DAYS_BEFORE_1970;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let leap_days = day_of_era / 1_460 - day_of_era / 36_524 + day_of_era / 146_096;
    let year_of_era = (day_of_era - leap_days) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    // Months from March on last 153 days per five.
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12 + 1;
    let year = 400 * era + year_of_era + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

/// Three significant digits, without an exponent.
fn three_digits(value: f64) -> String {
    match value {
        v if v < 9.995 => format!("{v:.2}"),
        v if v < 99.95 => format!("{v:.1}"),
        v if v < 999.5 => format!("{v:.0}"),
        v => count(v.round() as u64),
    }
}

/// From 0000-03-01 on.
const DAYS_BEFORE_1970: i64 = 719_468;

const UNITS: [(&str, f64); 4] = [("ns", 1.0), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)];

const DATA_UNITS: [(&str, f64); 5] =
    [("kB", 1e3), ("MB", 1e6), ("GB", 1e9), ("TB", 1e12), ("PB", 1e15)];

#[cfg(test)]
mod tests;
