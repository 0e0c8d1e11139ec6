import type { LevelReading } from '../../drift/reading.js';
import { type EstimatorName, UNCORRECTED } from '../../estimators/names.js';
import type { DriftOptions } from '../../stream/drift/drift-options.js';
import { tooFewUsers, weightOf } from '../../stream/drift/reading-weights.js';
import type { Snapshot, WindowSnapshot } from '../../stream/snapshot.js';
import type { RatingRow } from './rating-report.js';

/**
 * Each model's metric of ratings, and how far those who choose to rate flatter it: under the names
 * that estimates have, since no other metric has the same. γ has no part in them.
 */
export function ratingReadings(
  { baseline }: Snapshot,
  { ratings }: WindowSnapshot,
  { ratings: watched, estimators, standardisation }: DriftOptions,
): LevelReading[] {
  if (watched === undefined || ratings === undefined) return [];
  const { metric, k } = watched;
  const label = k === null ? metric : `${metric}@${k}`;
  const weight = weightOf(standardisation);
  const isWatched = (row: RatingRow) =>
    row.metric === metric &&
    row.k === k &&
    row.form === 'pooled' &&
    row.model !== baseline &&
    (estimators as readonly EstimatorName[]).includes(row.estimator);
  const rows = ratings.estimates.filter(
    (row) => isWatched(row) && Number.isFinite(row.value) && weight(row) > 0,
  );
  return rows.flatMap((row): LevelReading[] => {
    const { model, estimator, value } = row;
    const reading = (kind: string, of: number): LevelReading => ({
      ...{ kind: 'level', series: `${kind}/${estimator}/${label}/${model}`, model, value: of },
      ...{ weight: weight(row), reason: tooFewUsers(row), dependsOnVolume: false },
    });
    const plain = rows.find((own) => own.model === model && own.estimator === UNCORRECTED);
    const hasGap = plain !== undefined && plain !== row;
    return [reading('estimate', value), ...(hasGap ? [reading('gap', plain.value - value)] : [])];
  });
}
