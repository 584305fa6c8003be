-- Requests a unique path each time, so that no response comes from a cache.
-- Arguments: the path before its number, the path after its number, and text in a correct response.
local threads = {}

function setup(thread)
  thread:set("number", #threads)
  table.insert(threads, thread)
end

function init(args)
  before, after, right = args[1], args[2], args[3]
  count, wrong, example = 0, 0, ""
end

function request()
  count = count + 1
  return wrk.format("GET", before .. number .. "-" .. count .. after)
end

function response(status, headers, body)
  if status ~= 200 or not body:find(right, 1, true) then
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
