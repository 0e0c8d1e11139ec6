import { inSlices } from '../../../estimators/slices.js';
import type { Arm, ServedLog } from './served-log.js';

/** Which requests of a log, and what of them. */
export interface SubLog {
  readonly keeps: (q: number) => boolean;
  /** Columns of lists that stay, ascending. */
  readonly columns: readonly number[];
  /** An arm that nobody could be served: the others’ shares are divided by what is left of all. */
  readonly without?: number;
}

/** The log of some requests, as one of its own. O(rows · columns). */
export function* subLog(
  { requests, items, ...design }: ServedLog,
  { keeps, columns, without }: SubLog,
): Generator<void, ServedLog> {
  const places = new Int32Array(requests.length).fill(-1);
  const taken = new Int32Array(requests.length);
  const rows = new Int32Array(items.length);
  let length = 0;
  let ofItems = 0;
  yield* inSlices(requests.length, (from, to) => {
    for (let q = from; q < to; q++) {
      if (!keeps(q)) continue;
      taken[length] = q;
      places[q] = length++;
    }
  });
  yield* inSlices(items.length, (from, to) => {
    for (let row = from; row < to; row++) {
      if (places[items.request[row]] >= 0) {
        rows[ofItems++] = row;
      }
    }
  });
  const integers = (column: ArrayLike<number>) => taking(new Int32Array(length), taken, column);
  const doubles = (column: ArrayLike<number>) => taking(new Float64Array(ofItems), rows, column);
  const arms = [...design.arms.keys()].filter((a) => a !== without);
  const rest = (shares: ArrayLike<number>, at: number) => {
    const left = without === undefined ? 1 : 1 - shares[at + without];
    return arms.map((a) => shares[at + a] / left);
  };
  const { share } = requests;
  const shares = share && new Float64Array(length * arms.length);
  yield* inSlices(share === undefined ? 0 : length, (from, to) => {
    for (let n = from; n < to; n++) {
      shares!.set(rest(share!, taken[n] * design.arms.length), n * arms.length);
    }
  });
  const others: Partial<Record<(typeof OTHER_COLUMNS)[number], Int32Array>> = {};
  for (const name of OTHER_COLUMNS) {
    const column = requests[name];
    if (column !== undefined) {
      others[name] = yield* integers(column);
    }
  }
  const ranks: Uint16Array[] = [];
  for (const column of columns) {
    ranks.push(yield* taking(new Uint16Array(ofItems), rows, items.ranks[column]));
  }
  const arm = yield* integers(requests.arm);
  const request = yield* taking(new Int32Array(ofItems), rows, items.request);
  const { predicted } = items;
  return {
    models: columns.map((column) => design.models[column]),
    arms: arms.map((a): Arm => {
      const own = design.arms[a];
      return {
        ...own,
        list: columns.indexOf(own.list),
      };
    }),
    clusters: design.clusters,
    shares: design.shares.map((own) => rest(own, 0)),
    requests: {
      length,
      arm: arm.map((a) => arms.indexOf(a)),
      ...others,
      cluster: yield* integers(requests.cluster),
      stratum: yield* integers(requests.stratum),
      ...(shares && { share: shares }),
    },
    items: {
      length: ofItems,
      request: request.map((q) => places[q]),
      ranks,
      reward: yield* doubles(items.reward),
      ...(predicted && { predicted: yield* doubles(predicted) }),
    },
  };
}

const OTHER_COLUMNS = ['user', 'isListed', 'candidates', 'drawnStart', 'drawnEnd'] as const;

/** Puts the entries of a column that stay into another. */
function* taking<Into extends Int32Array | Float64Array | Uint16Array>(
  into: Into,
  entries: Int32Array,
  column: ArrayLike<number>,
): Generator<void, Into> {
  yield* inSlices(into.length, (from, to) => {
    for (let n = from; n < to; n++) {
      into[n] = column[entries[n]];
    }
  });
  return into;
}
