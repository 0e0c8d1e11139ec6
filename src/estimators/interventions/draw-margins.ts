import type { NumberCodec } from '../../state/binary/numbers.js';
import type { ItemTotals, WindowPart } from '../../state/panes/window-part.js';
import { addColumn, passItems } from '../partitions/item-sums.js';
import { gatherUnread } from '../partitions/one-for-all.js';
import { type ItemNames, NumberedSums, type Rounds } from '../partitions/rounds.js';
import { interventionOf } from '../rules/registry.js';
import { inclusionProbability } from './expected-inclusion.js';
import type { Chances } from './intervened.js';
import type { PreparedIntervention, PreparedInterventions } from './interventions.js';

const SHAPE = 0x6d61_7267;

/** What the margins of one intervention come to. */
interface InterventionMargins {
  /** Σ_u |share_u − target_u|: of rows, weights and chances. */
  readonly users: Float64Array;
  /** Σ max(0, π / Σπ − w / Σw) over rows. */
  excess: number;
  /** Σ w and Σ π by item; null where they follow from the item alone. */
  readonly items: readonly [Float64Array, Float64Array] | null;
}

/** Margins of several interventions over some users. */
class MarginSums extends NumberedSums<MarginSums> {
  readonly margins: readonly InterventionMargins[];
  /** Rows by item. */
  readonly rows: Float64Array;
  readonly #columns: readonly Float64Array[];
  readonly #items: number;
  readonly #names: ItemNames | undefined;

  /**
   * @param haveColumns by intervention, whether weights differ from user to user. @param names needed
   * for bytes alone.
   */
  constructor(haveColumns: readonly boolean[], items: number, names: ItemNames | undefined) {
    super(SHAPE + 64 * haveColumns.length + 2 * haveColumns.filter(Boolean).length);
    this.margins = haveColumns.map((hasColumns) => ({
      users: new Float64Array(3),
      excess: 0,
      items: hasColumns ? [new Float64Array(items), new Float64Array(items)] : null,
    }));
    this.rows = new Float64Array(items);
    this.#columns = [this.rows, ...this.margins.flatMap((own) => own.items ?? [])];
    this.#items = items;
    this.#names = names;
  }

  ofOthers(): MarginSums {
    const haveColumns = this.margins.map(({ items }) => items !== null);
    return new MarginSums(haveColumns, this.#items, this.#names);
  }

  merge(others: MarginSums): void {
    this.margins.forEach((own, n) => {
      const other = others.margins[n];
      addColumn(own.users, other.users);
      own.excess += other.excess;
    });
    this.#columns.forEach((own, c) => {
      addColumn(own, others.#columns[c]);
    });
  }

