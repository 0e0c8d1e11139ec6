import {
  type Change,
  LATER,
  type Manifest,
  manifestOf,
  namesOf,
  SegmentedCheckpoints,
} from '../segments/segmented-checkpoints.js';
import { bufferOf, RedisConnection, type RedisStoreOptions } from './connection.js';
import { COMMIT, HOLDS_EPOCH, TAKE_EPOCH } from './scripts.js';

/**
 * Time after which a new segment expires, s, unless a manifest lists it by then. The writer of an
 * expired segment died or was rejected.
 */
const ORPHAN_SECONDS = 3_600;
const SEGMENT = 'chunk:';
/**
 * Chunk name in pointers, for earlier program versions without segments. Such a version looks for a
 * chunk of this name, and finds `LATER`.
 */
const FORMER = 'later';
/** Names of keys through which workers of earlier versions communicated. */
const LEFT = ['progress', 'panes', 'concluded'];
/** Number of keys that the server scans in one step, so that other clients do not wait long. */
const SCANNED = 1_000;

/**
 * Stores checkpoints in Redis. Segments are written under new names. One script then checks the
 * writer's epoch, makes the new manifest the newest, and keeps the manifest before it as second. A
 * writer with an older epoch therefore changes nothing.
 */
export class RedisCheckpointStore extends SegmentedCheckpoints {
  readonly #redis: RedisConnection;

  constructor(options: RedisStoreOptions) {
    super();
    this.#redis = new RedisConnection(options);
  }

  takeEpoch(partition: number): Promise<number> {
    return this.#redis.told(async (client) => {
      await client.set(this.#segment(partition, `${FORMER}:0`), bufferOf(LATER));
      return Number(await client.eval(TAKE_EPOCH, 1, this.#key(partition, 'epoch')));
    });
  }

  protected holds(partition: number, epoch: number): Promise<boolean> {
    return this.#redis.told(async (client) => {
      return (await client.eval(HOLDS_EPOCH, 1, this.#key(partition, 'epoch'), epoch)) === 1;
    });
  }

  protected manifests(partition: number): Promise<readonly Manifest[]> {
    return this.#redis.told(async (client) => {
      const found = await client.hmget(this.#key(partition, 'pointer'), 'newest', 'previous');
      return found.flatMap((text) => (text === null ? [] : [keptOf(text)]));
    });
  }

  protected commit(partition: number, epoch: number, { manifest, isAlone, dropped }: Change) {
    return this.#redis.told(async (client) => {
      const named = manifest === undefined ? [] : namesOf([manifest]);
      const keys = [...named, ...dropped].map((name) => this.#segment(partition, name));
      if (isAlone) {
        keys.push(...LEFT.map((name) => this.#key(partition, name)));
      }
      const outcome = await client.eval(
        COMMIT,
        2 + keys.length,
        this.#key(partition, 'epoch'),
        this.#key(partition, 'pointer'),
        ...keys,
        epoch,
        manifest === undefined ? '' : `${FORMER} 1 ${JSON.stringify(manifest)}`,
        named.length,
        isAlone ? 0 : 1,
      );
      if (outcome === -1) throw new Error('segments were lost before they were all written');
      return outcome === 1 ? 'saved' : 'fenced';
    });
  }

  protected put(partition: number, name: string, bytes: Uint8Array): Promise<void> {
    return this.#redis.told(async (client) => {
      await client.set(this.#segment(partition, name), bufferOf(bytes), 'EX', ORPHAN_SECONDS);
    });
  }

  protected get(partition: number, name: string, from = 0, to = 0) {
    return this.#redis.told(async (client) => {
      const key = this.#segment(partition, name);
      const found = await client.getrangeBuffer(key, from, to - 1);
      return found.length > 0 || (await client.exists(key)) ? found : undefined;
    });
  }

  protected has(partition: number, names: readonly string[]): Promise<boolean> {
    return this.#redis.told(async (client) => {
      const keys = names.map((name) => this.#segment(partition, name));
      return keys.length === 0 || (await client.exists(...keys)) === keys.length;
    });
  }

  protected remove(partition: number, names: readonly string[]): Promise<void> {
    return this.#redis.told(async (client) => {
      const keys = names.map((name) => this.#segment(partition, name));
      if (keys.length > 0) {
        await client.unlink(...keys);
      }
    });
  }

  partitions(): Promise<readonly number[]> {
    return this.#redis.told(async (client) => {
      const [before, after] = this.#key(Number.NaN, 'pointer').split('NaN') as [string, string];
      const pattern = [before, after].map((text) => text.replace(/[\\*?[\]]/g, '\\$&')).join('*');
      const found = new Set<number>();
      for (let cursor = ''; cursor !== '0'; ) {
        const [next, keys] = await client.scan(cursor || 0, 'MATCH', pattern, 'COUNT', SCANNED);
        cursor = next;
        for (const key of keys) {
          const partition = key.slice(before.length, key.length - after.length);
          // The name of another group may have this group's name as prefix.
          if (/^\d+$/.test(partition)) {
            found.add(Number(partition));
          }
        }
      }
      return [...found].sort((a, b) => a - b);
    });
  }

  evictionPolicy(): Promise<string> {
    return this.#redis.told(async (client) => {
      const info = await client.info('memory');
      return /^maxmemory_policy:(\S+)/m.exec(info)?.[1] ?? 'unknown';
    });
  }

  async close(): Promise<void> {
    this.#redis.close();
  }

  #key(partition: number, name: string): string {
    return this.#redis.key(partition, name);
  }

  #segment(partition: number, name: string): string {
    return this.#key(partition, SEGMENT + name);
  }
}

/**
 * Parse a pointer. Before segments existed, it had the name and the number of chunks of a
 * checkpoint.
 */
function keptOf(text: string): Manifest {
  const manifest = text.indexOf('{');
  if (manifest >= 0) return manifestOf(text.slice(manifest));
  const [id, chunks] = text.split(' ');
  return { segments: Array.from({ length: Number(chunks) }, (_, n) => [`${id}:${n}`, 0]) };
}
