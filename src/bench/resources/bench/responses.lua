-- Counts incorrect responses. Precedes a script that defines is_correct(status, body) and sets wrong and example in init.
local threads = {}

function setup(thread)
  thread:set("number", #threads)
  table.insert(threads, thread)
end

function response(status, headers, body)
  if not is_correct(status, body) then
    wrong = wrong + 1
    if example == "" then
      example = status .. " " .. body:sub(1, 400):gsub("%s+", " ")
    end
  end
end

function done(summary, latency, requests)
  local wrong, example = 0, ""
  for _, thread in ipairs(threads) do
    wrong = wrong + thread:get("wrong")
    if example == "" then
      example = thread:get("example")
    end
  end
  local e = summary.errors
  io.write(string.format(
    "BENCH requests=%d micros=%d socket=%d wrong=%d p50=%d p99=%d\n",
    summary.requests, summary.duration, e.connect + e.read + e.write + e.timeout, wrong,
    latency:percentile(50), latency:percentile(99)))
  if wrong > 0 then
    io.write("EXAMPLE " .. example .. "\n")
  end
end
