import { type Static, Type } from 'typebox';
import { Finding } from '../../outputs/http/schema/finding.js';
import { EventTime } from '../../outputs/http/schema/number.js';
import { Cutoff } from '../../outputs/json/v1-schema.js';
import { Num, type Wire } from '../../rows/row.js';
import { RESTART_CAUSES, RUNGS, VERDICT_STATES } from '../verdict.js';

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
  rung: Type.Enum([...RUNGS], { description: 'What it rests on' }),
  state: Type.Enum([...VERDICT_STATES]),
  reason: Type.Union([Type.String(), Type.Null()], { description: 'Why there is no verdict' }),
  better: Type.Union([Type.String(), Type.Null()]),
  since: EventTime('Begin of what is summed'),
  at: EventTime('The look'),
  value: Num('The model’s minus the reference’s'),
  stdErr: Num(),
  lower: Num('Lower end of the interval that holds by the rule'),
  upper: Num('Upper end of it'),
  margin: Num('What a difference has to reach to matter'),
  ess: Num('Effective number of groups of users, of the lesser model'),
  comparisons: Type.Number({ description: 'Differences that are judged together' }),
  uncorrected: Num('The same without correction'),
  saysOpposite: Type.Boolean({ description: 'Whether that clearly has the other sign' }),
  lastDay: Num('The same of the last day'),
  flip: Type.Union([
    Type.Object({
      gamma: Type.Number(),
      winsBelow: Type.String(),
    }),
    Type.Null({ description: 'No γ that is plausible changes the order' }),
  ]),
  forecast: Type.Union([
    Type.Object({
      days: Num('From the look; null: never'),
      users: Num(),
    }),
    Type.Null(),
  ]),
  figures: Type.Optional(
    Type.Record(Type.String(), Num(), { description: 'What the sentence says beside' }),
  ),
  of: Type.Optional(Type.Array(Type.String(), { description: 'Names that the reason is about' })),
  changed: Type.Optional(
    Type.String({ description: 'A model of the pair that has changed since the look' }),
  ),
  startsAgain: Type.Optional(EventTime('When what is summed begins again')),
  changedAt: Type.Optional(EventTime('When it changed')),
  changedBy: Type.Optional(
    Type.Enum([...RESTART_CAUSES], { description: 'By what that is known' }),
  ),
  against: Type.Optional(
    Type.String({ description: 'Weaker evidence that is clear and says the opposite' }),
  ),
});

const Shares = Type.Record(Type.String(), Type.Number());

const Named = {
  code: Type.String(),
  figures: Type.Record(Type.String(), Num()),
  of: Type.Array(Type.String(), { description: 'Names that it is about' }),
};

/** What an A/B test says. */
export const Experiment = Type.Object(
  {
    unit: Type.Union([Type.Enum(['user', 'request']), Type.Null()], {
      description: 'What was randomised; null if assignment is neither',
    }),
    isUnitAssumed: Type.Boolean({ description: 'Too few users return for the log to tell' }),
    isRandomisationAssumed: Type.Boolean({ description: 'Nobody stated a split' }),
    split: Type.Object({
      declared: Type.Union([Shares, Type.Null()]),
      served: Shares,
      p: Num('p-value of the sample ratio'),
    }),
    control: Type.String(),
    reward: Type.Object({
      action: Type.Union([Type.String(), Type.Null()], { description: 'null: several earn' }),
      by: Type.Enum(['count', 'worth', 'value']),
    }),
    since: EventTime('Begin of what is compared'),
    at: EventTime('The look'),
    days: Type.Number(),
    isWeekdaysOnly: Type.Boolean(),
    isWholeWeek: Type.Boolean(),
    usesHistory: Type.Boolean({ description: 'What users did before is taken out' }),
    rule: Type.Enum(['single_look', 'sequence']),
    arms: Type.Array(
      Type.Object({
        model: Type.String(),
        users: Type.Number(),
        requests: Type.Number(),
        rewards: Type.Number(),
        perUser: Num('Mean reward per user, history taken out'),
        perRequest: Num('Mean reward of a list'),
      }),
    ),
    lifts: Type.Array(
      Type.Object({
        model: Type.String(),
        difference: Num('The arm’s mean minus the control’s'),
        stdErr: Num('The greater of the Wald and the score error'),
        lower: Num(),
        upper: Num(),
        lift: Num('The difference as a share of the control’s mean'),
        liftLower: Num('Fieller’s interval'),
        liftUpper: Num(),
        z: Num('In Wald errors'),
        score: Num('In score errors'),
        of: Type.Enum(['all', 'named', 'per_request']),
        verdict: Type.Enum([...VERDICT_STATES]),
        better: Type.Union([Type.String(), Type.Null()]),
      }),
    ),
    refusal: Type.Union([Type.Object(Named), Type.Null()]),
    cautions: Type.Array(Type.Object(Named)),
  },
  { description: 'What an A/B test of the served lists says' },
);

export const Verdicts = Type.Array(Verdict, { description: 'Of all pairs that are judged' });

export const VerdictReport = Type.Object({
  paneEnd: EventTime('End of the newest closed pane'),
  verdicts: Verdicts,
  experiment: Type.Optional(Experiment),
  findings: Type.Array(Finding, { description: 'The same in words, what can be acted on first' }),
});
export type VerdictReport = Wire<Static<typeof VerdictReport>>;
