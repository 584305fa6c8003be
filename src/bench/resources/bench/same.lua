-- Requests the same path repeatedly without a script per request. A status above 399 is an error.
function done(summary, latency, requests)
  local e = summary.errors
  io.write(string.format(
    "BENCH requests=%d micros=%d socket=%d wrong=%d p50=%d p99=%d\n",
    summary.requests, summary.duration, e.connect + e.read + e.write + e.timeout, e.status,
    latency:percentile(50), latency:percentile(99)))
end
