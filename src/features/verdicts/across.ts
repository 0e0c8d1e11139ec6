import { isFollowed } from '../../estimators/feedback/feedback-mode.js';
import { plausibleGamma } from '../../estimators/propensity/gamma-error.js';
import type { PairEvidence } from '../evidence.js';
import { byPair, judge } from '../judge.js';
import type { AcrossTicks, TickView } from '../work.js';
import { WORKS } from '../works.js';
import { abAnswer } from './ab-answer.js';
import type { DecisionRows, DecisionSources } from './decision-sources.js';
import { Decisions, withoutUsers } from './decisions.js';
import { metricEvidence } from './metric-evidence.js';

export const VERDICTS_ACROSS: AcrossTicks<DecisionSources> = {
  name: 'decision',
  start: ({ decision, value, maxModels }) => decision && new Decisions(decision, maxModels, value),
  sources,
  forget: withoutUsers,
  measure: ({ decision }) => decision?.metric,
  /**
   * Verdicts and test result of a single snapshot, as in an evaluation of files. Their rules are
   * valid for one look only.
   */
  once(snapshot, options) {
    const { decision } = options;
    const [{ from, to, valueEvidence, abTest }] = snapshot.windows;
    const asked = WORKS.map((feature) => feature.evidence?.(snapshot, options));
    const byMetric = decision && metricEvidence(snapshot, decision.metric);
    const byValue = decision && valueEvidence;
    // All kinds of evidence use the reference of values, if there are values.
    const reference = byValue?.[0]?.reference;
    const isOfReference = (own: PairEvidence) =>
      reference === undefined || own.model === reference || own.reference === reference;
    const found = [...asked, byValue, byMetric?.filter(isOfReference)];
    if (found.every((each) => each === undefined)) return {};
    const verdicts = judge(byPair(found.flatMap((each) => each ?? [])), { from, to });
    return {
      verdicts,
      ...(abTest && { experiment: abAnswer(abTest, verdicts) }),
    };
  },
};

function sources(view: TickView): DecisionSources {
  const { options, estimates, models, windows, partitions, counts, requests, heavyFrom } = view;
  const { tickMs, modelMarks } = options;
  const kept = partitions.flatMap(({ rows, source }): DecisionRows[] =>
    source?.keyOf === undefined
      ? []
      : [
          {
            rows,
            userCounts: source.userCounts,
            keyOf: source.keyOf,
          },
        ],
  );
  return {
    tickMs,
    models,
    partitions: kept,
    heavyFrom,
    options: estimates,
    requests,
    popularity: counts.popularity,
    plausibleGamma: plausibleGamma(view.propensity, view.exponentTest),
    test: testOf(view),
    modelMarks: modelMarks?.() ?? [],
    pairs: {
      firstPane: Math.min(...windows.map(({ firstPane }) => firstPane)),
      paneMs: tickMs,
      followsCauses: isFollowed(estimates),
    },
  };
}

function testOf({ partitions, models }: TickView): DecisionSources['test'] {
  const names = new Map(models.map(({ id, name }) => [id, name]));
  return {
    parts: partitions.flatMap(({ experiment = [], source }) => {
      const keyOf = source?.keyOf;
      return keyOf === undefined ? [] : experiment.map((events) => ({ events, keyOf }));
    }),
    nameOf: (model) => names.get(model),
  };
}
