//! Whether runs are alike in all but what is to be compared.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Run;
use crate::format;

/// What differs between runs beside their results, one line each: "connections: 10 in A; 20 in B".
/// Empty when nothing does.
///
/// Looked at are throng's version, the model, everything in the plan and everything known of the
/// generating machine. Where requests go is left out, since that may be what is compared; the seed
/// too, since it decides nothing but chance.
#[must_use]
pub fn differences(runs: &[(&str, &Run)]) -> Vec<String> {
    let facts: Vec<_> = runs.iter().map(|(_, run)| facts(run)).collect();
    let mut paths: Vec<&String> = facts.iter().flat_map(BTreeMap::keys).collect();
    paths.sort_unstable();
    paths.dedup();
    let line = |path: &String| {
        let values: Vec<&str> =
            facts.iter().map(|facts| facts.get(path).map_or("none", String::as_str)).collect();
        let first = values.first()?;
        if values.iter().all(|value| value == first) {
            return None;
        }
        let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
        for ((name, _), value) in runs.iter().zip(values) {
            match groups.iter_mut().find(|(known, _)| *known == value) {
                Some((_, names)) => names.push(name),
                None => groups.push((value, vec![name])),
            }
        }
        let said = groups.iter().map(|(value, names)| format!("{value} in {}", names.join(", ")));
        Some(format!("{}: {}", name_of(path), said.collect::<Vec<_>>().join("; ")))
    };
    paths.into_iter().filter_map(line).collect()
}

/// Everything that should be equal, by its path.
fn facts(run: &Run) -> BTreeMap<String, String> {
    let summary = &run.summary;
    let mut facts = BTreeMap::new();
    facts.insert("version".to_owned(), summary.version.clone());
    facts.insert("plan.model".to_owned(), summary.model.name().to_owned());
    collect("plan", &summary.plan, &mut facts);
    let environment = serde_json::to_value(&summary.environment).unwrap_or_default();
    collect("environment", &environment, &mut facts);
    facts
}

fn collect(path: &str, value: &Value, facts: &mut BTreeMap<String, String>) {
    if NOT_COMPARED.contains(&path) {
        return;
    }
    match value {
        Value::Object(members) if !is_rate(value) => {
            for (key, member) in members {
                match path {
                    // The kind of model is a fact of its own; what it has is compared without it.
                    "plan.model" => collect("load", member, facts),
                    _ => collect(&format!("{path}.{key}"), member, facts),
                }
            }
        }
        value => {
            facts.insert(path.to_owned(), shown(path, value));
        }
    }
}

/// A fraction, as plans have it: so many in so many nanoseconds.
fn is_rate(value: &Value) -> bool {
    value.get("count").is_some() && value.get("per_ns").is_some()
}

fn shown(path: &str, value: &Value) -> String {
    let number = |key| value.get(key).and_then(Value::as_f64);
    if let (Some(count), Some(per_ns)) = (number("count"), number("per_ns")) {
        return format!("{}/s", format::rate(count * 1e9 / per_ns));
    }
    match (value, value.as_u64()) {
        (_, Some(ns)) if path.ends_with("_ns") => format::duration(ns as f64),
        (_, Some(number)) => format::count(number),
        (Value::Null, _) => "none".to_owned(),
        (Value::String(text), _) => shortened(text),
        (other, _) => shortened(&other.to_string()),
    }
}

/// Bodies and headers can be long; that they differ is what matters.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN_CHARS) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], format::count(text.len() as u64)),
    }
}

fn name_of(path: &str) -> String {
    match NAMES.iter().find(|row| row.0 == path) {
        Some((_, name)) => (*name).to_owned(),
        None => path.trim_start_matches("plan.").trim_end_matches("_ns").replace(['.', '_'], " "),
    }
}

/// What may be compared, decides nothing, or is said elsewhere.
const NOT_COMPARED: [&str; 6] = [
    "plan.url",
    "plan.endpoints",
    "plan.request.target",
    "plan.request.host",
    "plan.seed",
    "plan.workers",
];

/// Names for people where those of the plan are not plain.
const NAMES: [(&str, &str); 14] = [
    ("version", "throng"),
    ("load.connections", "connections"),
    ("load.pool.fixed", "connections"),
    ("load.pool.up_to", "connections at most"),
    ("load.rate", "rate"),
    ("load.arrivals", "arrivals"),
    ("plan.stop.duration_ns", "duration"),
    ("plan.stop.requests", "requests"),
    ("plan.request.body.Text", "body"),
    ("environment.host_kernel", "kernel"),
    ("environment.cpu_model", "processor"),
    ("environment.cpu_count", "processors"),
    ("environment.worker_count", "worker threads"),
    ("plan.transmit_sampling", "one transmission stamped in"),
];

/// Characters of a text that are shown.
const SHOWN_CHARS: usize = 40;

#[cfg(test)]
mod tests;
