import { testGrounds } from '../../features/tests.js';
import type { PairVerdict, Rung } from '../../features/verdict.js';
import { whole } from '../../rows/figures.js';
import type { Finding } from '../../rows/findings/finding.js';
import { type Sentence, say } from '../../rows/findings/sentence.js';
import { day } from '../../rows/times.js';
import type { Snapshot, WindowSnapshot } from '../../stream/tick/snapshot.js';

/** Words for the evidence behind the comparison of a pair of models, by kind of evidence. */
const GROUNDS: Readonly<Record<Rung, string>> = {
  experiment: 'A/B test, if models were assigned at random as the log suggests',
  propensities: 'Logged propensities of whole lists',
  arms: 'Lists of other models, if users examine positions independently',
  slots: 'Logged propensities of positions, if users examine positions independently',
  randomized: 'Randomised traffic (ure)',
  metric: 'Organic interactions, corrected for popularity; no A/B test',
  observed: 'Observational: rewards of the served lists, without randomisation',
};

/** Write the line on the evidence behind the first verdict: its kind and its amount. */
export function groundsOf(
  snapshot: Snapshot,
  window: WindowSnapshot,
  first: Finding | undefined,
): Sentence {
  const { experiment, verdicts = [] } = snapshot;
  if (experiment !== undefined) return testGrounds(experiment);
  const { counts } = window;
  const all = `${whole(counts.interactions)} interactions of ${whole(counts.users)} users`;
  const models = first?.subject.models ?? [];
  const found = verdicts.find(
    ({ model, reference }) => models.includes(model) && models.includes(reference),
  );
  if (found === undefined || found.reason === 'one_served') return say`${all}.`;
  const ground = GROUNDS[found.rung];
  // A sequential verdict covers all data since its start, whereas the counts are those of the
  // window.
  if (found.rule === 'sequence') {
    return say`${ground}, since ${day(found.since)}; valid however often you look.`;
  }
  return say`${ground}: ${positivesBehind(window, found) ?? all}.`;
}

/** Count the positive interactions that a verdict uses; undefined if it uses all of the window. */
function positivesBehind(
  { randomized, feedback }: WindowSnapshot,
  { rung, isOfUncaused, figures }: PairVerdict,
): string | undefined {
  if (rung === 'randomized') {
    const behind = positives(randomized.positives, randomized.usersWithPositive);
    return figures?.isSharper === 1
      ? `${behind}; the difference is from organic interactions, which agree with randomised traffic`
      : behind;
  }
  const uncaused = isOfUncaused && feedback?.uncaused;
  return uncaused ? positives(uncaused.rows, uncaused.users) : undefined;
}

function positives(count: number, users: number): string {
  return `${whole(count)} positive interactions of ${whole(users)} users`;
}
