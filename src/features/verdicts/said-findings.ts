import type { Finding } from '../../rows/findings/finding.js';
import type { Snapshot } from '../../stream/tick/snapshot.js';
import type { PairVerdict } from '../verdict.js';
import { servedModels } from './metric-evidence.js';
import { testFindings } from './test-findings.js';
import { unjudgedFinding, verdictFindings } from './verdict-findings.js';

type Asked = Pick<Snapshot, 'verdicts' | 'experiment' | 'popularity' | 'windows'>;

/**
 * Findings with the verdicts on all pairs, the actionable ones first; undefined if verdicts are
 * switched off.
 */
export function verdictsOn(snapshot: Asked): Finding[] | undefined {
  const { verdicts, experiment } = snapshot;
  if (experiment === undefined) {
    if (verdicts === undefined) return undefined;
    return verdicts.length === 0 ? ofOnlyModel(snapshot) : verdictFindings(verdicts);
  }
  const arms = experiment.arms.map(({ model }) => model);
  // The test's verdict on its arms replaces weaker verdicts on them.
  const others = (verdicts ?? []).filter(
    ({ model, reference, reason }) =>
      reason === null && !(arms.includes(model) && arms.includes(reference)),
  );
  return [...testFindings(experiment), ...verdictFindings(others)];
}

/** Finding that only one model served lists; empty if that is not so. */
function ofOnlyModel({ popularity, windows }: Asked): Finding[] {
  const served = servedModels({ popularity });
  if (served.length !== 1) return [];
  return [unjudgedFinding('one_served', served, { since: windows[0]!.from }, served)];
}

/**
 * Finding with the verdict on one pair. If both models are arms of a test, it is the finding with
 * the verdict of the test.
 */
export function verdictOn(verdict: PairVerdict, experiment: Snapshot['experiment']): Finding {
  const ofTest = experiment === undefined ? [] : testFindings(experiment);
  const said = ofTest.find(({ subject: { models = [] } }) =>
    [verdict.model, verdict.reference].every((name) => models.includes(name)),
  );
  return said ?? verdictFindings([verdict])[0]!;
}
