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
    description: 'problem: do not decide on the numbers; caution: read it before deciding',
  }),
  subject: Type.Object(
    {
      models: Type.Optional(Type.Array(Type.String())),
      estimators: Type.Optional(Type.Array(EstimatorName)),
      metrics: Type.Optional(Type.Array(Type.String({ description: 'e.g. recall@10' }))),
      aggregation: Type.Optional(AggregationName),
      rows: Type.Optional(
        Type.Literal('uncaused', { description: 'Set if it is about organic interactions' }),
      ),
      users: Type.Optional(
        Type.Array(Type.String(), { description: 'Users who stand apart from all others' }),
      ),
    },
    { description: 'What it is about; a missing part means all' },
  ),
  figures: ByName(Num()),
  reason: Type.Optional(Type.String({ description: 'A reason in words that no figure gives' })),
  cause: Type.Optional(
    Type.String({ description: 'Of verdict_none: why there is none, e.g. shares_off' }),
  ),
  names: Type.Optional(Type.Array(Type.String(), { description: 'Names that the cause is about' })),
  text: Type.String({ description: 'A sentence for people' }),
});

export const Findings = Type.Array(Finding, { description: 'The gravest first' });

/** Schema of the answer to whether the numbers can be trusted, with the reasons. */
export const Trust = Type.Object(
  {
    answer: Type.Enum([...TRUST_ANSWERS], {
      description: 'comparisons: the order of models can be trusted, their values cannot',
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
          'The measure of the verdict: value, or a metric (by snips over all events if reported)',
      },
    ),
    reasons: Type.Array(Finding, { description: 'What decides first' }),
  },
  { description: 'Can these numbers be trusted?' },
);
