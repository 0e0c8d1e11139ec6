import { type Static, Type } from 'typebox';
import { VERDICT_STATES } from '../../../features/verdicts/pair-verdict.js';
import { SEVERITIES } from '../../../rows/findings/finding.js';
import { TRUST_ANSWERS } from '../../../rows/findings/trust-rule.js';
import { FINDING_CODES } from '../../../rows/findings/words.js';
import { AggregationName, Cutoff, EstimatorName, MetricName } from '../../json/v1-schema.js';
import { ByName, EventTime, MaybeNumber } from './number.js';

/** What speaks for or against numbers. */
export const Finding = Type.Object({
  code: Type.Enum([...FINDING_CODES]),
  severity: Type.Enum([...SEVERITIES], {
    description: 'problem: decide nothing on the numbers now; caution: read it before deciding',
  }),
  subject: Type.Object(
    {
      models: Type.Optional(Type.Array(Type.String())),
      estimators: Type.Optional(Type.Array(EstimatorName)),
      metrics: Type.Optional(Type.Array(Type.String({ description: 'e.g. recall@10' }))),
      aggregation: Type.Optional(AggregationName),
      rows: Type.Optional(
        Type.Literal('uncaused', { description: 'Of what users found by themselves' }),
      ),
      users: Type.Optional(
        Type.Array(Type.String(), { description: 'Users who stand apart from all others' }),
      ),
    },
    { description: 'What it is about; what is not given: all of it' },
  ),
  figures: ByName(MaybeNumber()),
  reason: Type.Optional(Type.String({ description: 'What no figure says' })),
  text: Type.String({ description: 'A sentence for people' }),
});

export const Findings = Type.Array(Finding, { description: 'The gravest first' });

/** Whether the numbers can be trusted. */
export const Trust = Type.Object(
  {
    answer: Type.Enum([...TRUST_ANSWERS], {
      description: 'comparisons: the order of the models holds, their values may not',
    }),
    measure: Type.Union([Type.Object({ metric: MetricName, k: Cutoff }), Type.Null()], {
      description: 'What it is about, by snips over all events if that is given',
    }),
    reasons: Type.Array(Finding, { description: 'What decides first' }),
  },
  { description: 'Can these numbers be trusted?' },
);

/** Which of two models is better. */
const Verdict = Type.Object({
  model: Type.String(),
  reference: Type.String({ description: 'The model whose value is subtracted' }),
  metric: Type.String(),
  k: Cutoff,
  isOfUncaused: Type.Optional(
    Type.Literal(true, {
      description: 'Of what users found by themselves: estimates of all rows are withheld',
    }),
  ),
  rule: Type.Enum(['sequence', 'single_look'], {
    description: 'sequence: it holds at all looks; single_look: at one look at one window',
  }),
  state: Type.Enum([...VERDICT_STATES]),
  reason: Type.Union([Type.String(), Type.Null()], { description: 'Why there is no verdict' }),
  better: Type.Union([Type.String(), Type.Null()]),
  since: EventTime('Begin of what is summed'),
  at: EventTime('The look'),
  value: MaybeNumber('The model’s minus the reference’s'),
  stdErr: MaybeNumber(),
  lower: MaybeNumber('Lower end of the interval that holds by the rule'),
  upper: MaybeNumber('Upper end of it'),
  margin: MaybeNumber('What a difference has to reach to matter'),
  ess: MaybeNumber('Effective number of groups of users, of the lesser model'),
  comparisons: Type.Number({ description: 'Differences that are judged together' }),
  uncorrected: MaybeNumber('The same without correction'),
  saysOpposite: Type.Boolean({ description: 'Whether that clearly has the other sign' }),
  lastDay: MaybeNumber('The same of the last day'),
  flip: Type.Union([
    Type.Object({ gamma: Type.Number(), winsBelow: Type.String() }),
    Type.Null({ description: 'No γ that is plausible changes the order' }),
  ]),
  forecast: Type.Union([
    Type.Object({ days: MaybeNumber('From the look; null: never'), users: MaybeNumber() }),
    Type.Null(),
  ]),
});

export const Verdicts = Type.Array(Verdict, { description: 'Of all pairs that are judged' });

export const VerdictReport = Type.Object({
  paneEnd: EventTime('End of the newest closed pane'),
  verdicts: Verdicts,
  findings: Type.Array(Finding, { description: 'The same in words, what can be acted on first' }),
});
export type VerdictReport = Static<typeof VerdictReport>;
