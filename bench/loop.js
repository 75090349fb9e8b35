// k6: a closed loop of one request, and the report as one line of JSON.
import http from 'k6/http';

export const options = {
    discardResponseBodies: true,
    summaryTrendStats: ['count', 'avg', 'med', 'p(99)'],
};

export default function () {
    http.get(__ENV.URL);
}

export function handleSummary({ metrics }) {
    const { values } = metrics.http_req_duration;
    const errors = metrics.http_req_failed.values.passes;
    return { stdout: JSON.stringify({ ...values, errors }) + '\n' };
}
