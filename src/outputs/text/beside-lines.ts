import type { InterventionSummary } from '../../estimators/results/intervention-summary.js';
import { decimal, percent, whole } from '../../rows/figures.js';
import type { WindowSnapshot } from '../../stream/snapshot.js';
import { printable } from './terminal.js';

/** What a window holds beside its estimates, a line or two for each thing; nothing for nothing. */
export function besideLines(window: WindowSnapshot): string[] {
  return [
    ...window.interventions.flatMap(interventionLines),
    ...drawnLines(window),
    ...controlLines(window),
    ...baselineLines(window),
  ];
}

function interventionLines(summary: InterventionSummary): string[] {
  const { estimator, rows, expected, ess, distance, margins } = summary;
  return [
    `${estimator}: ${whole(expected)} of ${whole(rows)} rows drawn, ESS of its ` +
      `weights ${whole(ess)}, sample ${decimal(distance, 2)} off its weights,`,
    `  users ${decimal(margins.user.before, 2)} → ${decimal(margins.user.sample, 2)} and items ` +
      `${decimal(margins.item.before, 2)} → ${decimal(margins.item.sample, 2)} off the target`,
  ];
}

/** The values themselves are many, and in the JSON. */
function drawnLines({ drawn }: WindowSnapshot): string[] {
  if (drawn.length === 0) return [];
  const names = [...new Set(drawn.map(({ estimator }) => estimator))].join(', ');
  const off = drawn.filter(({ stdDev }) => stdDev > 0).length;
  return [
    `${names}: ${whole(drawn[0]!.draws)} test sets drawn of each; mean and deviation of all ` +
      `${whole(drawn.length)} values, ${whole(off)} of which vary, with --json`,
  ];
}

const ACTIVITY = ['the least active', 'the middling active', 'the most active'] as const;

/** Where the weights fit the randomised traffic worst. */
function controlLines({ controlVariates }: WindowSnapshot): string[] {
  const known = controlVariates.filter(({ z }) => Number.isFinite(z));
  if (known.length === 0) return [];
  const worst = known.reduce((a, b) => (Math.abs(b.z) > Math.abs(a.z) ? b : a));
  const users = worst.userGroup === null ? 'all users' : `${ACTIVITY[worst.userGroup]} users`;
  return [
    `weights give the items of popularity decile ${worst.decile + 1} (of 10, ${users}) ` +
      `${percent(worst.weightShare, 1)} where randomised traffic has ` +
      `${percent(worst.randomizedShare, 1)} (z = ${decimal(worst.z, 1)}, the largest of ${known.length})`,
  ];
}

function baselineLines({ againstBaseline }: WindowSnapshot): string[] {
  const models = [...new Set(againstBaseline.map(({ model }) => model))];
  return models.map((model) => {
    const own = againstBaseline.filter((row) => row.model === model);
    const counts = [...new Set(own.map(({ estimator }) => estimator))].map((estimator) => {
      const rows = own.filter((row) => row.estimator === estimator);
      const better = rows.filter(({ difference }) => difference > 0).length;
      return `${estimator} ${better}/${rows.length}`;
    });
    return `${printable(model)} beats popularity in: ${counts.join(', ')}`;
  });
}
