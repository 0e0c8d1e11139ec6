import { randomUUID } from 'node:crypto';
import type { CheckpointStore } from '../../stream/ports.js';
import { bufferOf, RedisConnection, type RedisStoreOptions } from './connection.js';
import { COMMIT, HOLDS_EPOCH, KEEP_NEWEST, TAKE_EPOCH } from './scripts.js';

/** Chunks that no pointer names go by themselves: those of a writer that died or was refused. */
const ORPHAN_SECONDS = 3_600;
const CHUNK = 'chunk:';
/** Keys that a server looks at in one step, so that it keeps nobody waiting. */
const SCANNED = 1_000;

/** What the pointer says: which chunks make up a checkpoint. */
interface Pointer {
  readonly id: string;
  readonly chunks: number;
}

/**
 * Checkpoints in Redis. Chunks are written under a name of their own; then one script compares the
 * epoch, makes the pointer name them, and moves the one before to second place. A writer of an
 * older epoch so changes nothing that is kept. Of a cluster one slot holds all keys of a partition.
 */
export class RedisCheckpointStore implements CheckpointStore {
  readonly #redis: RedisConnection;

  constructor(options: RedisStoreOptions) {
    this.#redis = new RedisConnection(options);
  }

  takeEpoch(partition: number): Promise<number> {
    return this.#redis.told(async (client) =>
      Number(await client.eval(TAKE_EPOCH, 1, this.#key(partition, 'epoch'))),
    );
  }

  async *load(partition: number): AsyncIterable<Uint8Array> {
    const fields = ['newest', 'previous'] as const;
    const found = await this.#redis.told((client) =>
      client.hmget(this.#key(partition, 'pointer'), ...fields),
    );
    for (const text of found) {
      if (text !== null) yield await this.#chunks(partition, pointerOf(text));
    }
  }

  save(partition: number, epoch: number, chunks: readonly Uint8Array[]) {
    return this.#redis.told(async (client) => {
      const epochKey = this.#key(partition, 'epoch');
      const holds = await client.eval(HOLDS_EPOCH, 1, epochKey, epoch);
      if (holds !== 1) return 'fenced';
      const pointer: Pointer = { id: `${epoch}-${randomUUID()}`, chunks: chunks.length };
      const keys = this.#chunkKeys(partition, pointer);
      for (const [n, key] of keys.entries()) {
        await client.set(key, bufferOf(chunks[n]!), 'EX', ORPHAN_SECONDS);
      }
      const outcome = await client.eval(
        COMMIT,
        2 + keys.length,
        epochKey,
        this.#key(partition, 'pointer'),
        ...keys,
        epoch,
        textOf(pointer),
        this.#key(partition, CHUNK),
      );
      if (outcome === 0) {
        await client.unlink(...keys);
        return 'fenced';
      }
      if (outcome === -1) throw new Error('chunks were lost before they were all written');
      return 'saved';
    });
  }

  replace(
    partition: number,
    epoch: number,
    chunks: readonly Uint8Array[] | undefined,
  ): Promise<'saved' | 'fenced'> {
    return this.#redis.told(async (client) => {
      if (chunks !== undefined && (await this.save(partition, epoch, chunks)) === 'fenced') {
        return 'fenced';
      }
      const keys = ['epoch', 'pointer', 'progress', 'panes', 'concluded'].map((name) =>
        this.#key(partition, name),
      );
      const isKept = chunks === undefined ? 0 : 1;
      const prefix = this.#key(partition, CHUNK);
      const outcome = await client.eval(KEEP_NEWEST, keys.length, ...keys, epoch, isKept, prefix);
      return outcome === 1 ? 'saved' : 'fenced';
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
          // Another group's name may begin like this one's.
          if (/^\d+$/.test(partition)) found.add(Number(partition));
        }
      }
      return [...found].sort((a, b) => a - b);
    });
  }

  peek(partition: number, bytes: number): Promise<Uint8Array | undefined> {
    return this.#redis.told(async (client) => {
      const newest = await client.hget(this.#key(partition, 'pointer'), 'newest');
      if (newest === null) return undefined;
      const parts: Buffer[] = [];
      let length = 0;
      for (const key of this.#chunkKeys(partition, pointerOf(newest))) {
        if (length >= bytes) break;
        const part = await client.getrangeBuffer(key, 0, bytes - length - 1);
        length += part.length;
        parts.push(part);
      }
      return Buffer.concat(parts);
    });
  }

  isWhole(partition: number): Promise<boolean> {
    return this.#redis.told(async (client) => {
      const newest = await client.hget(this.#key(partition, 'pointer'), 'newest');
      if (newest === null) return false;
      const keys = this.#chunkKeys(partition, pointerOf(newest));
      return (await client.exists(...keys)) === keys.length;
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

  /** A chunk that is gone makes the checkpoint too short, which opening it finds. */
  async #chunks(partition: number, pointer: Pointer): Promise<Uint8Array> {
    const parts: Buffer[] = [];
    for (const key of this.#chunkKeys(partition, pointer)) {
      const part = await this.#redis.told((client) => client.getBuffer(key));
      if (part !== null) parts.push(part);
    }
    return Buffer.concat(parts);
  }

  #key(partition: number, name: string): string {
    return this.#redis.key(partition, name);
  }

  #chunkKeys(partition: number, { id, chunks }: Pointer): string[] {
    return Array.from({ length: chunks }, (_, n) => this.#key(partition, `${CHUNK}${id}:${n}`));
  }
}

function textOf({ id, chunks }: Pointer): string {
  return `${id} ${chunks}`;
}

function pointerOf(text: string): Pointer {
  const [id = '', chunks] = text.split(' ');
  return { id, chunks: Number(chunks) };
}
