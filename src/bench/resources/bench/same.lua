-- The same path again and again, at wrk's full speed; a status above 399 counts as an error.
function done(summary, latency, requests)
  local e = summary.errors
  io.write(string.format(
    "BENCH requests=%d micros=%d socket=%d wrong=%d p50=%d p99=%d\n",
    summary.requests, summary.duration, e.connect + e.read + e.write + e.timeout, e.status,
    latency:percentile(50), latency:percentile(99)))
end
