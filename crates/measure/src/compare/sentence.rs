//! A comparison in one sentence.

use super::wording::{list, range};
use super::{Comparison, Figure, Found, Row, Why};

/// "B is 4.1–6.8 % slower at p99; no significant change at p50 or in the rate; p99.9 is not
/// compared: it needs …."
///
/// Ranges are the 95 % confidence intervals. Slower and faster are of the response time: 50 %
/// slower is one and a half times the time, 50 % faster is half of it.
#[must_use]
pub fn sentence(comparison: &Comparison) -> String {
    let Comparison { name, rows } = comparison;
    let changes = changes(rows);
    let unchanged = unchanged(rows);
    let mut parts = Vec::new();
    match (changes.is_empty(), unchanged) {
        (true, None) => parts.push(format!("{name} cannot be compared with A")),
        (true, Some(unchanged)) => parts.push(format!("{name} shows {unchanged}")),
        (false, unchanged) => {
            parts.push(format!("{name} {}", changes.join(", and ")));
            parts.extend(unchanged);
        }
    }
    parts.extend(not_compared(name, rows));
    format!("{}.", parts.join("; "))
}

/// Predicates of what changed: "is 2–3 % slower at p50 and 4–5 % at p99", "handles 1–2 % more
/// requests per second".
fn changes(rows: &[Row]) -> Vec<String> {
    let rows = rows.iter().filter(|row| row.is_significant());
    let changes: Vec<_> =
        rows.filter_map(|row| row.change().map(|change| (row.figure, change))).collect();
    let mut parts = Vec::new();
    for (slower, word) in [(true, " slower"), (false, " faster")] {
        let mut places = Vec::new();
        for (figure, change) in &changes {
            if *figure != Figure::Rate && (change.ln() > 0.0) == slower {
                // The word stands once.
                let word = if places.is_empty() { word } else { "" };
                places.push(format!("{}{word} at {}", range(change), figure.label()));
            }
        }
        if !places.is_empty() {
            parts.push(format!("is {}", list(&places, "and")));
        }
    }
    if let Some((Figure::Rate, change)) = changes.first() {
        let word = if change.ln() > 0.0 { "more" } else { "fewer" };
        parts.push(format!("handles {} {word} requests per second", range(change)));
    }
    parts
}

/// "no significant change at p50 or p90, nor in the rate".
fn unchanged(rows: &[Row]) -> Option<String> {
    let unchanged = |row: &&Row| matches!(row.found, Found::Measured { significant: false, .. });
    let figures: Vec<_> = rows.iter().filter(unchanged).map(|row| row.figure).collect();
    let percentiles = figures.iter().filter(|&&figure| figure != Figure::Rate);
    let labels = list(&percentiles.map(|figure| figure.label()).collect::<Vec<_>>(), "or");
    let places = match (labels.is_empty(), figures.contains(&Figure::Rate)) {
        (true, false) => return None,
        (true, true) => "in the rate".to_owned(),
        (false, false) => format!("at {labels}"),
        (false, true) => format!("at {labels}, nor in the rate"),
    };
    Some(format!("no significant change {places}"))
}

/// "p99.9 and p99.99 are not compared: p99.9 needs …", one part for each kind of reason; of figures
/// that lack the same, the first speaks for all.
fn not_compared(name: &str, rows: &[Row]) -> Vec<String> {
    let mut groups: Vec<(Why, Vec<&str>)> = Vec::new();
    for row in rows {
        let Found::NotCompared(why) = row.found else { continue };
        let kind = std::mem::discriminant(&why);
        let label = if row.figure == Figure::Rate { "the rate" } else { row.figure.label() };
        match groups.iter_mut().find(|(first, _)| std::mem::discriminant(first) == kind) {
            Some((_, labels)) => labels.push(label),
            None => groups.push((why, vec![label])),
        }
    }
    let said = groups.iter().map(|(why, labels)| match labels.as_slice() {
        [only] => format!("{only} is not compared: it {}", why.explain(name)),
        all => format!("{} are not compared: {} {}", list(all, "and"), all[0], why.explain(name)),
    });
    said.collect()
}

#[cfg(test)]
mod tests;
