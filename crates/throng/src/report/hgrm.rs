//! The response time's percentile distribution, byte for byte as HdrHistogram's own tools print
//! it, in milliseconds; its plotter reads this.
//!
//! The format has no place for bounds, so the distribution is that of the answers; requests
//! without one are named in a comment at the end, where every reader of the format skips it.
//!
//! # Source
//! `outputPercentileDistribution` and `PercentileIterator` of HdrHistogram's Java implementation.

use std::io::{self, Write};

use hdrhistogram::Histogram;
use throng_measure::{RunFile, Summary};

use super::ReportError;

/// Steps for each halving of the distance to 100 %.
const TICKS_PER_HALF_DISTANCE: f64 = 5.0;

/// Nanoseconds of the unit that is printed.
const UNIT_NS: f64 = 1e6;

pub(super) fn write(
    run: &RunFile,
    summary: &Summary,
    out: &mut dyn Write,
) -> Result<(), ReportError> {
    let answered = run.total_answered()?;
    writeln!(
        out,
        "{:>12} {:>14} {:>10} {:>14}\n",
        "Value", "Percentile", "TotalCount", "1/(1-Percentile)"
    )?;
    for step in steps(&answered) {
        write_step(&step, out)?;
    }
    write_footer(&answered, out)?;
    let unanswered = summary.response_time.censored_count;
    if unanswered > 0 {
        writeln!(out, "#[{unanswered} requests without an answer are not in this distribution]")?;
    }
    Ok(())
}

/// One line.
struct Step {
    value_ns: u64,
    level: f64,
    count_up_to: u64,
}

fn write_step(step: &Step, out: &mut dyn Write) -> io::Result<()> {
    let Step { value_ns, level, count_up_to } = *step;
    let value = fixed::<3>(value_ns as f64 / UNIT_NS);
    let share = level / 100.0;
    write!(out, "{value:>12} {} {count_up_to:>10}", fixed::<12>(share))?;
    // The last line has no reciprocal: it would be infinite.
    if level < 100.0 {
        writeln!(out, " {:>14}", fixed::<2>(1.0 / (1.0 - share)))
    } else {
        writeln!(out)
    }
}

fn write_footer(answered: &Histogram<u64>, out: &mut dyn Write) -> io::Result<()> {
    let [mean, stdev, max] = if answered.is_empty() {
        [0.0; 3]
    } else {
        [answered.mean(), answered.stdev(), answered.max() as f64].map(|ns| ns / UNIT_NS)
    }
    .map(fixed::<3>);
    writeln!(out, "#[Mean    = {mean:>12}, StdDeviation   = {stdev:>12}]")?;
    writeln!(out, "#[Max     = {max:>12}, Total count    = {:>12}]", answered.len())?;
    // Buckets of twice the digits' resolution, as a power of two: 3 digits take 2,048.
    let sub_buckets = (2 * 10_u32.pow(answered.sigfig().into())).next_power_of_two();
    writeln!(out, "#[Buckets = {:>12}, SubBuckets     = {sub_buckets:>12}]", answered.buckets())
}

/// The lines: the first value that reaches each level, where levels come closer as they near
/// 100 %, and at last the maximum once more, at 100 %.
fn steps(histogram: &Histogram<u64>) -> Vec<Step> {
    let count = histogram.len();
    let mut steps = Vec::new();
    let (mut level, mut count_up_to) = (0.0, 0);
    for recorded in histogram.iter_recorded() {
        count_up_to += recorded.count_since_last_iteration();
        let reached = 100.0 * count_up_to as f64 / count as f64;
        let value_ns = recorded.value_iterated_to();
        // One value can reach several levels; when it is the last, one is enough.
        while reached >= level {
            steps.push(Step { value_ns, level, count_up_to });
            level = next_level(level);
            if count_up_to == count {
                break;
            }
        }
    }
    if let Some(last) = steps.last() {
        steps.push(Step { level: 100.0, ..*last });
    }
    steps
}

/// The level after `level`, in percent.
fn next_level(level: f64) -> f64 {
    let halvings = ((100.0 / (100.0 - level)).ln() / 2.0_f64.ln()).trunc() + 1.0;
    level + 100.0 / (TICKS_PER_HALF_DISTANCE * halvings.exp2())
}

/// A number that is not negative, with `DIGITS` decimals, rounded as Java's formatter does: half
/// up, from the shortest decimal form. Rust rounds the exact binary value, which differs where
/// the shortest form ends in a 5, and percentile levels often do.
fn fixed<const DIGITS: usize>(number: f64) -> String {
    let shortest = number.to_string();
    let (whole, decimals) = shortest.split_once('.').unwrap_or((&shortest, ""));
    let mut digits: Vec<u8> = whole.bytes().chain(decimals.bytes()).collect();
    let kept = whole.len() + DIGITS;
    let rounds_up = digits.get(kept).is_some_and(|&digit| digit >= b'5');
    digits.resize(kept, b'0');
    if rounds_up {
        // Nines turn to zeros up to the digit that takes the one.
        let nines = digits.iter().rev().take_while(|&&digit| digit == b'9').count();
        digits[kept - nines..].fill(b'0');
        match kept.checked_sub(nines + 1) {
            Some(place) => digits[place] += 1,
            None => digits.insert(0, b'1'),
        }
    }
    digits.insert(digits.len() - DIGITS, b'.');
    digits.into_iter().map(char::from).collect()
}

#[cfg(test)]
mod tests {
    use super::fixed;

    #[test]
    fn numbers_are_rounded_half_up_from_their_shortest_form() {
        for (number, text) in [
            (0.0, "0.000"),
            (7.0, "7.000"),
            (0.0005, "0.001"),
            (0.000_499, "0.000"),
            (1.0005, "1.001"),
            (2.999_6, "3.000"),
            (999.999_5, "1000.000"),
            (123_456.789, "123456.789"),
        ] {
            assert_eq!(fixed::<3>(number), text);
        }
        assert_eq!(fixed::<12>(0.999_780_273_437_5), "0.999780273438");
    }
}
