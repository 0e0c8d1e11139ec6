import { isFollowed } from '../../estimators/feedback/feedback-mode.js';
import { plausibleGamma } from '../../estimators/propensity/gamma-error.js';
import type { Snapshot } from '../../stream/snapshot.js';
import type { PairVerdict } from '../verdict.js';
import type { AcrossTicks, TickView } from '../work.js';
import { WORKS } from '../works.js';
import type { DecisionOptions } from './decision-options.js';
import type { DecisionRows, DecisionSources } from './decision-sources.js';
import { Decisions } from './decisions.js';
import { singleLook } from './single-look.js';

export const VERDICTS_ACROSS: AcrossTicks<DecisionSources> = {
  name: 'decision',
  start: ({ decision, value, maxModels }) =>
    decision && new Decisions(decision, maxModels, value !== undefined),
  sources,
  measure: ({ decision }) => decision?.metric,
  /** By the rule of a single look. */
  once(snapshot, options) {
    const { decision } = options;
    const asked = [
      decision && ofGains(snapshot, decision.metric),
      ...WORKS.map((feature) => feature.verdicts?.(snapshot, options)),
    ].filter((verdicts) => verdicts !== undefined);
    return asked.length === 0 ? {} : { verdicts: asked.flat() };
  },
};

function sources(view: TickView): DecisionSources {
  const { options, estimates, models, windows, partitions, counts, heavyFrom } = view;
  const { requests, rounds } = view;
  const { tickMs, modelMarks } = options;
  const kept = partitions.flatMap(({ rows, source }): DecisionRows[] =>
    source?.keyOf === undefined
      ? []
      : [{ rows, userCounts: source.userCounts, keyOf: source.keyOf }],
  );
  return {
    ...{ tickMs, models, partitions: kept, heavyFrom, options: estimates },
    ...{ requests, rounds },
    popularity: counts.popularity,
    plausibleGamma: plausibleGamma(view.propensity, view.exponentTest),
    modelMarks: modelMarks?.() ?? [],
    pairs: {
      firstPane: Math.min(...windows.map(({ firstPane }) => firstPane)),
      ...{ paneMs: tickMs, followsCauses: isFollowed(estimates) },
    },
  };
}

function ofGains(snapshot: Snapshot, asked: DecisionOptions['metric']): PairVerdict[] {
  const { from, to, valueDifferences = [], feedback, ...window } = snapshot.windows[0];
  // The built-in model is nobody's choice.
  const differences = window.differences.filter(({ model }) => model !== snapshot.baseline);
  const uncaused = feedback?.uncaused?.differences ?? [];
  const own = window.sensitivity.find(({ metric, k }) => metric === asked.metric && k === asked.k);
  const looked = {
    ...{ from, to, differences, uncaused, valueDifferences },
    ...{ flips: own?.flips ?? [], gamma: snapshot.propensity.gamma },
    plausibleGamma: plausibleGamma(snapshot.propensity, window.exponentTest),
  };
  return singleLook(looked, asked);
}
