/**
 * Epochs rise with the server's clock, in µs, which a double counts exactly until the year 2255. So
 * one that is taken after everything was lost, or after a replica that knew less took over, is
 * still above all that were taken before.
 */
export const TAKE_EPOCH = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local held = tonumber(redis.call('GET', KEYS[1]) or '0')
local epoch = math.max(held + 1, now)
redis.call('SET', KEYS[1], string.format('%.0f', epoch))
return epoch
`;

/** A writer above the epoch that is held was given its own by a store that has lost it since. */
export const HOLDS_EPOCH = `
local held = redis.call('GET', KEYS[1])
if not held or tonumber(held) < tonumber(ARGV[1]) then
  redis.call('SET', KEYS[1], ARGV[1])
  return 1
end
return held == ARGV[1] and 1 or 0
`;

/**
 * Keys: epoch, pointer, chunks. Arguments: the writer's epoch, what the pointer is to say, what the
 * names of chunks begin with. Answers 0 for a stale epoch, -1 where a chunk is missing, else 1. What
 * is kept no longer goes in the same step: a writer whose answer got lost leaves nothing behind.
 * Sent twice, it does nothing the second time.
 */
export const COMMIT = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
local newest = redis.call('HGET', KEYS[2], 'newest')
if newest == ARGV[2] then return 1 end
for n = 3, #KEYS do
  if redis.call('EXISTS', KEYS[n]) == 0 then return -1 end
end
for n = 3, #KEYS do redis.call('PERSIST', KEYS[n]) end
local previous = redis.call('HGET', KEYS[2], 'previous')
if newest then redis.call('HSET', KEYS[2], 'previous', newest) end
redis.call('HSET', KEYS[2], 'newest', ARGV[2])
if previous then
  local id, chunks = string.match(previous, '^(%S+) (%d+)$')
  for n = 0, tonumber(chunks) - 1 do redis.call('UNLINK', ARGV[3] .. id .. ':' .. n) end
end
return 1
`;

/**
 * Keys: epoch, pointer, then what workers leave for each other. Arguments: the writer's epoch, whether
 * the newest stays (1) or goes too (0), what the names of chunks begin with. Answers 0 for a stale epoch.
 */
export const KEEP_NEWEST = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
local kept = redis.call('HMGET', KEYS[2], 'newest', 'previous')
for place = 1 + tonumber(ARGV[2]), 2 do
  if kept[place] then
    local id, chunks = string.match(kept[place], '^(%S+) (%d+)$')
    for n = 0, tonumber(chunks) - 1 do redis.call('UNLINK', ARGV[3] .. id .. ':' .. n) end
  end
end
if ARGV[2] == '1' then redis.call('HDEL', KEYS[2], 'previous') else redis.call('UNLINK', KEYS[2]) end
for n = 3, #KEYS do redis.call('UNLINK', KEYS[n]) end
return 1
`;

/** Panes that are not there yet, as numbers that a script compares. */
export const NEVER = -Number.MAX_SAFE_INTEGER;

/**
 * Keys: epoch, progress (a hash), panes (a stream whose ids are the panes). Arguments: the writer's
 * epoch, what it has published before (from, closed), how far it is (closed, watermark, newest, idle),
 * then pane and record in turn. Answers 0 for a stale epoch, -1 where what was published is gone, else
 * 1. Sent twice, it does nothing the second time.
 *
 * The hash counts the records of the stream: a server that may evict takes either key by itself. What
 * is not whole is of no use, nor is what begins after the writer; then all begins where the writer does.
 */
export const PUBLISH = `
local held = redis.call('GET', KEYS[1])
if not held or tonumber(held) < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], ARGV[1])
elseif held ~= ARGV[1] then return 0 end
local has = redis.call('HMGET', KEYS[2], 'closed', 'from', 'count', 'last')
local length = redis.call('XLEN', KEYS[3])
local known, from, count = tonumber(has[1] or ''), tonumber(has[2] or ''), tonumber(has[3] or length)
local before, closed = tonumber(ARGV[3]), tonumber(ARGV[4])
if not known or length ~= count or known < before or from > before then
  if before > tonumber(ARGV[2]) then return -1 end
  redis.call('UNLINK', KEYS[2], KEYS[3])
  redis.call('HSET', KEYS[2], 'from', ARGV[2])
  has, count = {}, 0
elseif known > closed then
  closed = known
end
local last = tonumber(has[4] or '-1')
for n = 8, #ARGV, 2 do
  if tonumber(ARGV[n]) > last then
    redis.call('XADD', KEYS[3], ARGV[n] .. '-1', 'record', ARGV[n + 1])
    redis.call('HSET', KEYS[2], 'last', ARGV[n])
    count = count + 1
  end
end
redis.call('HSET', KEYS[2], 'closed', string.format('%.0f', closed), 'watermark', ARGV[5],
  'newest', ARGV[6], 'idle', ARGV[7], 'count', count)
return 1
`;

/** Keys as above. Arguments: the writer's epoch, the newest pane that may go. */
export const TRIM = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
local has = redis.call('HMGET', KEYS[2], 'from', 'count')
local from = tonumber(has[1] or '')
if not from or from >= tonumber(ARGV[2]) then return 1 end
local length = redis.call('XLEN', KEYS[3])
if length ~= tonumber(has[2] or length) then return 1 end
local gone = redis.call('XTRIM', KEYS[3], 'MINID', string.format('%.0f-0', tonumber(ARGV[2]) + 1))
redis.call('HSET', KEYS[2], 'from', ARGV[2], 'count', length - gone)
return 1
`;

/** Keys: progress, panes. Answers the hash, or nothing where the records that it counts are not there. */
export const PROGRESS = `
local count = redis.call('HGET', KEYS[1], 'count')
if count and tonumber(count) ~= redis.call('XLEN', KEYS[2]) then return {} end
return redis.call('HGETALL', KEYS[1])
`;

/**
 * Keys: progress, panes. Arguments: two panes. Answers the records after the first; nil where any
 * through the second is gone or is not there yet.
 */
export const RECORDS = `
local has = redis.call('HMGET', KEYS[1], 'from', 'count', 'closed')
local from, closed = tonumber(has[1] or ''), tonumber(has[3] or '')
if not from or from > tonumber(ARGV[1]) then return false end
if not closed or closed < tonumber(ARGV[2]) then return false end
if has[2] and tonumber(has[2]) ~= redis.call('XLEN', KEYS[2]) then return false end
return redis.call('XRANGE', KEYS[2], string.format('%.0f', math.max(0, tonumber(ARGV[1]) + 1)), '+')
`;

/**
 * Keys: epoch, what is concluded (a hash). Arguments: the writer's epoch, the note, what the detectors
 * have learned, what is withheld, what verdicts rest on.
 */
export const CONCLUDE = `
local held = redis.call('GET', KEYS[1])
if not held or tonumber(held) < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], ARGV[1])
elseif held ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[2], 'note', ARGV[2], 'drift', ARGV[3], 'withheld', ARGV[4],
  'decision', ARGV[5])
return 1
`;
