import { createHash, randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CheckpointStore } from '../../stream/ports.js';

/** Description of a checkpoint: its segments, and where its table of pieces is. */
export interface Manifest {
  /** Segments by name and length in bytes, 0 if the length is not known. */
  readonly segments: readonly (readonly [name: string, bytes: number])[];
  /**
   * Where the table of pieces is: index of the table's segment, offset in that segment, number of
   * pieces, and total length of the pieces in bytes. Without a table, the checkpoint is all
   * segments in order.
   */
  readonly table?: readonly [segment: number, at: number, pieces: number, bytes: number];
}

/**
 * Change of a partition's stored manifests: `manifest` becomes the newest one. If `isAlone`, all
 * others are deleted. If also `manifest` is undefined, none remains.
 */
export interface Change {
  readonly manifest: Manifest | undefined;
  readonly isAlone: boolean;
  /** Names of segments that no manifest lists after the change. */
  readonly dropped: readonly string[];
}

/** Location of a piece of a checkpoint: name of its segment, offset and length in bytes. */
interface Place {
  readonly name: string;
  readonly at: number;
  readonly length: number;
}

/**
 * Bytes for program versions without segments, stored where such a version looks for a checkpoint.
 * They are a header with an unknown version, so that the program stops with a clear error. Without
 * these bytes it would find no checkpoint, or a damaged one.
 */
export const LATER: Uint8Array = Buffer.from('unskewcp\x04'.padEnd(64, '\0'));

/** Number of checkpoints kept per partition. */
export const KEPT = 2;
const SEGMENT_BYTES = 4 << 20;
/** If less than this share of a segment's bytes is still in use, its pieces are written again. */
const LEAST_SHARE = 1 / 3;
/** If a checkpoint uses more segments than this, the pieces of small segments are written again. */
const MOST_SEGMENTS = 128;
/**
 * Size of an entry of the table, bytes. An entry has a piece's segment, offset, length and hash.
 */
const ENTRY = 28;
const HASH_BYTES = 16;
/** Number of bytes hashed before other work of the event loop gets a turn. */
const HASHED_BYTES = 1 << 19;

/**
 * Stores checkpoints as pieces in immutable segments. Pieces with the same hash as a piece of the
 * previous checkpoint are not written again. New pieces are written as segments first. Then a
 * manifest that lists all segments of the checkpoint becomes the newest. A writer that stops before
 * this last step changes nothing. Segments that no manifest lists are deleted.
 *
 * A subclass stores bytes and manifests, and must reject writers with an older epoch.
 */
export abstract class SegmentedCheckpoints implements CheckpointStore {
  /**
   * For each partition: the newest manifest as JSON, and the locations of its checkpoint's pieces
   * by hash.
   */
  readonly #known = new Map<
    number,
    {
      manifest: string;
      places: ReadonlyMap<string, Place>;
    }
  >();

  abstract takeEpoch(partition: number): Promise<number>;
  abstract partitions(): Promise<readonly number[]>;
  abstract close(): Promise<void>;
  /** Whether a writer's epoch is still the newest of the partition. */
  protected abstract holds(partition: number, epoch: number): Promise<boolean>;
  /** Read the stored manifests of a partition, newest first. */
  protected abstract manifests(partition: number): Promise<readonly Manifest[]>;
  /**
   * Apply a change atomically. If a newer epoch was taken, nothing changes, and the result is
   * `fenced`.
   */
  protected abstract commit(
    partition: number,
    epoch: number,
    change: Change,
  ): Promise<'saved' | 'fenced'>;
  /** Write a segment under a new name. */
  protected abstract put(partition: number, name: string, bytes: Uint8Array): Promise<void>;
  /** Read a segment, or its bytes from `from` to before `to`; undefined if it does not exist. */
  protected abstract get(
    partition: number,
    name: string,
    from?: number,
    to?: number,
  ): Promise<Uint8Array | undefined>;
  /** Whether all of these segments exist. */
  protected abstract has(partition: number, names: readonly string[]): Promise<boolean>;
  protected abstract remove(partition: number, names: readonly string[]): Promise<void>;
  /**
   * List all segments of a partition. A store in which unlisted segments expire by themselves lacks
   * this method.
   */
  protected names?(partition: number): Promise<readonly string[]>;

  async *load(partition: number): AsyncIterable<Uint8Array> {
    for (const manifest of await this.manifests(partition)) {
      yield await this.#whole(partition, manifest);
    }
  }

  save(partition: number, epoch: number, pieces: readonly Uint8Array[]) {
    return this.#keep(partition, epoch, pieces, false);
  }

  /**
   * Store a checkpoint as the only one; if `pieces` is undefined, store none. All pieces are
   * written again, so that no bytes of earlier checkpoints remain.
   */
  replace(partition: number, epoch: number, pieces: readonly Uint8Array[] | undefined) {
    return this.#keep(partition, epoch, pieces, true);
  }

