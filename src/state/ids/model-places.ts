import { hashBytes } from '../../events/hash.js';
import type { BinaryReader } from '../binary/binary-reader.js';
import type { BinaryWriter } from '../binary/binary-writer.js';
import type { EventDictionaries, EventPlaces } from './dictionaries.js';
import {
  type HeardModel,
  type HeardModels,
  NONE_UNPLACED,
  readHeard,
  readUnplaced,
  type Unplaced,
  writeHeard,
  writeUnplaced,
} from './heard-models.js';
import type { Interner } from './interner.js';

/** Maximum number of tracked models, since a list's header has 13 bits for its model. */
const MOST = 8191;

/**
 * Numbers of the tracked models. Arrays of state by model are indexed by these numbers, so they
 * must stay few, while events may contain any number of names.
 */
export class ModelNumbers {
  readonly #names: Interner;
  readonly #models: Interner;
  #bytes = new Uint8Array(64);

  /** @param names of all models in events. @param models names of the tracked models. */
  constructor(names: Interner, models: Interner) {
    this.#names = names;
    this.#models = models;
  }

  /** Number of a tracked model, by its name in events; −1 if it has none. */
  find(name: number): number {
    const length = this.#read(name);
    return this.#models.find(this.#bytes, 0, length, hashBytes(this.#bytes, 0, length));
  }

  /**
   * Number of a model, by its name in events. A model without a number gets a new one; −1 if the
   * maximum is reached.
   */
  take(name: number): number {
    if (this.#models.known >= MOST) return this.find(name);
    const length = this.#read(name);
    return this.#models.take(this.#bytes, 0, length, hashBytes(this.#bytes, 0, length));
  }

  /** Compare names in code-point order. */
  compareNames(a: number, b: number): number {
    return this.#names.compare(a, b);
  }

  compareModels(a: number, b: number): number {
    return this.#models.compare(a, b);
  }

  nameOf(name: number): string {
    return this.#names.text(name);
  }

  #read(name: number): number {
    const length = this.#names.byteLengthOf(name);
    if (length > this.#bytes.length) {
      this.#bytes = new Uint8Array(2 * length);
    }
    return this.#names.copyTo(name, this.#bytes, 0);
  }
}

/** Limits on the models that a partition tracks. */
export interface PlaceLimits {
  /** Maximum number of evaluated models. */
  readonly most: number;
  /** A model without a list for more panes than this can be replaced by another. */
  readonly quietPanes: number;
}

/**
 * What `settle` decides: which models are tracked, and which lists of the closing pane are dropped.
 */
interface Placed {
  /** Model numbers by name; models that are not tracked are missing. */
  readonly numbers: ReadonlyMap<number, number>;
  readonly unplaced: Unplaced;
  /** Numbers of models that are not tracked any more. */
  readonly gone: readonly number[];
}

/** Maximum number of tracked models, as a multiple of the evaluated models. */
const ROOM = 2;
/**
 * Maximum number of tracked models when a model that had lists in an earlier pane is admitted, as a
 * multiple of the evaluated models.
 */
const ROOM_FOR_KNOWN = 3;
/** Maximum number of remembered names of models that are not tracked. */
const MOST_REMEMBERED = 1024;
/** Maximum number of names that are reported. */
const MOST_TOLD = 5;

/**
 * The models for which a partition keeps lists, ranks and counts. They depend on the partition's
 * panes alone.
 *
 * A model with lists is tracked while there is room. There is room for more models than are
 * evaluated, so that a model that is not evaluated yet already has its full history when it
 * replaces another. If there is no room, the model whose newest list is oldest is dropped, provided
 * that this list is more than `quietPanes` ago; no window then contains the model. Names that occur
 * in one pane only, such as request ids sent as models by mistake, can use only the first part of
 * the room. The rest is for models that had lists in an earlier pane. Among models that are new in
 * the same pane, those with more lists come first.
 */
export class ModelPlaces {
  readonly #limits: PlaceLimits;
  readonly #numbers: ModelNumbers;
  #heard = new Map<number, HeardModel>();
  /** Names of models that are not tracked, with the pane of their first list; oldest first. */
  readonly #remembered = new Map<number, number>();

  /** Lists of untracked models in the newest pane with events. */
  #newest:
    | {
        readonly pane: number;
        readonly unplaced: Unplaced;
      }
    | undefined;

  constructor(limits: PlaceLimits, numbers: ModelNumbers) {
    this.#limits = limits;
    this.#numbers = numbers;
  }

  get heard(): HeardModels {
    return this.#heard;
  }

