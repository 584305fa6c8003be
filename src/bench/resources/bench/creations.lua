-- Creates jobs with the same lines and alternating keys.
-- Arguments: a file with one key per line, and a file with the request body.
local threads = {}

function setup(thread)
  table.insert(threads, thread)
end

function init(args)
  keys, turn, wrong, example = {}, 0, 0, ""
  for key in io.lines(args[1]) do
    table.insert(keys, key)
  end
  local file = io.open(args[2], "rb")
  body = file:read("*a")
  file:close()
end

function request()
  turn = turn % #keys + 1
  wrk.headers["X-Api-Key"] = keys[turn]
  return wrk.format("POST", nil, nil, body)
end

function response(status, headers, body)
  if status ~= 202 then
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
