import type { Arm, ServedLog } from './served-log.js';

/** Selection of requests and columns of a log. */
export interface SubLog {
  readonly keeps: (q: number) => boolean;
  /** Columns of lists to keep, ascending. */
  readonly columns: readonly number[];
  /** Arm to exclude; the shares of the other arms are divided by their sum. */
  readonly without?: number;
}

/** Extract the log of some requests. O(rows · columns). */
export function subLog(
  { requests, items, ...design }: ServedLog,
  { keeps, columns, without }: SubLog,
): ServedLog {
  const places = new Int32Array(requests.length).fill(-1);
  const taken = new Int32Array(requests.length);
  const rows = new Int32Array(items.length);
  let length = 0;
  let ofItems = 0;
  for (let q = 0; q < requests.length; q++) {
    if (!keeps(q)) continue;
    taken[length] = q;
    places[q] = length++;
  }
  for (let row = 0; row < items.length; row++) {
    if (places[items.request[row]] >= 0) {
      rows[ofItems++] = row;
    }
  }
  const integers = (column: ArrayLike<number>) => taking(new Int32Array(length), taken, column);
  const doubles = (column: ArrayLike<number>) => taking(new Float64Array(ofItems), rows, column);
  const arms = [...design.arms.keys()].filter((a) => a !== without);
  const rest = (shares: ArrayLike<number>, at: number) => {
    const left = without === undefined ? 1 : 1 - shares[at + without];
    return arms.map((a) => shares[at + a] / left);
  };
  const { share } = requests;
  const shares = share && new Float64Array(length * arms.length);
  for (let n = 0; share !== undefined && n < length; n++) {
    shares!.set(rest(share, taken[n] * design.arms.length), n * arms.length);
  }
  const others: Partial<Record<(typeof OTHER_COLUMNS)[number], Int32Array>> = {};
  for (const name of OTHER_COLUMNS) {
    const column = requests[name];
    if (column !== undefined) {
      others[name] = integers(column);
    }
  }
  const ranks = columns.map((column) =>
    taking(new Uint16Array(ofItems), rows, items.ranks[column]),
  );
  const arm = integers(requests.arm);
  const request = taking(new Int32Array(ofItems), rows, items.request);
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
      cluster: integers(requests.cluster),
      stratum: integers(requests.stratum),
      ...(shares && { share: shares }),
    },
    items: {
      length: ofItems,
      request: request.map((q) => places[q]),
      ranks,
      reward: doubles(items.reward),
      ...(predicted && { predicted: doubles(predicted) }),
    },
  };
}

const OTHER_COLUMNS = ['user', 'isListed', 'candidates', 'drawnStart', 'drawnEnd'] as const;

/** Copy the selected entries of a column to another. */
function taking<Into extends Int32Array | Float64Array | Uint16Array>(
  into: Into,
  entries: Int32Array,
  column: ArrayLike<number>,
): Into {
  for (let n = 0; n < into.length; n++) {
    into[n] = column[entries[n]];
  }
  return into;
}