  async peek(partition: number, bytes: number): Promise<Uint8Array | undefined> {
    const [manifest] = await this.manifests(partition);
    if (manifest === undefined) return undefined;
    const parts: Uint8Array[] = [];
    let left = bytes;
    for (const { name, at, length } of await this.#pieces(partition, manifest)) {
      if (left === 0) break;
      const part = await this.get(partition, name, at, at + Math.min(left, length));
      // The segment is gone. If a newer checkpoint has replaced this one, read that.
      if (part === undefined) {
        return (await this.#isNewest(partition, manifest))
          ? undefined
          : this.peek(partition, bytes);
      }
      left -= part.length;
      parts.push(part);
    }
    return Buffer.concat(parts);
  }

  async isWhole(partition: number): Promise<boolean> {
    const [manifest] = await this.manifests(partition);
    return manifest !== undefined && this.has(partition, namesOf([manifest]));
  }

  async #isNewest(partition: number, manifest: Manifest): Promise<boolean> {
    const [newest] = await this.manifests(partition);
    return JSON.stringify(newest) === JSON.stringify(manifest);
  }

  async #keep(
    partition: number,
    epoch: number,
    pieces: readonly Uint8Array[] | undefined,
    isAlone: boolean,
  ): Promise<'saved' | 'fenced'> {
    if (!(await this.holds(partition, epoch))) return 'fenced';
    const before = await this.manifests(partition);
    const added: string[] = [];
    const first = isAlone ? undefined : before[0];
    const writing = pieces && this.#write(partition, epoch, pieces, first, added);
    // The storage may be full: do not leave segments of a failed write there.
    const written = await writing?.catch(async (error) => {
      await this.remove(partition, added);
      throw error;
    });
    const stay = isAlone ? [] : before.slice(0, KEPT - 1);
    const named = new Set(namesOf(written ? [written.manifest, ...stay] : stay));
    const dropped = namesOf(before).filter((name) => !named.has(name));
    const change = {
      manifest: written?.manifest,
      isAlone,
      dropped,
    };
    const outcome = await this.commit(partition, epoch, change);
    if (outcome === 'fenced') {
      await this.remove(partition, added);
    } else {
      const manifest = JSON.stringify(written?.manifest);
      this.#known.set(partition, {
        manifest,
        places: written?.places ?? new Map(),
      });
      await this.#sweep(partition, epoch);
    }
    return outcome;
  }

  /**
   * Remove segments that no manifest lists, also those of earlier writers. Segments of writers with
   * a newer epoch stay.
   */
  async #sweep(partition: number, epoch: number): Promise<void> {
    if (this.names === undefined) return;
    const named = new Set(namesOf(await this.manifests(partition)));
    const names = (await this.names(partition)).filter((name) => !named.has(name));
    await this.remove(
      partition,
      names.filter((name) => Number.parseInt(name, 10) <= epoch),
    );
  }

  /**
   * Write the pieces that the segments of the previous manifest do not contain, and the table.
   *
   * @param added receives the names of the segments written
   */
  async #write(
    partition: number,
    epoch: number,
    pieces: readonly Uint8Array[],
    before: Manifest | undefined,
    added: string[],
  ) {
    const hashes = await hashesOf(pieces);
    const places = await this.#usable(partition, before, hashes);
    const sizes = new Map(before?.segments);
    const segments = new Map<string, number>();
    const table = Buffer.alloc(pieces.length * ENTRY);
    let name = '';
    let fresh: Uint8Array[] = [];
    let size = 0;
    const put = async () => {
      added.push(name);
      await this.put(partition, name, Buffer.concat(fresh));
      sizes.set(name, size);
      name = '';
    };
    const append = (bytes: Uint8Array): Place => {
      if (name === '') {
        name = `${epoch}-${randomUUID()}`;
        fresh = [];
        size = 0;
      }
      fresh.push(bytes);
      size += bytes.length;
      return {
        name,
        at: size - bytes.length,
        length: bytes.length,
      };
    };
    const used = new Map<string, Place>();
    for (const [n, hash] of hashes.entries()) {
      const place = used.get(hash) ?? places.get(hash) ?? append(pieces[n]!);
      used.set(hash, place);
      if (!segments.has(place.name)) {
        segments.set(place.name, segments.size);
      }
      table.writeUInt32LE(segments.get(place.name)!, n * ENTRY);
      table.writeUInt32LE(place.at, n * ENTRY + 4);
      table.writeUInt32LE(place.length, n * ENTRY + 8);
      table.write(hash, n * ENTRY + 12, 'latin1');
      if (size >= SEGMENT_BYTES && name !== '') {
        await put();
      }
    }
    const { at, name: last } = append(table);
    await put();
    const names = [...segments.keys()];
    if (!segments.has(last)) {
      names.push(last);
    }
    const bytes = pieces.reduce((sum, { length }) => sum + length, 0);
    const manifest: Manifest = {
      segments: names.map((each) => [each, sizes.get(each)!]),
      table: [names.indexOf(last), at, pieces.length, bytes],
    };
    return {
      manifest,
      places: used,
    };
  }

  /**
   * Locations, by hash, of stored pieces that the new checkpoint can use, so that they are not
   * written again.
   */
  async #usable(
    partition: number,
    before: Manifest | undefined,
    hashes: readonly string[],
  ): Promise<ReadonlyMap<string, Place>> {
    const usable = new Map<string, Place>();
    if (before?.table === undefined) return usable;
    const places = await this.#placesOf(partition, before);
    const inUse = new Map<string, number>();
    for (const hash of new Set(hashes)) {
      const place = places.get(hash);
      if (place === undefined) continue;
      usable.set(hash, place);
      inUse.set(place.name, (inUse.get(place.name) ?? 0) + place.length);
    }
    if (!(await this.has(partition, [...inUse.keys()]))) return new Map();
    const sizes = new Map(before.segments);
    const areMany = inUse.size > MOST_SEGMENTS;
    for (const [hash, { name }] of usable) {
      const size = sizes.get(name)!;
      const isSmall = areMany && size < SEGMENT_BYTES / 4;
      if (isSmall || inUse.get(name)! < size * LEAST_SHARE) {
        usable.delete(hash);
      }
    }
    return usable;
  }

  async #placesOf(partition: number, manifest: Manifest): Promise<ReadonlyMap<string, Place>> {
    const known = this.#known.get(partition);
    if (known?.manifest === JSON.stringify(manifest)) return known.places;
    const pieces = await this.#pieces(partition, manifest);
    return new Map(pieces.map(({ hash, ...place }) => [hash, place]));
  }

  /**
   * Read a whole checkpoint. A missing or damaged segment gives wrong bytes, which is detected when
   * the checkpoint is opened.
   */
  async #whole(partition: number, manifest: Manifest): Promise<Uint8Array> {
    const pieces = await this.#pieces(partition, manifest);
    if (manifest.table === undefined) {
      const parts: Uint8Array[] = [];
      for (const { name } of pieces) {
        parts.push((await this.get(partition, name)) ?? NOTHING);
      }
      return Buffer.concat(parts);
    }
    const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
    for (const [name] of manifest.segments) {
      const segment = (await this.get(partition, name)) ?? NOTHING;
      for (const piece of pieces) {
        if (piece.name !== name) continue;
        bytes.set(segment.subarray(piece.at, piece.at + piece.length), piece.offset);
      }
    }
    return bytes;
  }

  /**
   * Locate the pieces of a checkpoint: those in the table, or whole segments if the manifest has no
   * table.
   */
  async #pieces(partition: number, { segments, table }: Manifest) {
    if (table === undefined) {
      const whole = {
        at: 0,
        length: Number.POSITIVE_INFINITY,
        offset: 0,
        hash: '',
      };
      return segments.map(([name]) => ({
        name,
        ...whole,
      }));
    }
    const [segment, at, count, bytes] = table;
    const found = await this.get(partition, segments[segment]![0], at, at + count * ENTRY);
    const entries = Buffer.from(found ?? NOTHING);
    let offset = 0;
    const pieces = Array.from({ length: entries.length / ENTRY }, (_, n) => {
      const [name] = segments[entries.readUInt32LE(n * ENTRY)] ?? [''];
      const length = entries.readUInt32LE(n * ENTRY + 8);
      const hash = entries.toString('latin1', n * ENTRY + 12, (n + 1) * ENTRY);
      offset += length;
      return {
        name,
        at: entries.readUInt32LE(n * ENTRY + 4),
        length,
        hash,
        offset: offset - length,
      };
    });
    return offset === bytes ? pieces : [];
  }
}

const NOTHING = new Uint8Array(0);

/**
 * Parse a manifest; text that is not a manifest gives an empty one, so the checkpoint counts as
 * damaged.
 */
export function manifestOf(text: string): Manifest {
  try {
    const { segments, table } = JSON.parse(text) as Partial<Manifest>;
    if (table === undefined || segments![table[0]]) {
      return {
        segments: [...segments!],
        ...(table && { table }),
      };
    }
  } catch {} // It is no JSON, or of another shape.
  return { segments: [] };
}

export function namesOf(manifests: readonly Manifest[]): string[] {
  return manifests.flatMap(({ segments }) => segments.map(([name]) => name));
}

async function hashesOf(pieces: readonly Uint8Array[]): Promise<string[]> {
  const hashes: string[] = [];
  let hashed = 0;
  for (const piece of pieces) {
    const digest = createHash('sha256').update(piece).digest();
    hashes.push(digest.toString('latin1', 0, HASH_BYTES));
    hashed += piece.length;
    if (hashed < HASHED_BYTES) continue;
    hashed = 0;
    await nextTurn();
  }
  return hashes;
}
