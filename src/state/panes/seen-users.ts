import type { BinaryReader } from '../binary/binary-reader.js';
import type { BinaryWriter } from '../binary/binary-writer.js';
import { depthOfKey } from '../ids/user-depths.js';
import { EVENT_KINDS, type EventKind, type PaneUsers } from './pane-users.js';

/** Users of each kind of event that are kept of a partition. */
const MOST = 1024;
/** With fewer than this share of them the sample takes in twice as many users. */
const FEW = 1 / 8;

/** The panes in which a user was seen. */
export interface Seen {
  readonly first: number;
  last: number;
}

/**
 * The users of a partition who were seen lately, as far as they are in a sample by hash: the same
 * users in every partition, so that one can tell who was seen in several. At most 1,024 for each
 * kind of event, 40 bytes each.
 *
 * It is a function of the panes that had events, so of the partition's log.
 *
 * @example
 * const seen = new SeenUsers(2);
 * const nobody = Float64Array.of();
 * seen.add(7, { level: 0, exposures: Float64Array.of(12), interactions: nobody });
 * seen.of('exposures').get(12); // { first: 7, last: 7 }
 * seen.add(9, { level: 0, exposures: nobody, interactions: nobody });
 * seen.of('exposures').size; // 0
 */
export class SeenUsers {
  /** Users who lie less deep are not in it. */
  level = 0;
  /** The pane that anybody was seen in first, ever; Infinity before it. */
  since = Number.POSITIVE_INFINITY;
  readonly #panes: number;
  readonly #users = { exposures: new Map<number, Seen>(), interactions: new Map<number, Seen>() };

  /** @param panes how many of them a user is kept for */
  constructor(panes: number) {
    this.#panes = panes;
  }

  of(kind: EventKind): ReadonlyMap<number, Readonly<Seen>> {
    return this.#users[kind];
  }

  /** Takes in a pane that is newer than all before it. */
  add(pane: number, users: PaneUsers): void {
    this.#dropThrough(pane - this.#panes);
    this.#raise(users.level);
    for (const kind of EVENT_KINDS) {
      const seen = this.#users[kind];
      if (users[kind].length > 0) this.since = Math.min(this.since, pane);
      for (const key of users[kind]) {
        if (depthOfKey(key) < this.level) continue;
        const known = seen.get(key);
        if (known === undefined) seen.set(key, { first: pane, last: pane });
        else known.last = pane;
        while (seen.size > MOST) this.#raise(this.level + 1);
      }
    }
  }

  /** Forgets the users who were not seen after a pane; if few are left, more are taken in. */
  #dropThrough(pane: number): void {
    let dropped = 0;
    for (const kind of EVENT_KINDS) {
      for (const [key, { last }] of this.#users[kind]) {
        if (last > pane) continue;
        this.#users[kind].delete(key);
        dropped++;
      }
    }
    if (dropped === 0 || this.level === 0) return;
    const isFew = EVENT_KINDS.every((kind) => this.#users[kind].size < FEW * MOST);
    if (isFew) this.level--;
  }

  write(to: BinaryWriter): void {
    to.number(this.level);
    to.number(this.since);
    for (const kind of EVENT_KINDS) {
      const seen = [...this.#users[kind]];
      to.column(Float64Array.from(seen, ([key]) => key));
      to.column(Float64Array.from(seen, ([, { first }]) => first));
      to.column(Float64Array.from(seen, ([, { last }]) => last));
    }
  }

  /** Takes back what was written; to be called before anything is added. */
  read(from: BinaryReader): void {
    this.level = from.number();
    this.since = from.number();
    for (const kind of EVENT_KINDS) {
      const [keys, first, last] = [from.float64(), from.float64(), from.float64()];
      keys.forEach((key, j) => {
        this.#users[kind].set(key, { first: first[j], last: last[j] });
      });
    }
  }

  #raise(level: number): void {
    if (level <= this.level) return;
    this.level = level;
    for (const kind of EVENT_KINDS) {
      for (const key of this.#users[kind].keys()) {
        if (depthOfKey(key) < level) this.#users[kind].delete(key);
      }
    }
  }
}
