-- Load test of Plumbline against "plumbline lab". See ../README.md.
local lab = tonumber(os.getenv("LAB_PORT_BASE") or 20000)
local workload = os.getenv("WORKLOAD") or "mixed"
local rate = tonumber(os.getenv("RATE") or 0) -- 0: as fast as the connections permit
local connections = tonumber(os.getenv("CONNECTIONS") or 1)
local key = os.getenv("PLUMBLINE_KEY") or ""
local max_p99 = tonumber(os.getenv("MAX_P99_MS"))
local max_p99_ms = { cached = max_p99 or 100, fresh = max_p99 or 1000 }
local max_rejected = 0.01
local lines = 20

local targets = {
  { "http-status", "http://127.0.0.1:" .. lab .. "/ok", "pass" },
  { "http-status", "http://127.0.0.1:" .. lab .. "/status/404", "fail" },
  { "http-headers", "http://127.0.0.1:" .. lab .. "/headers/framing", "warn" },
  { "security-headers", "https://127.0.0.1:" .. lab + 1 .. "/headers/perfect", "pass" },
  { "tls-rpt", "policies.lab.test", "pass" },
}

-- The main thread: numbers the other threads, each with its own Lua state, and adds up their counts.
local threads = {}

function setup(thread)
  thread:set("id", #threads)
  table.insert(threads, thread)
end

function done(summary, latency)
  local sum = { responses = 0, unexpected = 0, rejected = 0, completed_jobs = 0 }
  local first
  for _, thread in ipairs(threads) do
    for name in pairs(sum) do sum[name] = sum[name] + thread:get(name) end
    first = first or thread:get("first_unexpected")
  end
  local errors = summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout
  local p99 = latency:percentile(99) / 1000
  print(("responses %d, unexpected %d, rejected %d, jobs %d, socket errors %d"):format(
    sum.responses, sum.unexpected, sum.rejected, sum.completed_jobs, errors))
  local missed = {}
  if sum.responses == 0 then table.insert(missed, "no responses") end
  if sum.unexpected > 0 then table.insert(missed, "unexpected response: " .. first) end
  if errors > 0 then table.insert(missed, "socket errors") end
  if sum.rejected > max_rejected * sum.responses then table.insert(missed, "too many 503") end
  if workload == "jobs" and sum.completed_jobs == 0 then table.insert(missed, "no completed jobs") end
  if p99 > (max_p99_ms[workload] or p99) then table.insert(missed, ("p99 %.0f ms"):format(p99)) end
  for _, threshold in ipairs(missed) do print("threshold missed: " .. threshold) end
  if #missed > 0 then os.exit(1) end
end

-- The other threads. Each one has one connection (-t and -c are equal), so a response belongs to the latest request.
responses, unexpected, rejected, completed_jobs = 0, 0, 0, 0
first_unexpected = nil
local run = os.time()
local number = 0
local job = nil
local wait_ms = 0
local expected

local function encode(text)
  return (text:gsub("[^%w%-_.~]", function(c) return ("%%%02X"):format(c:byte()) end))
end

local function instant(module, target, ...)
  local texts = { '"module":"' .. module .. '"', ... }
  expected = function(status, body)
    if status ~= 200 then return false end
    for _, text in ipairs(texts) do
      if not body:find(text, 1, true) then return false end
    end
    return true
  end
  return wrk.format("GET", "/api/v1/instant/" .. module .. "/" .. encode(target))
end

local function count(body, text)
  return select(2, body:gsub(text, ""))
end

local function create_job(unique)
  local items = {}
  for line = 0, lines - 1 do
    local path = line % 4 == 3 and "/status/404" or "/ok"
    items[line + 1] = ('"http://127.0.0.1:%d%s?job=%s&line=%d"'):format(lab, path, unique, line)
  end
  job = { pass = 0, fail = 0 }
  expected = function(status, body)
    job.token = body:match('"token":"([^"]+)"')
    job.since = ""
    return status == 202 and job.token and body:find('"total":' .. lines .. ',', 1, true)
  end
  local headers = { ["X-Api-Key"] = key, ["Content-Type"] = "application/json", ["Idempotency-Key"] = unique }
  local body = '{"module":"http-status","items":[' .. table.concat(items, ",") .. "]}"
  return wrk.format("POST", "/api/v1/jobs", headers, body)
end

-- Reads the lines that have finished since the previous response.
local function read_job()
  expected = function(status, body, headers)
    if status ~= 200 then return false end
    job.pass = job.pass + count(body, '"verdict":"pass"')
    job.fail = job.fail + count(body, '"verdict":"fail"')
    job.since = body:match('"since":"([^"]*)"')
    if body:find('"state":"completed"', 1, true) then
      local is_expected = job.pass == lines - lines / 4 and job.fail == lines / 4
      completed_jobs = completed_jobs + 1
      job = nil
      return is_expected
    end
    if not headers["Preference-Applied"] then
      wait_ms = 1000 * tonumber(headers["Retry-After"] or 1) -- too many requests of this key wait already
    end
    return job.since and (body:find('"state":"running"', 1, true) or body:find('"state":"queued"', 1, true))
  end
  local headers = { ["X-Api-Key"] = key, ["Prefer"] = "wait=1" }
  return wrk.format("GET", "/api/v1/jobs/" .. job.token .. "?fields=status&since=" .. job.since, headers)
end

function request()
  if job and job.token then return read_job() end
  number = number + 1
  local unique = run .. "-" .. id .. "-" .. number
  local percent = number % 100
  if workload == "jobs" or workload == "mixed" and percent == 1 then return create_job(unique) end
  if workload == "fresh" or workload == "mixed" and percent < 11 then
    local target = "http://127.0.0.1:" .. lab .. "/ok?n=" .. unique
    return instant("http-status", target, '"verdict":"pass"', '"cached":false')
  end
  local target = targets[number % #targets + 1]
  return instant(target[1], target[2], '"verdict":"' .. target[3] .. '"')
end

function response(status, headers, body)
  responses = responses + 1
  if status == 503 then
    -- the next request is sent when Retry-After has passed
    rejected = rejected + 1
    wait_ms = 1000 * tonumber(headers["Retry-After"] or 1)
  elseif not expected(status, body, headers) then
    unexpected = unexpected + 1
    first_unexpected = first_unexpected or status .. " " .. body:sub(1, 300)
    job = nil
  end
end

if rate > 0 or workload == "jobs" or workload == "mixed" then
  -- Milliseconds before the next request of a connection.
  function delay()
    local wait = math.max(wait_ms, job and 0 or rate > 0 and 1000 * connections / rate or 0)
    wait_ms = 0
    return wait
  end
end