  /**
   * Determine the tracked models from this pane on.
   *
   * @param named number of lists of the pane by model name, without late ones.
   */
  settle(pane: number, named: ReadonlyMap<number, number>): Placed {
    const numbers = new Map<number, number>();
    const fresh: number[] = [];
    for (const name of named.keys()) {
      const number = this.find(name);
      if (number < 0) {
        fresh.push(name);
        continue;
      }
      numbers.set(name, number);
      const { first, last } = this.#heard.get(number)!;
      this.#heard.set(number, {
        first,
        last: Math.max(last, pane),
      });
    }
    fresh.sort((a, b) => named.get(b)! - named.get(a)! || this.#numbers.compareNames(a, b));
    const gone: number[] = [];
    const without: number[] = [];
    for (const name of fresh) {
      const number = this.#admit(name, pane, gone);
      if (number < 0) {
        without.push(name);
      } else {
        numbers.set(name, number);
      }
    }
    this.#remember(without, pane);
    const lists = without.reduce((sum, name) => sum + named.get(name)!, 0);
    const names = without.slice(0, MOST_TOLD).map((name) => this.#numbers.nameOf(name));
    const unplaced = {
      lists,
      models: without.length,
      names,
    };
    this.#newest = { pane, unplaced };
    return {
      numbers,
      gone,
      unplaced,
    };
  }

  unplacedIn(pane: number): Unplaced {
    return this.#newest?.pane === pane ? this.#newest.unplaced : NONE_UNPLACED;
  }

  /** Number of the model with this name; −1 if it is not tracked. */
  find(name: number): number {
    const number = this.#numbers.find(name);
    return this.#heard.has(number) ? number : -1;
  }

  *write(to: BinaryWriter, { models, names }: EventDictionaries): Generator<void, void> {
    writeHeard(to, this.#heard, models);
    yield* names.write(to, Int32Array.from(this.#remembered.keys()));
    to.column(Float64Array.from(this.#remembered.values()));
    to.number(this.#newest?.pane ?? Number.NEGATIVE_INFINITY);
    writeUnplaced(to, this.#newest?.unplaced ?? NONE_UNPLACED);
  }

  read(from: BinaryReader, { models, names }: EventPlaces): void {
    this.#heard = readHeard(from, models);
    const remembered = names.column(from);
    const firsts = from.float64();
    for (let n = 0; n < firsts.length; n++) {
      this.#remembered.set(remembered[n], firsts[n]);
    }
    this.#newest = {
      pane: from.number(),
      unplaced: readUnplaced(from),
    };
  }

  /**
   * Restore from a state that has the models with lists but not the panes of these lists. The
   * models' first and newest lists then count as lists of this pane.
   */
  begin(models: Iterable<number>, pane: number): void {
    for (const model of models) {
      this.#heard.set(model, {
        first: pane,
        last: pane,
      });
    }
  }

  /** Track a model of another process; @returns its number */
  hear(name: number, heard: HeardModel): number {
    const number = this.#numbers.take(name);
    if (number >= 0) {
      this.#heard.set(number, heard);
    }
    return number;
  }

  /**
   * Adopt the tracked models that another process determined for a pane.
   *
   * @returns numbers of models that are not tracked any more
   */
  become(pane: number, heard: HeardModels, unplaced: Unplaced): number[] {
    const gone = [...this.#heard.keys()].filter((model) => !heard.has(model));
    this.#heard = new Map(heard);
    this.#newest = { pane, unplaced };
    return gone;
  }

  /** Set the flags of the remembered names. */
  markNames(flags: Uint8Array): void {
    for (const name of this.#remembered.keys()) {
      flags[name] = 1;
    }
  }

  /** Track a model if there is room. @returns its number, −1 if there is none. */
  #admit(name: number, pane: number, gone: number[]): number {
    const before = this.#remembered.get(name);
    const room = this.#limits.most * (before === undefined ? ROOM : ROOM_FOR_KNOWN);
    if (this.#heard.size >= room) {
      this.#makeWay(pane, gone);
    }
    if (this.#heard.size >= room) return -1;
    const number = this.#numbers.take(name);
    if (number < 0) return -1;
    this.#heard.set(number, {
      first: before ?? pane,
      last: pane,
    });
    this.#remembered.delete(name);
    return number;
  }

  /** Drop the model whose newest list is oldest, if this list is more than `quietPanes` ago. */
  #makeWay(pane: number, gone: number[]): void {
    let oldest: readonly [number, HeardModel] | undefined;
    for (const entry of this.#heard) {
      const later = oldest === undefined ? -1 : entry[1].last - oldest[1].last;
      if (later > 0) continue;
      if (later === 0 && this.#numbers.compareModels(entry[0], oldest![0]) > 0) continue;
      oldest = entry;
    }
    if (oldest === undefined || oldest[1].last >= pane - this.#limits.quietPanes) return;
    this.#heard.delete(oldest[0]);
    gone.push(oldest[0]);
  }

  #remember(names: readonly number[], pane: number): void {
    for (const [name, first] of this.#remembered) {
      if (first >= pane - this.#limits.quietPanes) break;
      this.#remembered.delete(name);
    }
    // Models with the most lists are added last, so that they are forgotten last.
    for (const name of names.slice(0, MOST_REMEMBERED).reverse()) {
      if (!this.#remembered.has(name)) {
        this.#remembered.set(name, pane);
      }
    }
    for (const name of this.#remembered.keys()) {
      if (this.#remembered.size <= MOST_REMEMBERED) break;
      this.#remembered.delete(name);
    }
  }
}
