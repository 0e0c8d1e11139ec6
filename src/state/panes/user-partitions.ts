import type { BinaryReader } from '../binary/binary-reader.js';
import type { BinaryWriter } from '../binary/binary-writer.js';
import { depthOfKey } from '../ids/user-depths.js';
import { EVENT_KINDS, type EventKind, type PaneUsers } from './pane-users.js';

/** Maximum number of users for each kind of event of a partition. */
const MOST = 1024;
/**
 * If fewer users than this fraction of `MOST` are left for each kind of event, the sampling level
 * falls by one, which doubles the sample.
 */
const FEW = 1 / 8;

/** First and last pane in which a user was seen. */
export interface Seen {
  readonly first: number;
  last: number;
}

/**
 * Sample, by hash, of the users recently seen in a partition. All partitions sample the same users,
 * so that users who are in several can be found. At most 1,024 users for each kind of event, 40
 * bytes each.
 *
 * The sample depends only on the partition's log, not on restarts.
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
  /** Sampling level: least depth of users in the sample. */
  level = 0;
  /** The first pane in which any user was seen; Infinity if there is none. */
  since = Number.POSITIVE_INFINITY;
  readonly #panes: number;
  readonly #users = {
    exposures: new Map<number, Seen>(),
    interactions: new Map<number, Seen>(),
  };

  /** @param panes number of panes for which a user is kept */
  constructor(panes: number) {
    this.#panes = panes;
  }

  of(kind: EventKind): ReadonlyMap<number, Readonly<Seen>> {
    return this.#users[kind];
  }

  /** Add a pane newer than all others. */
  add(pane: number, users: PaneUsers): void {
    this.#dropThrough(pane - this.#panes);
    this.#raise(users.level);
    for (const kind of EVENT_KINDS) {
      const seen = this.#users[kind];
      if (users[kind].length > 0) {
        this.since = Math.min(this.since, pane);
      }
      for (const key of users[kind]) {
        if (depthOfKey(key) < this.level) continue;
        const known = seen.get(key);
        if (known === undefined) {
          seen.set(key, {
            first: pane,
            last: pane,
          });
        } else {
          known.last = pane;
        }
        while (seen.size > MOST) {
          this.#raise(this.level + 1);
        }
      }
    }
  }

  /** Drop users who were not seen after a pane; if few are left, enlarge the sample. */
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
    if (isFew) {
      this.level--;
    }
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

  /** Read a stored sample, before anything is added. */
  read(from: BinaryReader): void {
    this.level = from.number();
    this.since = from.number();
    for (const kind of EVENT_KINDS) {
      const keys = from.float64();
      const first = from.float64();
      const last = from.float64();
      keys.forEach((key, j) => {
        this.#users[kind].set(key, {
          first: first[j],
          last: last[j],
        });
      });
    }
  }

  #raise(level: number): void {
    if (level <= this.level) return;
    this.level = level;
    for (const kind of EVENT_KINDS) {
      for (const key of this.#users[kind].keys()) {
        if (depthOfKey(key) < level) {
          this.#users[kind].delete(key);
        }
      }
    }
  }
}

/** Numbers of sampled users, and of those seen in several partitions. */
export interface SpreadUsers {
  readonly users: number;
  readonly several: number;
}

/** Partitions in which users of the longest window were seen. */
export interface UserPartitions {
  /** Users with lists, by the partitions of their lists. */
  readonly exposures: SpreadUsers;
  /** Users with interactions, by the partitions of their interactions. */
  readonly interactions: SpreadUsers;
  /**
   * Users with both lists and interactions. `several` counts the users whose lists are all in one
   * partition and whose interactions are all in another.
   */
  readonly both: SpreadUsers;
  /**
   * Start of the pane in which users moved to other partitions together, for example after
   * partitions were added; event time, ms. Null if users did not move together.
   */
  readonly movedAt: number | null;
}

type SeenPart = Pick<SeenUsers, 'level' | 'since' | 'of'>;

/** A partition counts as added later if it begins at least this much later than another, ms. */
const LATER_MS = 600_000;

