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
