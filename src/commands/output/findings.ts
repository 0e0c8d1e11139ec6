import type { InterventionSummary } from '../../estimators/results/intervention-summary.js';
import type { Refusal } from '../../estimators/results/refusal.js';
import type { ScaleName } from '../../estimators/results/scale-report.js';
import type { WindowSnapshot } from '../../stream/snapshot.js';
import { decimal, percent, printable, whole } from './format.js';

const AGGREGATION_WORDS = { user: 'as a mean over users', pooled: 'over all events' } as const;

/** What a window says beside its estimates, a line or two for each thing; nothing for nothing. */
export function findingLines(window: WindowSnapshot): string[] {
  return [
    ...refusalLines(window),
    ...scaleLines(window),
    ...window.interventions.flatMap(interventionLines),
    ...drawnLines(window),
    ...randomizedLines(window),
    ...controlLines(window),
    ...baselineLines(window),
    ...agreementLines(window),
  ];
}

/** One line for what is refused for one reason. */
function refusalLines({ refusals }: WindowSnapshot): string[] {
  const keyOf = ({ reason, aggregation }: Refusal) => `${aggregation} ${reason}`;
  return [...new Set(refusals.map(keyOf))].map((key) => {
    const alike = refusals.filter((refusal) => keyOf(refusal) === key);
    const { aggregation, reason } = alike[0]!;
    const form = aggregation === undefined ? '' : `, ${AGGREGATION_WORDS[aggregation]},`;
    const metrics = [...new Set(alike.flatMap(({ metric }) => metric ?? []))].join(', ');
    const estimators = [...new Set(alike.map(({ estimator }) => estimator))];
    const subject = `${estimators.join(', ')}${metrics === '' ? '' : ` on ${metrics}`}${form}`;
    const verb = estimators.length === 1 ? 'is left out: it' : 'are left out: each';
    return `${subject} ${verb} ${reason}`;
  });
}

const SCALE_WORDS: Readonly<Record<ScaleName, string>> = {
  logged: 'the propensities that the events carry',
  randomized: 'randomised traffic',
  reach: 'how many users each item was shown to',
  relative: 'popularity relative to the most popular item: its level means nothing',
};

/** What ips rests on, and why on nothing better. */
function scaleLines({ absoluteScale }: WindowSnapshot): string[] {
  if (absoluteScale === null) return [];
  const { scale, passedOver } = absoluteScale;
  return [
    `ips has its propensities from ${SCALE_WORDS[scale]} (${scale})`,
    ...passedOver.map(({ scale: better, reason }) => `  not ${better}: ${reason}`),
  ];
}

function interventionLines(summary: InterventionSummary): string[] {
  const { estimator, rows, expected, ess, distance, margins, raking } = summary;
  const lines = [
    `${estimator}: ${whole(Math.round(expected))} of ${whole(rows)} rows drawn, ESS of its ` +
      `weights ${whole(Math.round(ess))}, sample ${decimal(distance, 2)} off its weights,`,
    `  users ${decimal(margins.user.before, 2)} → ${decimal(margins.user.sample, 2)} and items ` +
      `${decimal(margins.item.before, 2)} → ${decimal(margins.item.sample, 2)} off the target`,
  ];
  if (raking?.isDamped) {
    const parts = raking.components > 1 ? ` (${whole(raking.components)} unconnected parts)` : '';
    lines.push(`  no weights make both margins uniform here${parts}: these are a compromise`);
  }
  return lines;
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

function randomizedLines({ randomized, exponentTest: test }: WindowSnapshot): string[] {
  if (randomized.positives === 0) return [];
  const lines = [
    `randomised traffic: ${whole(randomized.positives)} positive pairs, ` +
      `${whole(randomized.users)} users, ${percent(randomized.withoutPositive)} of them without one`,
  ];
  if (test !== null && Number.isFinite(test.stdErr)) {
    lines.push(
      `  it asks for β = ${decimal(test.beta, 2)} ± ${decimal(test.stdErr, 2)}, ` +
        `${decimal(test.deviation, 1)} standard errors from the ${decimal(test.used, 2)} in use`,
    );
  }
  return lines;
}

const ACTIVITY = ['the least active', 'the middling active', 'the most active'] as const;

/** Where the weights fit the randomised traffic worst. */
function controlLines({ controlVariates }: WindowSnapshot): string[] {
  const known = controlVariates.filter(({ z }) => Number.isFinite(z));
  if (known.length === 0) return [];
  const worst = known.reduce((a, b) => (Math.abs(b.z) > Math.abs(a.z) ? b : a));
  const users = worst.userGroup === null ? 'all users' : `${ACTIVITY[worst.userGroup]} users`;
  return [
    `  weights give the items of popularity decile ${worst.decile + 1} (of 10, ${users}) ` +
      `${percent(worst.weightShare)} where randomised traffic has ` +
      `${percent(worst.randomizedShare)} (z = ${decimal(worst.z, 1)}, the largest of ${known.length})`,
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

/** Where correction turns the order of models round. */
function agreementLines({ agreements }: WindowSnapshot): string[] {
  const turned = agreements.filter(({ flips }) => flips.length > 0);
  if (turned.length === 0) return [];
  const worst = turned.reduce((a, b) => (b.tau < a.tau ? b : a));
  const { metric, k, aggregation, estimators, tau } = worst;
  const name = k === null ? metric : `${metric}@${k}`;
  const place = `${name}, ${aggregation === 'user' ? 'mean over users' : 'over all events'}`;
  return [
    `estimators disagree on the order of models in ${turned.length} of ${agreements.length} cases;`,
    `  most: ${estimators.join(' and ')} on ${place} (τ = ${decimal(tau, 2)})`,
  ];
}
