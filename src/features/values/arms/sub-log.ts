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
export function subLog(log: DividedLog, of: SubLog): DividedLog {
  const { columns = [...log.models.keys()], without } = of;
  const kept = [...log.arms.keys()].filter((a) => a !== without);
  const arms = kept.map((a): Arm => ({ ...log.arms[a], list: columns.indexOf(log.arms[a].list) }));
  const rest = (shares: ArrayLike<number>, at: number) => {
    const left = without === undefined ? 1 : 1 - shares[at + without];
    return kept.map((a) => shares[at + a] / left);
  };
  const design = {
    ...{ models: columns.map((column) => log.models[column]), arms, clusters: log.clusters },
    shares: log.shares.map((own) => rest(own, 0)),
  };
  const placeOf = Int32Array.from(log.arms, (_, a) => kept.indexOf(a));
  const parts = log.parts.map((part) => ({
    ...partOf(part, of, columns, placeOf, rest),
    ...design,
  }));
  return { ...log, ...design, parts };
}

function partOf(
  part: ServedLog,
  { keeps }: SubLog,
  columns: readonly number[],
  placeOf: Int32Array,
  rest: (shares: ArrayLike<number>, at: number) => number[],
): Pick<ServedLog, 'requests' | 'items'> {
  const { requests, items, arms } = part;
  const places = new Int32Array(requests.length).fill(-1);
  const taken: number[] = [];
  for (let q = 0; q < requests.length; q++) if (keeps(part, q)) places[q] = taken.push(q) - 1;
  const rows: number[] = [];
  for (let row = 0; row < items.length; row++) if (places[items.request[row]] >= 0) rows.push(row);
  const own = <T extends ArrayLike<number> | undefined>(column: T) =>
    column && Int32Array.from(taken, (q) => column[q]);
  const { share } = requests;
  return {
    requests: {
      ...{ length: taken.length, cluster: own(requests.cluster)! },
      ...{ arm: Int32Array.from(taken, (q) => placeOf[requests.arm[q]]) },
      stratum: own(requests.stratum)!,
      ...(share && {
        share: Float64Array.from(taken.flatMap((q) => rest(share, q * arms.length))),
      }),
      ...Object.fromEntries(
        (['user', 'isListed', 'candidates', 'drawnStart', 'drawnEnd'] as const).flatMap((name) =>
          requests[name] === undefined ? [] : [[name, own(requests[name])]],
        ),
      ),
    },
    items: {
      length: rows.length,
      request: Int32Array.from(rows, (row) => places[items.request[row]]),
      reward: Float64Array.from(rows, (row) => items.reward[row]),
      ranks: columns.map((column) => Uint16Array.from(rows, (row) => items.ranks[column][row])),
      ...(items.predicted && {
        predicted: Float64Array.from(rows, (row) => items.predicted![row]),
      }),
    },
  };
}
