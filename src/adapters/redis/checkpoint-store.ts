import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { UnskewError } from '../../errors.js';
import type { CheckpointStore } from '../../stream/ports.js';
import { type RedisConnectionOptions, redisConnection, redisPlace } from './connection.js';
import { COMMIT, HOLDS_EPOCH, TAKE_EPOCH } from './scripts.js';

export interface RedisStoreOptions extends RedisConnectionOptions {
  /** Tells the checkpoints of one consumer group from those of others. */
  readonly namespace: string;
}

/** Chunks that no pointer names go by themselves: those of a writer that died or was refused. */
const ORPHAN_SECONDS = 3_600;
const CHUNK = 'chunk:';

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
  readonly #redis: Redis;
  readonly #namespace: string;
  readonly #where: string;

  constructor({ namespace, ...connection }: RedisStoreOptions) {
    this.#namespace = namespace;
    this.#where = redisPlace(connection.url);
    this.#redis = redisConnection(connection);
  }

  takeEpoch(partition: number): Promise<number> {
    return this.#told(async () =>
      Number(await this.#redis.eval(TAKE_EPOCH, 1, this.#key(partition, 'epoch'))),
    );
  }

  async *load(partition: number): AsyncIterable<Uint8Array> {
    const fields = ['newest', 'previous'] as const;
    const found = await this.#told(() =>
      this.#redis.hmget(this.#key(partition, 'pointer'), ...fields),
    );
    for (const text of found) {
      if (text !== null) yield await this.#chunks(partition, pointerOf(text));
    }
  }

  save(partition: number, epoch: number, chunks: readonly Uint8Array[]) {
    return this.#told(async () => {
      const epochKey = this.#key(partition, 'epoch');
      const holds = await this.#redis.eval(HOLDS_EPOCH, 1, epochKey, epoch);
      if (holds !== 1) return 'fenced';
      const pointer: Pointer = { id: `${epoch}-${randomUUID()}`, chunks: chunks.length };
      const keys = this.#chunkKeys(partition, pointer);
      for (const [n, key] of keys.entries()) {
        await this.#redis.set(key, bufferOf(chunks[n]!), 'EX', ORPHAN_SECONDS);
      }
      const outcome = await this.#redis.eval(
        COMMIT,
        2 + keys.length,
        epochKey,
        this.#key(partition, 'pointer'),
        ...keys,
        epoch,
        textOf(pointer),
        this.#key(partition, CHUNK),
      );
      if (outcome === 0) return this.#discard(keys);
      if (outcome === -1) throw new Error('chunks were lost before they were all written');
      return 'saved';
    });
  }

  async close(): Promise<void> {
    this.#redis.disconnect();
  }

  async #discard(keys: readonly string[]): Promise<'fenced'> {
    await this.#redis.unlink(...keys);
    return 'fenced';
  }

  /** A chunk that is gone makes the checkpoint too short, which whoever opens it finds. */
  async #chunks(partition: number, pointer: Pointer): Promise<Uint8Array> {
    const parts: Buffer[] = [];
    for (const key of this.#chunkKeys(partition, pointer)) {
      const part = await this.#told(() => this.#redis.getBuffer(key));
      if (part !== null) parts.push(part);
    }
    return Buffer.concat(parts);
  }

  async #told<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (cause) {
      if (cause instanceof UnskewError) throw cause;
      throw new UnskewError('STATE', `${this.#where}: ${reasonOf(cause)}`, { cause });
    }
  }

  #key(partition: number, name: string): string {
    return `unskew:{${this.#namespace}/${partition}}:${name}`;
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

/** The same bytes as the client's type, not a copy. */
function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

function reasonOf(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause);
  if (/max retries|Connection is closed|ECONNREFUSED/i.test(message)) return 'no connection';
  if (/timed out/i.test(message)) return 'no answer';
  return message.split('\n', 1)[0] ?? message;
}
