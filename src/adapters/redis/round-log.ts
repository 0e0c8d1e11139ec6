import { randomUUID } from 'node:crypto';
import { UnskewError } from '../../errors.js';
import type { RoundLog, RoundRecord, RoundsFound, RoundsGone } from '../../stream/ports.js';
import { bufferOf, RedisConnection, type RedisStoreOptions } from './connection.js';
import { APPEND_ROUND, TRIM_ROUNDS } from './round-scripts.js';

/** Of one answer: a record may be of a megabyte. */
const MAX_RECORDS = 32;
const LONGEST_BLOCK_MS = 1_000;

type Entry = readonly [Buffer, readonly Buffer[]];

/** Which stream, how many records it has had, and the name of the newest of these. */
interface Place {
  readonly generation: number;
  readonly count: number;
  /** Empty where it is not known. */
  readonly name: string;
}

const BEGINNING: Place = { generation: 0, count: 0, name: '' };

/**
 * The rounds in one stream of Redis. Its ids are `generation-count`: the server's time when the
 * stream began, and a number without gaps, so that records that are missing are noticed. Each entry
 * has a name drawn at random and says which one it was written after; so is noticed that a server
 * that took over lacks what was read, though it holds as many records by now.
 */
export class RedisRoundLog implements RoundLog {
  readonly #writer: RedisConnection;
  /** A read blocks its connection. */
  readonly #reader: RedisConnection;
  readonly #head: string;
  readonly #stream: string;
  #isClosed = false;

  constructor(options: RedisStoreOptions) {
    this.#writer = new RedisConnection(options);
    this.#reader = new RedisConnection(options);
    this.#head = this.#writer.key('rounds', 'head');
    this.#stream = this.#writer.key('rounds', 'log');
  }

  append(bytes: Uint8Array): Promise<void> {
    return this.#writer.told(async (client) => {
      const told = [randomUUID(), bufferOf(bytes)];
      await client.eval(APPEND_ROUND, 2, this.#head, this.#stream, ...told);
    });
  }

  async read(after: string | null, waitMs: number): Promise<RoundsFound | RoundsGone> {
    const place = after === null ? BEGINNING : placeOf(after);
    const deadline = Date.now() + waitMs;
    try {
      for (;;) {
        const leftMs = deadline - Date.now();
        const entries = await this.#entries(place, Math.min(leftMs, LONGEST_BLOCK_MS));
        if (entries.length > 0) return await this.#follow(place, entries);
        const gone = await this.#missing(place);
        if (gone !== undefined) return gone;
        if (leftMs <= 0 || this.#isClosed) return { kind: 'found', records: [] };
      }
    } catch (error) {
      // The wait is cut short by closing the connection.
      if (this.#isClosed) return { kind: 'found', records: [] };
      throw error;
    }
  }

  async trim(through: string): Promise<void> {
    const { generation, count } = placeOf(through);
    await this.#writer.told(async (client) => {
      await client.eval(TRIM_ROUNDS, 2, this.#head, this.#stream, generation, count);
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#reader.close();
    this.#writer.close();
  }

  #entries({ generation, count }: Place, blockMs: number): Promise<readonly Entry[]> {
    return this.#reader.told(async (client) => {
      // Zero would wait for ever.
      const atMost = Math.max(1, Math.ceil(blockMs));
      const after = `${generation}-${count}`;
      const streams = await client.xreadBuffer(
        ...(['COUNT', MAX_RECORDS, 'BLOCK', atMost, 'STREAMS', this.#stream, after] as const),
      );
      return (streams?.[0]?.[1] ?? []) as readonly Entry[];
    });
  }

  /** The records, if they go on from the place. */
  async #follow(place: Place, entries: readonly Entry[]): Promise<RoundsFound | RoundsGone> {
    const [first] = entries;
    const next = idOf(first!);
    const isSame = place === BEGINNING || next.generation === place.generation;
    if (isSame && next.count === place.count + 1) {
      const isAfter = place.name === '' || place.name === fieldOf(first!, 'after').toString();
      if (!isAfter) return this.#gone('lost');
      return { kind: 'found', records: entries.map(recordOf) };
    }
    return this.#gone(isSame ? 'trimmed' : 'lost');
  }

  /** What is missing where nothing comes after the place; undefined if it is the log's end. */
  async #missing(place: Place): Promise<RoundsGone | undefined> {
    const head = await this.#place();
    if (place === BEGINNING && head === undefined) return undefined;
    if (head === undefined) return { kind: 'gone', why: 'lost', from: positionOf(BEGINNING) };
    const isSame = place === BEGINNING || head.generation === place.generation;
    if (!isSame || head.count < place.count) return this.#gone('lost');
    if (head.count === place.count) {
      return place.name === '' || place.name === head.name ? undefined : this.#gone('lost');
    }
    // Written since it was looked at, or trimmed, or thrown away by a server that is full.
    const [first] = await this.#range();
    if (first === undefined) return this.#gone('trimmed');
    return idOf(first).count > place.count + 1 ? this.#gone('trimmed') : undefined;
  }

  async #gone(why: RoundsGone['why']): Promise<RoundsGone> {
    const [first] = await this.#range();
    if (first !== undefined) {
      const { generation, count } = idOf(first);
      const name = fieldOf(first, 'after').toString();
      return { kind: 'gone', why, from: positionOf({ generation, count: count - 1, name }) };
    }
    return { kind: 'gone', why, from: positionOf((await this.#place()) ?? BEGINNING) };
  }

  /** Of the newest record; undefined where either key is gone, of which each goes by itself. */
  #place(): Promise<Place | undefined> {
    return this.#reader.told(async (client) => {
      if ((await client.exists(this.#stream)) === 0) return undefined;
      const [generation, count, name] = await client.hmget(
        this.#head,
        ...['generation', 'count', 'name'],
      );
      if (generation == null) return undefined;
      return { generation: Number(generation), count: Number(count), name: name ?? '' };
    });
  }

  #range(): Promise<readonly Entry[]> {
    return this.#reader.told(async (client) => {
      return (await client.xrangeBuffer(this.#stream, '-', '+', 'COUNT', 1)) as readonly Entry[];
    });
  }
}

function recordOf(entry: Entry): RoundRecord {
  const name = fieldOf(entry, 'name').toString();
  return { position: positionOf({ ...idOf(entry), name }), bytes: fieldOf(entry, 'round') };
}

function idOf([id]: Entry): { generation: number; count: number } {
  const [generation, count] = id.toString().split('-');
  return { generation: Number(generation), count: Number(count) };
}

/** Names and values in turn. */
function fieldOf([id, fields]: Entry, name: string): Buffer {
  for (let n = 0; n < fields.length; n += 2) {
    if (fields[n]!.toString() === name) return fields[n + 1]!;
  }
  throw new UnskewError('STATE', `the log of rounds holds an entry of another kind at ${id}`);
}

function positionOf({ generation, count, name }: Place): string {
  return `${generation}-${count}:${name}`;
}

function placeOf(position: string): Place {
  const [, generation, count, name] = /^(\d+)-(\d+):(.*)$/.exec(position) ?? [];
  if (name === undefined) {
    throw new UnskewError('STATE', `"${position}" is no position in a log of rounds in Redis`);
  }
  return { generation: Number(generation), count: Number(count), name };
}
