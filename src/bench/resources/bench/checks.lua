-- Requests a unique path each time, so that no response comes from a cache.
-- Arguments: the path before its number, the path after its number, and text in a correct response.
function init(args)
  before, after, right = args[1], args[2], args[3]
  count, wrong, example = 0, 0, ""
end

function request()
  count = count + 1
  return wrk.format("GET", before .. number .. "-" .. count .. after)
end

function is_correct(status, body)
  return status == 200 and body:find(right, 1, true)
end