  pass(through: NumberCodec): void {
    for (const own of this.margins) {
      through.numbers(own.users);
      own.excess = through.number(own.excess);
    }
    passItems(through, this.#columns, this.#names, 'all', [this.rows]);
  }
}

/** Rows, Σ w and Σ π of all users or items. */
export interface MarginTotals {
  readonly before: number;
  readonly weights: number;
  readonly sample: number;
}

/** What one look at every row gives of a draw, beside each row's chance. */
export interface DrawMargins {
  /** Σ_u |share_u − target_u|: of rows, weights and chances. */
  readonly users: Float64Array;
  /** Σ max(0, π / Σπ − w / Σw) over rows; 0 where weights follow from the item alone. */
  readonly excess: number;
  /** By item. */
  readonly items: {
    readonly before: Float64Array;
    readonly weights: Float64Array;
    readonly sample: Float64Array;
  };
  readonly totals: MarginTotals;
}

/** What the margins of an intervention are measured against. */
interface Aim {
  readonly own: PreparedIntervention;
  readonly totals: MarginTotals;
  readonly isTargeted: boolean;
  /** Users with a row; where shares are aimed at, interactions from randomised traffic. */
  readonly aimed: number;
}

/**
 * The chance of every row of a window, π = 1 − e^(−w τ), with its sums by user and by item.
 *
 * The chances stay for the pass that weighs: an exponential costs more than the rest of a row's
 * work. O(rows), yielding between slices.
 *
 * @param rounds bring the sums of all partitions together: one round for all interventions.
 * @returns by intervention: chances, and what gives the margins where somebody has to know them.
 */
export function* drawMargins(
  { prepared, rows }: PreparedInterventions,
  parts: readonly WindowPart[],
  { items }: ItemTotals,
  sliceRows: number,
  rounds: Rounds,
): Generator<
  void,
  { readonly chances: readonly Chances[]; readonly margins: () => readonly DrawMargins[] }
> {
  const haveColumns = prepared.map(({ itemChance }) => itemChance === null);
  const none = new MarginSums(haveColumns, items, rounds.names);
  const aims = prepared.map((own): Aim => {
    const { weights } = interventionOf(own.name);
    const isTargeted = weights !== 'raked' && weights.isTargeted === true;
    const totals = { before: rows.rows, weights: own.weight, sample: own.summary.expected };
    return { own, totals, isTargeted, aimed: isTargeted ? rows.randomized : rows.withRows };
  });
  const byRow = prepared.map(() => new Map<WindowPart, Float64Array>());
  const read = yield* gatherUnread(
    none,
    parts,
    function* add(sums, part) {
      for (let r = 0; r < part.rows; r++) sums.rows[part.item[r]]++;
      for (const [n, aim] of aims.entries()) {
        const chances = haveColumns[n] ? new Float64Array(part.rows) : null;
        if (chances !== null) byRow[n].set(part, chances);
        for (let from = 0; from < part.users; ) {
          const to = sliceEnd(part, from, sliceRows);
          addUsers(part, from, to, aim, sums.margins[n], chances);
          from = to;
          yield;
        }
      }
    },
    rounds,
  );
  const marginsOf = ({ margins, rows: before }: MarginSums) =>
    prepared.map(({ itemChance, sides }, n): DrawMargins => {
      const { users, excess, items: columns } = margins[n];
      const [weights, sample] = columns ?? [
        before.map((own, i) => own * sides.itemSide[i]),
        before.map((own, i) => own * itemChance![i]),
      ];
      return { users, excess, items: { before, weights, sample }, totals: aims[n].totals };
    });
  return {
    chances: prepared.map(({ itemChance }, n) => itemChance ?? byRow[n]),
    margins: () => marginsOf(read()),
  };
}

/** End of the users who have about `rows` rows from `from` on. */
function sliceEnd({ userStart, users }: WindowPart, from: number, rows: number): number {
  let to = from + 1;
  while (to < users && userStart[to + 1] - userStart[from] <= rows) to++;
  return to;
}

function addUsers(
  part: WindowPart,
  from: number,
  to: number,
  { own, totals, isTargeted, aimed }: Aim,
  margins: InterventionMargins,
  chances: Float64Array | null,
): void {
  const { userStart, item, userRandomized } = part;
  const { sides, time, itemChance } = own;
  const { itemSide } = sides;
  const userSide = sides.userSides?.get(part);
  const [weights, sample] = margins.items ?? [];
  for (let s = from; s < to; s++) {
    const side = userSide?.[s] ?? 1;
    let weightSum = 0;
    let chanceSum = 0;
    for (let r = userStart[s]; r < userStart[s + 1]; r++) {
      const i = item[r];
      const weight = side * itemSide[i];
      const chance = itemChance === null ? inclusionProbability(weight, time) : itemChance[i];
      weightSum += weight;
      chanceSum += chance;
      if (chances === null) continue;
      chances[r] = chance;
      weights![i] += weight;
      sample![i] += chance;
      margins.excess += Math.max(0, chance / totals.sample - weight / totals.weights);
    }
    const rows = userStart[s + 1] - userStart[s];
    const target = (isTargeted ? userRandomized[s] : Math.min(1, rows)) / aimed;
    margins.users[0] += Math.abs(rows / totals.before - target);
    margins.users[1] += Math.abs(weightSum / totals.weights - target);
    margins.users[2] += Math.abs(chanceSum / totals.sample - target);
  }
}
