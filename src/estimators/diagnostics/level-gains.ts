import { type ListGain, listGains, type Measure, rankGains } from '../../gains/metric-gain.js';
import {
  LIST_LENGTH_MASK,
  LIST_SAMPLED_FULL,
  NOT_IN_LIST,
  UNRANKED,
  type WindowPart,
} from '../../state/panes/window-part.js';
import type { EstimateOptions } from '../options.js';
import { ranksAllCandidates } from '../rows/complete-list.js';
import type { LevelGains } from './gamma-sensitivity.js';
import type { PopularityLevels } from './popularity-levels.js';

/** What a measure gives every model, by level of popularity. */
export interface MeasureLevels extends Measure {
  readonly models: readonly LevelGains[];
}

type Asked = Pick<EstimateOptions, 'metrics' | 'ks' | 'catalogueSize'>;

/** Positive rows whose items have a level: rows of a part, and the level of each. */
interface LevelRows {
  readonly row: Int32Array;
  readonly level: Int32Array;
  size: number;
}

/**
 * Rows and gains of every model by level of popularity, for each measure that rows add up to.
 *
 * C_mn = rows that m is evaluated on at level n, A_mn = Σλ over them: rows as for estimates, positive
 * with a list of m, where auc takes lists that rank all their candidates, and the others lists among
 * the catalogue. From them pooled snips follows at any γ. Source: Yang et al. 2018, eq. 10.
 *
 * Measures of whole sets have no such sums and are left out. O(rows × models), yielding between slices.
 *
 * @param parts disjoint users; the sums add over parts.
 * @param models names, in the order of the parts' `ranks`.
 */
export function* levelGains(
  parts: readonly WindowPart[],
  { ofItem, counts }: PopularityLevels,
  models: readonly string[],
  { metrics, ks, catalogueSize }: Asked,
  sliceRows: number,
): Generator<void, MeasureLevels[]> {
  const ranked = rankGains(metrics, ks);
  const complete = listGains(metrics);
  const size = counts.length;
  const byRank = models.map(() => new FamilySums(size, ranked.length));
  const byList = models.map(() => new FamilySums(complete.length > 0 ? size : 0, complete.length));
  const tables = ranked.map(({ table }) => table);
  const rows: LevelRows = {
    row: new Int32Array(sliceRows),
    level: new Int32Array(sliceRows),
    size: 0,
  };
  for (const part of parts) {
    for (let from = 0; from < part.rows; from += sliceRows) {
      takeRows(rows, part, ofItem, from, Math.min(part.rows, from + sliceRows));
      models.forEach((_, m) => {
        if (tables.length > 0) byRank[m].addRanked(rows, part.ranks[m], part.lists[m], tables);
        if (complete.length > 0) {
          byList[m].addComplete(rows, part.ranks[m], part.lists[m], complete, catalogueSize);
        }
      });
      yield;
    }
  }
  const of = (family: readonly FamilySums[], gain: number) =>
    models.map((model, m) => ({ model, rows: family[m].rows, gains: family[m].gains[gain] }));
  return [
    ...ranked.map(({ metric, k }, g) => ({ metric, k, models: of(byRank, g) })),
    ...complete.map(({ metric, k }, g) => ({ metric, k, models: of(byList, g) })),
  ];
}

function takeRows(
  to: LevelRows,
  { item, positive }: WindowPart,
  levelOf: Int32Array,
  first: number,
  end: number,
): void {
  let size = 0;
  for (let r = first; r < end; r++) {
    const level = levelOf[item[r]];
    to.row[size] = r;
    to.level[size] = level;
    size += level >= 0 ? positive[r] : 0;
  }
  to.size = size;
}

/** Rows of a slice that are ranked high enough for some measure. */
class SliceHits {
  level = new Int32Array(0);
  rank = new Uint16Array(0);

  reserve(rows: number): void {
    if (rows <= this.level.length) return;
    this.level = new Int32Array(rows);
    this.rank = new Uint16Array(rows);
  }
}

/** Sums of one model over the lists that a family of measures accepts. */
class FamilySums {
  readonly rows: Float64Array;
  readonly gains: readonly Float64Array[];
  private readonly hits = new SliceHits();

  constructor(levels: number, gains: number) {
    this.rows = new Float64Array(levels);
    this.gains = Array.from({ length: gains }, () => new Float64Array(levels));
  }

  addRanked(
    { row, level, size }: LevelRows,
    ranks: Uint16Array,
    lists: Uint16Array,
    tables: readonly Float64Array[],
  ): void {
    const limit = Math.max(...tables.map(({ length }) => length));
    const { rows, gains, hits } = this;
    hits.reserve(size);
    const { level: levels, rank: found } = hits;
    let ranked = 0;
    for (let i = 0; i < size; i++) {
      const rank = ranks[row[i]];
      if (rank === UNRANKED || (lists[row[i]] & LIST_SAMPLED_FULL) === LIST_SAMPLED_FULL) continue;
      rows[level[i]]++;
      // No branch: which rows are ranked high enough is anyone's guess.
      levels[ranked] = level[i];
      found[ranked] = rank;
      ranked += (rank - limit) >>> 31;
    }
    tables.forEach((table, g) => {
      const own = gains[g];
      for (let h = 0; h < ranked; h++) {
        if (found[h] < table.length) own[levels[h]] += table[found[h]];
      }
    });
  }

  addComplete(
    { row, level, size }: LevelRows,
    ranks: Uint16Array,
    lists: Uint16Array,
    metrics: readonly ListGain[],
    catalogueSize: number,
  ): void {
    const { rows, gains } = this;
    for (let i = 0; i < size; i++) {
      const rank = ranks[row[i]];
      const list = lists[row[i]];
      if (rank === UNRANKED || !ranksAllCandidates(list, catalogueSize)) continue;
      rows[level[i]]++;
      if (rank === NOT_IN_LIST) continue;
      metrics.forEach(({ of }, g) => {
        gains[g][level[i]] += of.gain(rank, list & LIST_LENGTH_MASK);
      });
    }
  }
}
