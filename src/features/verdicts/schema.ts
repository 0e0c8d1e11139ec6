import { type Static, Type } from 'typebox';
import { Finding } from '../../outputs/http/schema/finding.js';
import { EventTime } from '../../outputs/http/schema/number.js';
import { Cutoff } from '../../outputs/json/v1-schema.js';
import { Num, type Wire } from '../../rows/row.js';
import { RESTART_CAUSES, RUNGS, VERDICT_STATES } from '../verdict.js';

/** Verdict on two models. */
const Verdict = Type.Object({
  model: Type.String(),
  reference: Type.String({ description: 'Model whose value is subtracted' }),
  metric: Type.String(),
  k: Cutoff,
  isOfUncaused: Type.Optional(
    Type.Literal(true, {
      description:
        'Whether the verdict is on organic interactions, because estimates of all rows are not reported',
    }),
  ),
  rule: Type.Enum(['sequence', 'single_look'], {
    description:
      'sequence: valid however often you look; single_look: valid for one look at one window',
  }),
  rung: Type.Enum([...RUNGS], { description: 'Kind of evidence for the verdict' }),
  state: Type.Enum([...VERDICT_STATES]),
  reason: Type.Union([Type.String(), Type.Null()], { description: 'Why there is no verdict' }),
  better: Type.Union([Type.String(), Type.Null()]),
  since: EventTime('Start of the comparison'),
  at: EventTime('Time of the latest look at the data'),
  value: Num('The model’s value minus the reference’s'),
  stdErr: Num(),
  lower: Num('Lower end of the interval, valid by the rule'),
  upper: Num('Upper end of the interval, valid by the rule'),
  margin: Num('Smallest difference that matters'),
  ess: Num('Effective number of groups of users; the smaller of the two models’'),
  comparisons: Type.Number({ description: 'Number of differences judged together' }),
  uncorrected: Num('Difference without correction for popularity'),
  saysOpposite: Type.Boolean({
    description: 'Whether the uncorrected difference clearly has the opposite sign',
  }),
  lastDay: Num('Difference over the last day alone'),
  flip: Type.Union([
    Type.Object({
      gamma: Type.Number(),
      winsBelow: Type.String(),
    }),
    Type.Null({ description: 'null: no plausible γ reverses the order' }),
  ]),
  forecast: Type.Union([
    Type.Object({
      days: Num('Expected days from the look to a verdict; also null if never'),
      users: Num(),
    }),
    Type.Null(),
  ]),
  figures: Type.Optional(
    Type.Record(Type.String(), Num(), {
      description: 'Further figures in the text of the verdict',
    }),
  ),
  of: Type.Optional(
    Type.Array(Type.String(), { description: 'Names that the text of the reason mentions' }),
  ),
  changed: Type.Optional(
    Type.String({ description: 'Model of the pair that has changed since the look' }),
  ),
  startsAgain: Type.Optional(EventTime('Time from which the comparison restarts')),
  changedAt: Type.Optional(EventTime('Time at which that model changed')),
  changedBy: Type.Optional(
    Type.Enum([...RESTART_CAUSES], { description: 'What revealed the change' }),
  ),
  against: Type.Optional(
    Type.String({ description: 'Weaker evidence that is clear and contradicts the verdict' }),
  ),
});

const Shares = Type.Record(Type.String(), Type.Number());

const Named = {
  code: Type.String(),
  figures: Type.Record(Type.String(), Num()),
  of: Type.Array(Type.String(), { description: 'Names that its text mentions' }),
};

/** Result of an A/B test. */
export const Experiment = Type.Object(
  {
    unit: Type.Union([Type.Enum(['user', 'request']), Type.Null()], {
      description: 'Unit of randomisation; null if assignment is by neither',
    }),
    isUnitAssumed: Type.Boolean({
      description:
        'Whether the unit is assumed, because too few users return for the log to show it',
    }),
    isRandomisationAssumed: Type.Boolean({
      description:
        'Whether random assignment is assumed, because nothing in the log or configuration confirms it',
    }),
    split: Type.Object({
      declared: Type.Union([Shares, Type.Null()]),
      served: Shares,
      p: Num('p-value of the sample ratio test'),
    }),
    control: Type.String(),
    reward: Type.Object({
      action: Type.Union([Type.String(), Type.Null()], {
        description: 'Rewarded action; null: several actions are rewarded',
      }),
      by: Type.Enum(['count', 'worth', 'value']),
    }),
    since: EventTime('Start of the comparison'),
    at: EventTime('Time of the latest look at the data'),
    days: Type.Number(),
    isWeekdaysOnly: Type.Boolean(),
    isWholeWeek: Type.Boolean(),
    usesHistory: Type.Boolean({
      description: 'Whether the reward is adjusted for what users did before',
    }),
    rule: Type.Enum(['single_look', 'sequence']),
    arms: Type.Array(
      Type.Object({
        model: Type.String(),
        users: Type.Number(),
        requests: Type.Number(),
        rewards: Type.Number(),
        perUser: Num('Mean reward per user, adjusted for their history'),
        perRequest: Num('Mean reward per list'),
      }),
    ),
    lifts: Type.Array(
      Type.Object({
        model: Type.String(),
        difference: Num('The arm’s mean minus the control’s'),
        stdErr: Num('Larger of the Wald and the score standard error'),
        lower: Num(),
        upper: Num(),
        lift: Num('Difference as a share of the control’s mean'),
        liftLower: Num('Lower end of Fieller’s interval of the lift'),
        liftUpper: Num('Upper end of Fieller’s interval of the lift'),
        z: Num('Difference in Wald standard errors'),
        score: Num('Difference in score standard errors'),
        of: Type.Enum(['all', 'named', 'per_request']),
        verdict: Type.Enum([...VERDICT_STATES]),
        better: Type.Union([Type.String(), Type.Null()]),
      }),
    ),
    refusal: Type.Union([Type.Object(Named), Type.Null()]),
    cautions: Type.Array(Type.Object(Named)),
  },
  { description: 'Result of the A/B test of the served lists' },
);

export const Verdicts = Type.Array(Verdict, { description: 'Verdicts on all pairs of models' });

export const VerdictReport = Type.Object({
  paneEnd: EventTime('End of the newest closed pane'),
  verdicts: Verdicts,
  experiment: Type.Optional(Experiment),
  findings: Type.Array(Finding, { description: 'Verdicts in words, those to act on first' }),
});
export type VerdictReport = Wire<Static<typeof VerdictReport>>;
