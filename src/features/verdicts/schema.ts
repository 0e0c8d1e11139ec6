import { type Static, Type } from 'typebox';
import { Finding } from '../../outputs/http/schema/finding.js';
import { EventTime } from '../../outputs/http/schema/number.js';
import { Cutoff } from '../../outputs/json/v1-schema.js';
import { Num, type Wire } from '../../rows/row.js';
import { RUNGS, VERDICT_STATES } from '../verdict.js';

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
    Type.Object({ gamma: Type.Number(), winsBelow: Type.String() }),
    Type.Null({ description: 'No γ that is plausible changes the order' }),
  ]),
  forecast: Type.Union([
    Type.Object({ days: Num('From the look; null: never'), users: Num() }),
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
  against: Type.Optional(
    Type.String({ description: 'Weaker evidence that is clear and says the opposite' }),
  ),
});

export const Verdicts = Type.Array(Verdict, { description: 'Of all pairs that are judged' });

export const VerdictReport = Type.Object({
  paneEnd: EventTime('End of the newest closed pane'),
  verdicts: Verdicts,
  findings: Type.Array(Finding, { description: 'The same in words, what can be acted on first' }),
});
export type VerdictReport = Wire<Static<typeof VerdictReport>>;
