-- wrk's own numbers without the rounding of its report: requests, then microseconds.
-- Nothing here runs while requests do.
done = function(summary, latency, requests)
    local e = summary.errors
    local errors = e.connect + e.read + e.write + e.status + e.timeout
    io.write(string.format("exact %d %d %.3f %d %d\n", summary.requests, errors,
        latency.mean, latency:percentile(50), latency:percentile(99)))
end
