import { NumberedSums, type Rounds } from '../../../estimators/partitions/rounds.js';
import { inSlices } from '../../../estimators/slices.js';
import type { NumberCodec } from '../../../state/binary/numbers.js';
import { REQUEST_CLUSTERS, type WindowRequests } from '../../../state/requests/pane-requests.js';
import type { RequestPart } from '../rewards-by-halves.js';

const SHAPE = 0x7573_6572;
/** Of 32 bits with a sign. */
const LEAST_HASH = -(2 ** 31);

/** Up to so many users, and sums by user and place (8 bytes each), a user is a cluster. */
const MOST_USERS = 2 ** 15;
const MOST_CELLS = 2 ** 17;

/** Requests of a partition's panes, and by pane the places of those that are asked for. */
interface LoggedPart {
  readonly panes: RequestPart;
  readonly kept: readonly Int32Array[];
}

/** To which cluster the users of a window's requests belong. */
export interface UserClusters {
  readonly clusters: number;
  /** By pane and request; of requests that were not asked for it says nothing. */
  readonly of: ReadonlyMap<WindowRequests, ArrayLike<number>>;
}

/** Groups of users by their hash, as arms have them. */
export function hashClusters(parts: readonly RequestPart[]): UserClusters {
  const panes = parts.flat();
  return { clusters: REQUEST_CLUSTERS, of: new Map(panes.map((pane) => [pane, pane.cluster])) };
}

/**
 * Each user by itself where there are few, else groups of them. Rewards of a logger are few and
 * weighed unequally: 64 groups say less about their spread than users do.
 *
 * Users are told apart by the 32-bit hash of their ids, and numbered in its order, so that sums round
 * alike whatever the order of the log. O(requests).
 *
 * @param parts requests by partition, kept ones all with logged propensities. @param places of the
 * longest list. @param rounds bring the users of all partitions together: one round.
 */
export function* userClusters(
  parts: readonly LoggedPart[],
  places: number,
  rounds: Rounds,
): Generator<void, UserClusters> {
  const most = Math.min(MOST_USERS, MOST_CELLS / Math.max(1, places));
  const found = yield* rounds.gather(new UserHashes(most), parts, function* look(own, part) {
    for (const [p, { userHash }] of part.panes.entries()) {
      const kept = part.kept[p];
      yield* inSlices(kept.length, (from, to) => {
        for (let n = from; n < to && !own.areTooMany; n++) own.add(userHash![kept[n]]);
      });
    }
  });
  if (found.areTooMany) return hashClusters(parts.map(({ panes }) => panes));
  const numbers = new Map(found.ascending().map((hash, n) => [hash, n]));
  const of = new Map<WindowRequests, Int32Array>();
  for (const part of parts) {
    for (const [p, pane] of part.panes.entries()) {
      const clusters = new Int32Array(pane.length);
      for (const q of part.kept[p]) clusters[q] = numbers.get(pane.userHash![q])!;
      of.set(pane, clusters);
      yield;
    }
  }
  return { clusters: numbers.size, of };
}

/** Hashes of users, if these are few. */
class UserHashes extends NumberedSums<UserHashes> {
  readonly #most: number;
  readonly #hashes = new Set<number>();

  constructor(most: number) {
    super(SHAPE);
    this.#most = most;
  }

  get areTooMany(): boolean {
    return this.#hashes.size > this.#most;
  }

  add(hash: number): void {
    this.#hashes.add(hash);
  }

  ascending(): number[] {
    return [...this.#hashes].sort((a, b) => a - b);
  }

  ofOthers(): UserHashes {
    return new UserHashes(this.#most);
  }

  /** What is beyond the limit need not all be known. */
  merge(others: UserHashes): void {
    for (const hash of others.#hashes) if (!this.areTooMany) this.add(hash);
  }

  pass(through: NumberCodec): void {
    const hashes = this.ascending();
    const size = through.number(hashes.length);
    // By what lies between them, which is less than they are.
    let before = LEAST_HASH;
    for (let n = 0; n < size; n++) {
      before += through.number(hashes[n] - before);
      this.add(before);
    }
  }
}
