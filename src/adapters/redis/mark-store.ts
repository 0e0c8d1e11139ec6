import {
  type Mark,
  type MarkOutcome,
  type MarkStore,
  MOST_MARKS,
  type StatedSettings,
} from '../../outputs/history/marks.js';
import { RedisConnection, type RedisStoreOptions } from './connection.js';

/**
 * Script that adds a mark. Keys: the marks ordered by time; the last text about each subject.
 * Arguments: time; mark; subject, or an empty string; text; number of marks to keep. A second call
 * with the same arguments changes nothing.
 */
const ADD = `
if ARGV[3] ~= '' then
  if redis.call('HGET', KEYS[2], ARGV[3]) == ARGV[4] then return 'known' end
  redis.call('HSET', KEYS[2], ARGV[3], ARGV[4])
end
redis.call('ZADD', KEYS[1], ARGV[1], ARGV[2])
local beyond = redis.call('ZCARD', KEYS[1]) - tonumber(ARGV[5])
if beyond > 0 then redis.call('ZREMRANGEBYRANK', KEYS[1], 0, beyond - 1) end
if redis.call('ZSCORE', KEYS[1], ARGV[2]) then return 'kept' end
return 'too_old'
`;

/** Stores marks (annotations of a point in time) in Redis, shared by all workers of a group. */
export class RedisMarkStore implements MarkStore {
  readonly #redis: RedisConnection;

  constructor(options: RedisStoreOptions) {
    this.#redis = new RedisConnection(options);
  }

  all(): Promise<readonly Mark[]> {
    return this.#redis.told(async (client) => {
      const texts = await client.zrange(this.#redis.key('marks', 'by_time'), '0', '-1');
      return texts.map((text) => JSON.parse(text) as Mark);
    });
  }

  add(mark: Mark, about = ''): Promise<MarkOutcome> {
    return this.#redis.told(async (client) => {
      const keys = ['by_time', 'last'].map((name) => this.#redis.key('marks', name));
      const { time, text } = mark;
      const kept = JSON.stringify(mark);
      const outcome = await client.eval(ADD, 2, ...keys, time, kept, about, text, MOST_MARKS);
      return outcome as MarkOutcome;
    });
  }

  settings(): Promise<StatedSettings | undefined> {
    return this.#redis.told(async (client) => {
      const text = await client.get(this.#redis.key('marks', 'settings'));
      return text === null ? undefined : (JSON.parse(text) as StatedSettings);
    });
  }

  async keepSettings(settings: StatedSettings): Promise<void> {
    await this.#redis.told((client) =>
      client.set(this.#redis.key('marks', 'settings'), JSON.stringify(settings)),
    );
  }

  async close(): Promise<void> {
    this.#redis.close();
  }
}
