//! `for 10s`: whether a comparison was true in so many windows in a row.

use std::fmt;
use std::ops::Range;

use super::comparison::Truth;
use super::finding::Found;

/// Where a comparison was true for longest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lasting {
    /// The first window, in seconds since the warm-up.
    pub(crate) from_s: usize,
    /// How many windows in a row.
    pub(crate) length_s: usize,
}

/// Looks for `needed` true windows in a row, the first of `windows` being window `from_s`.
///
/// - Met: a stretch of true windows is long enough.
/// - Not met: no stretch is long enough even if every undecided window were true.
/// - Undecided otherwise, because of the first undecided window that could have completed one.
pub(crate) fn lasting(windows: &[Truth], from_s: usize, needed: usize) -> (Option<bool>, Found) {
    let is_long = |stretch: &Range<usize>| stretch.len() >= needed;
    let longest = stretches(windows, |window| window.is_true())
        .into_iter()
        // The first of several: the last one of a list that is turned around.
        .rev()
        .max_by_key(ExactSizeIterator::len)
        .unwrap_or_default();
    let is_met = is_long(&longest);
    let lasted = Lasting { from_s: from_s + longest.start, length_s: longest.len() };
    let possible = stretches(windows, |window| !matches!(window, Truth::False(_)));
    let undecided = possible.into_iter().filter(is_long).flatten().find_map(|i| match windows[i] {
        Truth::Unknown(shortage) => Some(Found::LackingAt(from_s + i, shortage)),
        Truth::True(_) | Truth::False(_) => None,
    });
    match undecided {
        Some(lacking) if !is_met => (None, lacking),
        _ => (Some(is_met), Found::Lasted(lasted)),
    }
}

/// The longest possible stretches of windows that belong, in their order.
pub(crate) fn stretches<T>(windows: &[T], belongs: impl Fn(&T) -> bool) -> Vec<Range<usize>> {
    let mut stretches = Vec::new();
    let mut start = 0;
    for (i, window) in windows.iter().enumerate() {
        if !belongs(window) {
            stretches.push(start..i);
            start = i + 1;
        }
    }
    stretches.push(start..windows.len());
    stretches.retain(|stretch| !stretch.is_empty());
    stretches
}

impl fmt::Display for Lasting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.length_s {
            0 => f.write_str("in no second"),
            length_s => write!(f, "for {length_s} s in a row, from second {} on", self.from_s),
        }
    }
}

#[cfg(test)]
mod tests;
