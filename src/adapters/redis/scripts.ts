/**
 * Script that takes a new epoch: the server's clock in µs, or the stored epoch plus 1 if that is
 * higher. So a new epoch exceeds all earlier ones, even if the store lost its data or failed over
 * to a stale replica. A double represents the clock exactly until the year 2255.
 */
export const TAKE_EPOCH = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local held = tonumber(redis.call('GET', KEYS[1]) or '0')
local epoch = math.max(held + 1, now)
redis.call('SET', KEYS[1], string.format('%.0f', epoch))
return epoch
`;

/**
 * Script that checks whether a writer holds the epoch. A writer with a higher epoch than the stored
 * one got it before the store lost data; its epoch is stored again.
 */
export const HOLDS_EPOCH = `
local held = redis.call('GET', KEYS[1])
if not held or tonumber(held) < tonumber(ARGV[1]) then
  redis.call('SET', KEYS[1], ARGV[1])
  return 1
end
return held == ARGV[1] and 1 or 0
`;

/**
 * Script that makes a manifest the newest. Keys: the epoch; the pointer; the segments in the
 * manifest; the segments to delete. Arguments: the writer's epoch; the manifest, empty for none;
 * the number of its segments; 1 if the manifest before it stays. Returns 0 if the writer's epoch is
 * stale, -1 if a segment is missing, else 1. Segments are deleted in the same step, so none is left
 * behind if the writer does not get the answer. Idempotent.
 */
export const COMMIT = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
local newest = redis.call('HGET', KEYS[2], 'newest')
local last = 2 + tonumber(ARGV[3])
if newest ~= ARGV[2] then
  for n = 3, last do
    if redis.call('EXISTS', KEYS[n]) == 0 then return -1 end
  end
  for n = 3, last do redis.call('PERSIST', KEYS[n]) end
  if ARGV[4] == '0' then redis.call('UNLINK', KEYS[2])
  elseif newest then redis.call('HSET', KEYS[2], 'previous', newest) end
  if ARGV[2] ~= '' then redis.call('HSET', KEYS[2], 'newest', ARGV[2]) end
end
for n = last + 1, #KEYS do redis.call('UNLINK', KEYS[n]) end
return 1
`;
