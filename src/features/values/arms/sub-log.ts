import { inSlices } from '../../../estimators/slices.js';
import type { Arm, DividedLog, ServedLog } from './served-log.js';

/** Which requests of a log, and what of them. */
export interface SubLog {
  readonly keeps: (part: ServedLog, q: number) => boolean;
  /** Columns of lists that stay, ascending; all if left out. */
  readonly columns?: readonly number[];
  /** An arm that nobody could be served: the others’ shares are divided by what is left of all. */
  readonly without?: number;
}

/** The log of some requests, as one of its own. O(rows · columns). */
export function* subLog(log: DividedLog, of: SubLog): Generator<void, DividedLog> {
  const { columns = [...log.models.keys()], without } = of;
  const kept = [...log.arms.keys()].filter((a) => a !== without);
  const arms = kept.map((a): Arm => ({ ...log.arms[a], list: columns.indexOf(log.arms[a].list) }));
  const rest = (shares: ArrayLike<number>, at: number) => {
    const left = without === undefined ? 1 : 1 - shares[at + without];
    return kept.map((a) => shares[at + a] / left);
  };
  const design = {
    models: columns.map((column) => log.models[column]),
    arms,
    clusters: log.clusters,
    shares: log.shares.map((own) => rest(own, 0)),
  };
  const placeOf = Int32Array.from(log.arms, (_, a) => kept.indexOf(a));
  const parts: ServedLog[] = [];
  for (const part of log.parts) {
    parts.push({ ...(yield* partOf(part, of, columns, placeOf, rest)), ...design });
  }
  return { ...log, ...design, parts };
}

function* partOf(
  part: ServedLog,
  { keeps }: SubLog,
  columns: readonly number[],
  placeOf: Int32Array,
  rest: (shares: ArrayLike<number>, at: number) => number[],
): Generator<void, Pick<ServedLog, 'requests' | 'items'>> {
  const { requests, items, arms } = part;
  const places = new Int32Array(requests.length).fill(-1);
  const taken = new Int32Array(requests.length);
  const rows = new Int32Array(items.length);
  let length = 0;
  let ofItems = 0;
  yield* inSlices(requests.length, (from, to) => {
    for (let q = from; q < to; q++) {
      if (!keeps(part, q)) continue;
      taken[length] = q;
      places[q] = length++;
    }
  });
  yield* inSlices(items.length, (from, to) => {
    for (let row = from; row < to; row++) {
      if (places[items.request[row]] >= 0) rows[ofItems++] = row;
    }
  });
  /** The entries of a column that stay. */
  function* own<Into extends Int32Array | Float64Array | Uint16Array>(
    into: Into,
    of: Int32Array,
    column: ArrayLike<number>,
  ): Generator<void, Into> {
    yield* inSlices(into.length, (from, to) => {
      for (let n = from; n < to; n++) into[n] = column[of[n]];
    });
    return into;
  }
  const integers = (column: ArrayLike<number>) => own(new Int32Array(length), taken, column);
  const arm = yield* integers(requests.arm);
  const { share } = requests;
  const shares = share && new Float64Array(length * rest(share, 0).length);
  yield* inSlices(share === undefined ? 0 : length, (from, to) => {
    for (let n = from; n < to; n++) {
      const left = rest(share!, taken[n] * arms.length);
      shares!.set(left, n * left.length);
    }
  });
  const others: Partial<Record<(typeof OTHER_COLUMNS)[number], Int32Array>> = {};
  for (const name of OTHER_COLUMNS) {
    const column = requests[name];
    if (column !== undefined) others[name] = yield* integers(column);
  }
  const request = yield* own(new Int32Array(ofItems), rows, items.request);
  const ranks: Uint16Array[] = [];
  for (const column of columns) {
    ranks.push(yield* own(new Uint16Array(ofItems), rows, items.ranks[column]));
  }
  const { predicted } = items;
  return {
    requests: {
      length,
      arm: yield* own(arm, arm, placeOf),
      ...others,
      cluster: yield* integers(requests.cluster),
      stratum: yield* integers(requests.stratum),
      ...(shares && { share: shares }),
    },
    items: {
      length: ofItems,
      request: yield* own(request, request, places),
      ranks,
      reward: yield* own(new Float64Array(ofItems), rows, items.reward),
      ...(predicted && { predicted: yield* own(new Float64Array(ofItems), rows, predicted) }),
    },
  };
}

const OTHER_COLUMNS = ['user', 'isListed', 'candidates', 'drawnStart', 'drawnEnd'] as const;
