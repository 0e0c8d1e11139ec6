/**
 * Keys: head (a hash: generation, count, name), log (a stream). Arguments: the record's name, its
 * bytes. A server that may evict takes either key by itself: then both begin again, as another log.
 */
export const APPEND_ROUND = `
local head = redis.call('HMGET', KEYS[1], 'generation', 'count', 'name')
if not head[1] or redis.call('EXISTS', KEYS[2]) == 0 then
  redis.call('DEL', KEYS[1], KEYS[2])
  local time = redis.call('TIME')
  head = {string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000)), '0', ''}
end
local count = string.format('%.0f', head[2] + 1)
local id = head[1] .. '-' .. count
redis.call('XADD', KEYS[2], id, 'name', ARGV[1], 'after', head[3], 'round', ARGV[2])
redis.call('HSET', KEYS[1], 'generation', head[1], 'count', count, 'name', ARGV[1])
return 1
`;

/** Keys as above. Arguments: which log, and how many of its records are dropped in all. */
export const TRIM_ROUNDS = `
if redis.call('HGET', KEYS[1], 'generation') ~= ARGV[1] then return 0 end
local first = string.format('%.0f', ARGV[2] + 1)
return redis.call('XTRIM', KEYS[2], 'MINID', ARGV[1] .. '-' .. first)
`;
