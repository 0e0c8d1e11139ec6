import type { Finding, Words } from '../../rows/findings/finding.js';
import { type Sentence, say } from '../../rows/findings/sentence.js';
import type { PairVerdict, Rung } from '../verdict.js';
import { verdictFindings } from './verdict-findings.js';

type Ground = 'chance_decided' | 'places_assumed' | 'chance_unknown';

declare module '../../rows/findings/finding.js' {
  interface FiguresByCode extends Record<Ground, Record<never, number>> {}
}

/**
 * For each kind of evidence, code and severity of the finding about it. Only verdicts on reward per
 * request have such a finding; verdicts by corrected metrics do not.
 */
const GROUNDS: Readonly<Partial<Record<Rung, Pick<Finding<Ground>, 'code' | 'severity'>>>> = {
  experiment: {
    code: 'chance_decided',
    severity: 'good',
  },
  propensities: {
    code: 'chance_decided',
    severity: 'good',
  },
  arms: {
    code: 'places_assumed',
    severity: 'caution',
  },
  slots: {
    code: 'places_assumed',
    severity: 'caution',
  },
  observed: {
    code: 'chance_unknown',
    severity: 'problem',
  },
};

/**
 * Finding about the evidence behind the first verdict, if that verdict compares rewards. Undefined
 * if the verdict compares a metric, if a model has changed since, or if there is no verdict.
 */
export function groundOf(verdicts: readonly PairVerdict[] = []): Finding | undefined {
  const [first] = verdictFindings(verdicts);
  const { models = [], metrics = [] } = first?.subject ?? {};
  if (metrics[0] !== 'value') return undefined;
  const { rung, changed } = verdicts.find(
    ({ model, reference }) => models.includes(model) && models.includes(reference),
  )!;
  if (changed !== undefined) return undefined;
  return {
    ...GROUNDS[rung]!,
    subject: { models, metrics },
    figures: {},
  };
}

export const GROUND_WORDS = {
  chance_decided: (): Sentence =>
    say`The verdict compares rewards, and the assignment of models passed all checks of randomness.`,
  places_assumed: (): Sentence =>
    say`The verdict assumes that users examine each position on its own, and no check contradicts this.`,
  chance_unknown: (): Sentence => say`The log does not show that models were assigned at random.`,
} satisfies Words;
