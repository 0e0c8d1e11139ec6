import type { Estimate, ModelSummary } from '../../estimators/results/estimate.js';
import type { Snapshot, WindowSnapshot } from '../../stream/snapshot.js';
import { decimal, listed, percent, whole } from '../figures.js';
import { html, named } from '../markup.js';
import { caution, type Finding, note } from './finding.js';

/** Below so many effective users an estimate decides nothing. */
export const FEW_USERS = 30;
const NOTABLE_SHARE = 0.05;
const LARGE_SHARE = 0.5;
const LARGE_WEIGHT = 0.1;

/** How much the estimates rest on: users with one event, effective sizes, weights. */
export function sampleFindings(window: WindowSnapshot): Finding[] {
  return [
    ...singletons(window.models),
    ...smallSamples(window.results),
    ...heavyWeights(window),
    ...shortSamples(window),
  ];
}

/** Where a limit was given and passed. */
export function userSampleFindings({ sampling: { ratio } }: Snapshot): Finding[] {
  if (ratio === 1) return [];
  return [
    note(
      html`The estimates are of 1 user in ${whole(1 / ratio)}, drawn by hash, because a limit was given and passed. Their intervals allow for it; popularity and γ are of all events.`,
    ),
  ];
}

function singletons(models: readonly ModelSummary[]): Finding[] {
  const shares = new Map<string, ModelSummary[]>();
  for (const model of models) {
    if (!(model.singletonUserRatio >= NOTABLE_SHARE)) continue;
    const share = percent(model.singletonUserRatio);
    shares.set(share, [...(shares.get(share) ?? []), model]);
  }
  return [...shares].map(([share, group]) => {
    const names = listed(group.map(({ model }) => named(model)));
    const isLarge = group[0].singletonUserRatio >= LARGE_SHARE;
    const text = html`Per-user snips and gs equal naive for ${share} of the users of ${names}, because they have one event.${
      isLarge ? ' Read the estimates over all events instead.' : null
    }`;
    return isLarge ? caution(text) : note(text);
  });
}

function smallSamples(results: readonly Estimate[]): Finding[] {
  const least = new Map<string, { ess: number; estimators: Set<string> }>();
  for (const { model, estimator, ess } of results) {
    if (!(ess < FEW_USERS)) continue;
    const own = least.get(model) ?? { ess, estimators: new Set() };
    least.set(model, {
      ess: Math.min(own.ess, ess),
      estimators: own.estimators.add(estimator),
    });
  }
  return [...least].map(([model, { ess, estimators }]) =>
    caution(
      html`${listed([...estimators])} for ${named(model)} ${estimators.size === 1 ? 'rests' : 'rest'} on few effective users (down to ${decimal(ess, 1)}). Below ${FEW_USERS} effective users nothing should be decided on an estimate.`,
    ),
  );
}

function heavyWeights({ effectiveSampleSizes }: WindowSnapshot): Finding[] {
  return effectiveSampleSizes
    .filter(({ largestShare }) => largestShare > LARGE_WEIGHT)
    .map(({ model, estimator, largestShare }) =>
      caution(
        html`A single event holds ${percent(largestShare)} of all the weight of ${estimator} for ${named(model)}.`,
      ),
    );
}

function shortSamples({ interventions }: WindowSnapshot): Finding[] {
  const short = interventions.filter(({ distance }) => distance > NOTABLE_SHARE);
  if (short.length === 0) return [];
  const each = short.map(
    ({ estimator, expected, rows, distance }) =>
      html`${estimator} at ${percent(expected / rows)} of the pairs stays ${decimal(distance, 2)} away`,
  );
  return [
    note(
      html`A drawn test set goes only part of the way to its weights. In total variation, ${listed(each)}.`,
    ),
  ];
}
