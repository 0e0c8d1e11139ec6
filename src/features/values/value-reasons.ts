import { VALUE_OUTCOMES } from '../../outputs/json/v1-row.js';
import { decimal, percent, whole } from '../../rows/figures.js';
import type { Finding, Severity, Words } from '../../rows/findings/finding.js';
import { type Sentence, say } from '../../rows/findings/sentence.js';
import { listed } from '../../rows/words.js';
import type { WindowSnapshot } from '../../stream/snapshot.js';
import type { ValueConsequence, ValueFigures, ValueReason, ValueReasonCode } from './reasons.js';

/** Why values of lists are refused, or not to be decided on. */
type FiguresOfValues = {
  [Code in ValueReasonCode as `value_${Code}`]: ValueFigures[Code];
};

declare module '../../rows/findings/finding.js' {
  interface FiguresByCode extends FiguresOfValues {
    values_lead: { requests: number };
    value_control_away: Record<never, number>;
    value_proved_worse: { value: number; lower: number; upper: number };
    value_proved_better: { value: number; lower: number; upper: number; isShown: number };
  }
}

const SEVERITY: Readonly<Record<ValueConsequence, Severity>> = {
  refused: 'caution',
  bound: 'caution',
  caution: 'caution',
  undecided: 'note',
};

/** What speaks against the values of lists by requests: a finding a reason, with the models of which it says the same. */
export function valueFindings({ values = [] }: WindowSnapshot): Finding[] {
  const found = new Map<string, { reason: ValueReason; models: Set<string> }>();
  for (const { model, reasons } of values) {
    for (const reason of reasons) {
      const key = JSON.stringify([reason.code, reason.consequence, reason.figures]);
      const own = found.get(key) ?? { reason, models: new Set() };
      own.models.add(model);
      found.set(key, own);
    }
  }
  return [...found.values()].map(({ reason: { code, consequence, figures }, models }) => {
    const subject = { models: [...models] };
    const own = { code: `value_${code}`, severity: SEVERITY[consequence], subject, figures };
    return { ...own, reason: VALUE_OUTCOMES[consequence] } as Finding;
  });
}

/** Whether a finding says what speaks against values by requests, and nothing about estimates. */
export function isOfValues(code: string): boolean {
  return code.startsWith('value_');
}

/** What becomes of the values, with their models. */
function outcome({ subject: { models = [] }, reason }: Finding): Sentence {
  const of = say`What the lists of ${listed(models.map((name) => ({ name })))} are worth`;
  if (reason === 'refused') return say`${of} is not given`;
  if (reason === 'lower_bound') return say`${of} has a lower bound only`;
  if (reason === 'no_verdict') return say`${of} decides nothing`;
  return say`${of} is to be read with care`;
}

export const VALUE_WORDS = {
  value_no_shares: (finding) =>
    say`${outcome(finding)}: their events do not say how likely each list was to be served. Log share with the lists of every arm.`,
  value_no_lists: (finding) =>
    say`${outcome(finding)}: no request has one. Log their lists, or correct the names in value.targets.`,
  value_target_unknown: (finding) =>
    say`${outcome(finding)}: what they would have shown is not known. Log their lists.`,
  value_incomplete_requests: (finding) =>
    say`${outcome(finding)}: ${percent(finding.figures.share)} of the requests have all of their lists; it takes ${percent(finding.figures.least)}. Log the lists of all models with every request.`,
  value_lists_sampled_out: (finding) =>
    say`${outcome(finding)}: none of its requests has all lists in the sample. Use a longer window, or raise limits.requests.`,
  value_rewards_pending: (finding) =>
    say`${outcome(finding)}: the log ends before value.horizon has passed for ${percent(finding.figures.share)} of the requests, so their rewards may be missing. Evaluate a longer log, or lower value.horizon.`,
  value_sample_ratio_mismatch: (finding) =>
    say`${outcome(finding)}: arms were not served as their shares say (χ² ${decimal(finding.figures.chiSquare, 1)}). Correct the shares, or find out which requests are lost.`,
  value_candidates_unknown: (finding) =>
    say`${outcome(finding)}: ${percent(finding.figures.share)} of the lists drawn at random do not say from how many items, so they count only for the items they show. Log randomized and candidates with all lists of that arm.`,
  value_arms_by_user: (finding) =>
    say`${outcome(finding)}: users keep their arm, and lists may depend on what it showed them. Draw the arm for each request.`,
  value_lists_follow_arm: (finding) =>
    say`${outcome(finding)}: which of their items are shown depends on the arm (z ${decimal(finding.figures.z, 1)}). Draw the arm for each request, and make all lists before it is drawn.`,
  value_arms_disagree: (finding) =>
    say`${outcome(finding)}: the value of an arm by all requests differs from that by its own (z ${decimal(finding.figures.z, 1)}). Users may not look at places as assumed.`,
  value_clicks_end_requests: (finding) =>
    say`${outcome(finding)}: ${whole(finding.figures.observed)} pairs of clicks came in one request, where independent places would have ${whole(finding.figures.expected)}. Users may stop at a click.`,
  value_examination_unknown: (finding) =>
    say`${outcome(finding)}: propensities of items need the chance that each place is looked at. Serve a few requests by lists drawn at random, or by arms, with their share; or log propensities of slots.`,
  value_examination_uncertain: (finding) =>
    say`${outcome(finding)}: it is not known well enough how likely each place is looked at. It takes more requests, arms that put items at more places, or a depth that leaves out places nobody sees.`,
  value_partly_supported: (finding) =>
    say`${outcome(finding)}: arms show ${percent(finding.figures.coverage)} of what is looked at in them. A few lists drawn at random would show the rest.`,
  value_mostly_unsupported: (finding) =>
    say`${outcome(finding)}: arms show only ${percent(finding.figures.coverage)} of what is looked at in them. A few lists drawn at random would show the rest.`,
  value_heavy_row: (finding) =>
    say`${outcome(finding)}: one row makes up ${percent(finding.figures.share)} of its rewards, or of its weights. More even shares, or a logger that shows such items more often, would lower it.`,
  value_several_loggers: (finding) =>
    say`${outcome(finding)}: ${whole(finding.figures.loggers)} models drew the lists, each with its own chances. Log with each list its chance over all of them, the sum of each model's chance times its share of the requests, and set value.loggers to balanced.`,
  value_mean_weight_off: (finding) =>
    say`${outcome(finding)}: weights average to ${decimal(finding.figures.mean, 3)} and not to 1. The logged propensities or shares are wrong, or the logger cannot show what they would.`,
  value_weights_shrunk: (finding) =>
    say`${outcome(finding)} in the form dros: weights are shrunk by λ = ${decimal(finding.figures.shrinkage, 1)}, which puts it ${decimal(finding.figures.z, 1)} standard errors off the form dr. Read dr, which is not biased, or raise value.shrinkage.`,
  value_few_rewards: (finding) =>
    say`${outcome(finding)}: it rests on ${whole(finding.figures.ess)} effective rewards, and ${whole(finding.figures.least)} are needed. A longer window has more.`,
} satisfies Words;
