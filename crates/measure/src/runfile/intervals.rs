//! The pass over the windows of a run that confidence intervals are made from.

use hdrhistogram::Histogram;

use super::blob::Walker;
use super::{RunFile, RunFileError};
use crate::distribution::Splits;
use crate::{Metric, Summary};

/// The samples with a known value that three distributions of a run are of.
pub(super) struct Known {
    pub(super) response: Histogram<u64>,
    pub(super) ok: Histogram<u64>,
    pub(super) service: Histogram<u64>,
}

/// Adds the intervals of response time, of those that ended ok, and of service time.
pub(super) fn add(
    file: &RunFile,
    summary: &mut Summary,
    known: &Known,
) -> Result<(), RunFileError> {
    let read = |source| RunFileError::Read { source };
    let mut response = Splits::at(&summary.response_time, &known.response);
    let mut ok = Splits::at(&summary.response_time_ok, &known.ok);
    let mut service = Splits::at(&summary.service_time, &known.service);
    let mut select = file.connection.prepare(WINDOWS).map_err(read)?;
    let mut rows = select.query(METRICS.map(Metric::name)).map_err(read)?;
    let mut walker = Walker::new();
    let mut present = None;
    while let Some(row) = rows.next().map_err(read)? {
        let window: i64 = row.get(0).map_err(read)?;
        if present != Some(window) {
            present = Some(window);
            [&mut response, &mut ok, &mut service].into_iter().for_each(Splits::begin_window);
        }
        let name = row.get_ref(1).and_then(|name| Ok(name.as_str()?)).map_err(read)?;
        let data = row.get_ref(2).and_then(|data| Ok(data.as_blob()?)).map_err(read)?;
        let Some(metric) = METRICS.into_iter().find(|metric| metric.name() == name) else {
            continue;
        };
        walker.for_each(metric, data, |value, count| match metric {
            Metric::ResponseOk => {
                response.add(value, count);
                ok.add(value, count);
            }
            Metric::Unanswered => response.add_unanswered(count),
            Metric::Service => service.add(value, count),
            _ => response.add(value, count),
        })?;
    }
    // Nothing was written of them: they were still waiting when the run was cut.
    response.add_unanswered(summary.lost);
    summary.response_time.add_intervals(&response);
    summary.response_time_ok.add_intervals(&ok);
    summary.service_time.add_intervals(&service);
    Ok(())
}

const METRICS: [Metric; 4] =
    [Metric::ResponseOk, Metric::ResponseError, Metric::Unanswered, Metric::Service];

const WINDOWS: &str = "SELECT window, metric, data FROM histogram
    WHERE window >= 0 AND metric IN (?, ?, ?, ?) ORDER BY window";
