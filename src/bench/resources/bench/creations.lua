-- Creates jobs with the same lines and alternating keys.
-- Arguments: a file with one key per line, and a file with the request body.
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

function is_correct(status, body)
  return status == 202
end
