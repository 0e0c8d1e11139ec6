import type { InteractionEvent } from '../../src/events/encode.js';
import { SetIds } from '../../src/export/hashed-ids.js';
import type { Strategy } from '../../src/export/set-plan.js';
import { decodedRows, drawnFrom, type PlainRow } from '../support/sets.js';
import { type Ranker, ranksOf, recallAt, splitRatings } from './carraro-protocol.js';
import { CARRARO_ESTIMATORS } from './carraro-table-2.js';
import { coatRatings } from './coat.js';

type Column = (typeof CARRARO_ESTIMATORS)[number];

/** Users × items, as the rows of a set say them; 0 where there is none. */
function matrixOf(rows: readonly PlainRow[], like: readonly (readonly number[])[]): number[][] {
  const matrix = like.map((row) => row.map(() => 0));
  for (const { user, item, value } of rows) matrix[Number(user)][Number(item)] = value;
  return matrix;
}

/** Ratings as interactions; their order and times say nothing. */
export function asEvents(
  ratings: readonly (readonly number[])[],
  randomized = false,
): InteractionEvent[] {
  return ratings.flatMap((row, user) =>
    row.flatMap((value, item): InteractionEvent[] =>
      value === 0
        ? []
        : [
            {
              type: 'interaction',
              id: `${randomized ? 'r' : 'o'}${user}/${item}`,
              ts: 0,
              user: String(user),
              item: String(item).padStart(3, '0'),
              value,
              randomized,
            },
          ],
    ),
  );
}

/**
 * Table 2 from exported sets: for each seed the set and its train part are drawn from Coat's biased
 * ratings, the targets of wtd from a share of the random ones, and the recall on the drawn rows is
 * compared with that on the rest of the random ones.
 *
 * @returns mean recall against the MAR part, and each mean's deviation from it in per cent
 */
export async function carraroSets(
  seeds: number,
): Promise<Record<Ranker, Record<Column | 'truth', number>>> {
  const biased = coatRatings('train');
  const random = coatRatings('test');
  const empty = () => ({ truth: 0, full: 0, reg: 0, skew: 0, wtd: 0, wtd_h: 0 });
  const sums: Record<Ranker, Record<Column | 'truth', number>> = {
    posPop: empty(),
    avgRating: empty(),
  };
  const ids = new SetIds();
  const observed = { rows: decodedRows(asEvents(biased), ids), isTrain: false };
  for (let seed = 0; seed < seeds; seed++) {
    const [targets, , truth] = splitRatings(random, [0.15, 0.15, 0.7], 2 * seed + 1);
    const batches = [observed, { rows: decodedRows(asEvents(targets, true), ids), isTrain: false }];
    let train: number[][] | undefined;
    let ranks: Record<Ranker, ReturnType<typeof ranksOf>> | undefined;
    for (const strategy of CARRARO_ESTIMATORS satisfies readonly Strategy[]) {
      const share = strategy === 'full' ? 1 : 0.5;
      const how = { strategy, seed, size: { share }, withTrain: train === undefined };
      const set = await drawnFrom(ids, batches, how);
      train ??= matrixOf(set.train, biased);
      ranks ??= { posPop: ranksOf('posPop', train), avgRating: ranksOf('avgRating', train) };
      const rows = matrixOf(set.rows, biased);
      for (const ranker of ['posPop', 'avgRating'] as const) {
        sums[ranker][strategy] += recallAt(ranks[ranker], train, rows);
      }
    }
    for (const ranker of ['posPop', 'avgRating'] as const) {
      sums[ranker].truth += recallAt(ranks![ranker], train!, truth);
    }
  }
  const deviations = (ranker: Ranker) => {
    const of = sums[ranker];
    const deviation = (column: Column) => 100 * (of[column] / of.truth - 1);
    return {
      truth: of.truth / seeds,
      full: deviation('full'),
      reg: deviation('reg'),
      skew: deviation('skew'),
      wtd: deviation('wtd'),
      wtd_h: deviation('wtd_h'),
    };
  };
  return { posPop: deviations('posPop'), avgRating: deviations('avgRating') };
}