/**
 * Find sampled users who were seen in several partitions within the longest window.
 *
 *   share(kind) = #{u : u was seen in ≥ 2 partitions} / #{u}
 *
 * Only users whose depth is at least the highest sampling level of the partitions count. A user
 * belongs to one partition, so the share is 0 unless records have another key than the user, two
 * producers partition users differently, or partitions were added.
 *
 * Partitions count as added if they begin at least 10 minutes after others, and if all users in
 * several partitions moved then: none was seen in the old partition more than 10 minutes after the
 * new ones began, or in the new partition more than 10 minutes before.
 *
 * **Source**: a sample by hash that is the same wherever it is drawn; Gibbons, *Distinct sampling
 * for highly-accurate answers to distinct values queries and event reports*, VLDB 2001.
 *
 * @param tickMs length of a pane
 * @param since users not seen from this pane on do not count
 * @returns 0 of 0 users if nobody was seen
 * @example
 * const [a, b] = [new SeenUsers(60), new SeenUsers(60)];
 * const shown = { level: 0, interactions: Float64Array.of() };
 * a.add(1, { ...shown, exposures: Float64Array.of(12, 13) });
 * b.add(2, { ...shown, exposures: Float64Array.of(13) });
 * userPartitions([a, b], 60_000, 0).exposures; // { users: 2, several: 1 }
 */
export function userPartitions(
  partitions: readonly SeenPart[],
  tickMs: number,
  since: number,
): UserPartitions {
  const level = Math.max(0, ...partitions.map((partition) => partition.level));
  const least = level * 2 ** KEY_BITS;
  const seen = (kind: EventKind) => placesOf(partitions, kind, least, since);
  const exposures = seen('exposures');
  const interactions = seen('interactions');
  const both = apart(exposures, interactions);
  return {
    exposures: spreadOf(exposures),
    interactions: spreadOf(interactions),
    both: both.spread,
    movedAt: movedAt(partitions, [exposures, interactions, both.places], tickMs),
  };
}

/**
 * Number of low bits of a user's key that contain a hash; the depth is above them. See
 * `UserDepths.keyOf`.
 */
const KEY_BITS = 46;

interface Place extends Readonly<Seen> {
  readonly partition: number;
}

/** By user key: partitions in which the user was seen. */
type Places = ReadonlyMap<number, readonly Place[]>;

function placesOf(
  partitions: readonly SeenPart[],
  kind: EventKind,
  least: number,
  since: number,
): Places {
  const places = new Map<number, Place[]>();
  for (const [partition, part] of partitions.entries()) {
    for (const [key, { first, last }] of part.of(kind)) {
      if (key < least || last < since) continue;
      const own = places.get(key);
      const place = {
        partition,
        first,
        last,
      };
      if (own === undefined) {
        places.set(key, [place]);
      } else {
        own.push(place);
      }
    }
  }
  return places;
}

function spreadOf(places: Places): SpreadUsers {
  let several = 0;
  for (const own of places.values()) {
    if (own.length > 1) {
      several++;
    }
  }
  return {
    users: places.size,
    several,
  };
}

/** Find users whose lists are all in one partition and whose interactions are all in another. */
function apart(
  exposures: Places,
  interactions: Places,
): {
  spread: SpreadUsers;
  places: Places;
} {
  const places = new Map<number, readonly Place[]>();
  let users = 0;
  for (const [key, lists] of exposures) {
    const own = interactions.get(key);
    if (own === undefined) continue;
    users++;
    const [a] = lists;
    const [b] = own;
    if (lists.length > 1 || own.length > 1 || a.partition === b.partition) continue;
    places.set(key, [a, b]);
  }
  return {
    spread: {
      users,
      several: places.size,
    },
    places,
  };
}

function movedAt(
  partitions: readonly SeenPart[],
  kinds: readonly Places[],
  tickMs: number,
): number | null {
  const laterPanes = LATER_MS / tickMs;
  const begun = partitions.map(({ since }) => since).filter(Number.isFinite);
  const added = Math.max(...begun);
  if (begun.length < 2 || added - Math.min(...begun) < laterPanes) return null;
  for (const places of kinds) {
    for (const own of places.values()) {
      const inOrder = [...own].sort((a, b) => a.first - b.first);
      for (let n = 1; n < inOrder.length; n++) {
        const isBefore = inOrder[n - 1].last <= added + laterPanes;
        if (!isBefore || inOrder[n].first < added - laterPanes) return null;
      }
    }
  }
  return added * tickMs;
}
