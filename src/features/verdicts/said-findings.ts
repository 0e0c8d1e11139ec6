import type { Finding } from '../../rows/findings/finding.js';
import type { Snapshot } from '../../stream/snapshot.js';
import type { PairVerdict } from '../verdict.js';
import { testFindings } from './test-findings.js';
import { verdictFindings } from './verdict-findings.js';

/** Which model is better, what can be acted on first; undefined where nobody asks. */
export function verdictsOn({
  verdicts,
  experiment,
}: Pick<Snapshot, 'verdicts' | 'experiment'>): Finding[] | undefined {
  if (experiment === undefined) return verdicts && verdictFindings(verdicts);
  const arms = experiment.arms.map(({ model }) => model);
  // What the test says of its arms nothing weaker says again.
  const others = (verdicts ?? []).filter(
    ({ model, reference, reason }) =>
      reason === null && !(arms.includes(model) && arms.includes(reference)),
  );
  return [...testFindings(experiment), ...verdictFindings(others)];
}

/** What is said of one pair: by the test, if both are its arms. */
export function verdictOn(verdict: PairVerdict, experiment: Snapshot['experiment']): Finding {
  const ofTest = experiment === undefined ? [] : testFindings(experiment);
  const said = ofTest.find(({ subject: { models = [] } }) =>
    [verdict.model, verdict.reference].every((name) => models.includes(name)),
  );
  return said ?? verdictFindings([verdict])[0]!;
}
