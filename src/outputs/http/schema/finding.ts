import { Type } from 'typebox';
import { SEVERITIES } from '../../../rows/findings/finding.js';
import { TRUST_ANSWERS } from '../../../rows/findings/reasons.js';
import { FINDING_CODES } from '../../../rows/findings/words.js';
import { Num } from '../../../rows/row.js';
import { AggregationName, Cutoff, EstimatorName } from '../../json/v1-schema.js';
import { ByName } from './number.js';
import { Metric } from './query.js';

/** Schema of a finding: evidence for or against the numbers. */
export const Finding = Type.Object({
  code: Type.Enum([...FINDING_CODES]),
  severity: Type.Enum([...SEVERITIES], {
    description: 'problem: do not decide on the numbers; caution: read the text before you decide',
  }),
  subject: Type.Object(
    {
      models: Type.Optional(Type.Array(Type.String())),
      estimators: Type.Optional(Type.Array(EstimatorName)),
      metrics: Type.Optional(Type.Array(Type.String({ description: 'e.g. recall@10' }))),
      aggregation: Type.Optional(AggregationName),
      rows: Type.Optional(
        Type.Literal('uncaused', {
          description: 'Set if the finding is about estimates from organic interactions',
        }),
      ),
      users: Type.Optional(
        Type.Array(Type.String(), {
          description: 'Users with far more interactions than all others',
        }),
      ),
    },
    { description: 'What the finding is about; a missing field means all' },
  ),
  figures: ByName(Num()),
  reason: Type.Optional(Type.String({ description: 'Further reason, in words' })),
  cause: Type.Optional(
    Type.String({ description: 'For verdict_none: why there is no verdict, e.g. shares_off' }),
  ),
  names: Type.Optional(
    Type.Array(Type.String(), { description: 'Models and other names that the cause concerns' }),
  ),
  text: Type.String({ description: 'The finding as a sentence' }),
});

export const Findings = Type.Array(Finding, { description: 'Findings, most severe first' });

/** Schema of the answer to whether the numbers can be trusted, with the reasons. */
export const Trust = Type.Object(
  {
    answer: Type.Enum([...TRUST_ANSWERS], {
      description: 'comparisons: trust the order of the models, but not their values',
    }),
    measure: Type.Union(
      [
        Type.Object({
          metric: Metric,
          k: Cutoff,
        }),
        Type.Null(),
      ],
      {
        description:
          'Measure of the verdict: value (reward per request), or a metric (by snips over all events if reported)',
      },
    ),
    reasons: Type.Array(Finding, {
      description: 'Findings behind the answer, the decisive one first',
    }),
  },
  { description: 'Whether the numbers can be trusted, and why' },
);
