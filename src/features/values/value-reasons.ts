import { VALUE_OUTCOMES } from '../../outputs/json/v1-row.js';
import { decimal, percent, whole } from '../../rows/figures.js';
import type { Finding, Severity, Words } from '../../rows/findings/finding.js';
import { type Sentence, say } from '../../rows/findings/sentence.js';
import { listed } from '../../rows/words.js';
import type { WindowSnapshot } from '../../stream/tick/snapshot.js';
import type { ValueConsequence, ValueFigures, ValueReason, ValueReasonCode } from './reasons.js';

/**
 * Figures of the findings that limit values. Each objection to a value has one finding, whose code
 * is `value_` and the objection's code.
 */
type FiguresOfValues = {
  [Code in ValueReasonCode as `value_${Code}`]: ValueFigures[Code];
};

declare module '../../rows/findings/finding.js' {
  interface FiguresByCode extends FiguresOfValues {
    values_lead: { requests: number };
    value_control_away: Record<never, number>;
    value_proved_worse: {
      value: number;
      lower: number;
      upper: number;
    };
    value_proved_better: {
      value: number;
      lower: number;
      upper: number;
      isShown: number;
    };
  }
}

const SEVERITY: Readonly<Record<ValueConsequence, Severity>> = {
  refused: 'caution',
  bound: 'caution',
  caution: 'caution',
  undecided: 'note',
};

/** Findings that limit values: one per reason, with all affected models. */
export function valueFindings({ values = [] }: WindowSnapshot): Finding[] {
  const found = new Map<
    string,
    {
      reason: ValueReason;
      models: Set<string>;
    }
  >();
  for (const { model, reasons } of values) {
    for (const reason of reasons) {
      const key = JSON.stringify([reason.code, reason.consequence, reason.figures]);
      const own = found.get(key) ?? {
        reason,
        models: new Set(),
      };
      own.models.add(model);
      found.set(key, own);
    }
  }
  return [...found.values()].map(({ reason: { code, consequence, figures }, models }) => {
    const subject = { models: [...models] };
    const own = {
      code: `value_${code}`,
      severity: SEVERITY[consequence],
      subject,
      figures,
    };
    return {
      ...own,
      reason: VALUE_OUTCOMES[consequence],
    } as Finding;
  });
}

/** Whether a finding limits reward per request. */
export function isOfValues(code: string): boolean {
  return code.startsWith('value_');
}

/** Begin a sentence with the finding's consequence for the values of its models. */
function outcome({ subject: { models = [] }, reason }: Finding): Sentence {
  const of = say`Reward per request of ${listed(models.map((name) => ({ name })))}`;
  if (reason === 'refused') return say`${of} is not reported`;
  if (reason === 'lower_bound') return say`${of} has only a lower bound`;
  if (reason === 'no_verdict') return say`${of} supports no verdict`;
  return say`${of} needs caution`;
}

export const VALUE_WORDS = {
  value_no_shares: (finding) =>
    say`${outcome(finding)}: the log lacks the probability that each list was served. Log share with the lists of every model.`,
  value_no_lists: (finding) =>
    say`${outcome(finding)}: no request has one of their lists. Log their lists, or correct the names in value.targets.`,
  value_target_unknown: (finding) =>
    say`${outcome(finding)}: their lists are not logged. Log them.`,
  value_incomplete_requests: (finding) =>
    say`${outcome(finding)}: only ${percent(finding.figures.share)} of the requests have the lists of all models. At least ${percent(finding.figures.least)} are needed: log the lists of all models with every request.`,
  value_lists_sampled_out: (finding) =>
    say`${outcome(finding)}: no request has all its lists in the sample. Use a longer window, or raise limits.requests.`,
  value_rewards_pending: (finding) =>
    say`${outcome(finding)}: the log ends before value.horizon for ${percent(finding.figures.share)} of the requests. Their rewards may be missing. Evaluate a longer log, or lower value.horizon.`,
  value_sample_ratio_mismatch: (finding) =>
    say`${outcome(finding)}: sample ratio mismatch (χ² ${decimal(finding.figures.chiSquare, 1)}). Models were not served in the logged shares: correct the shares, or find the missing requests.`,
  value_candidates_unknown: (finding) =>
    say`${outcome(finding)}: ${percent(finding.figures.share)} of the randomised lists do not say from how many items they were drawn, so they count only for the items they show. Log randomized and candidates with all lists of that model.`,
  value_arms_by_user: (finding) =>
    say`${outcome(finding)}: users keep their model, so their lists may depend on what that model showed them before. Assign the model at random to each request.`,
  value_lists_follow_arm: (finding) =>
    say`${outcome(finding)}: lists depend on which model is served (z = ${decimal(finding.figures.z, 1)}). For each request, generate the lists of all models before drawing the one to serve.`,
  value_arms_disagree: (finding) =>
    say`${outcome(finding)}: estimates of one served model from all requests and from its own requests differ (z = ${decimal(finding.figures.z, 1)}). Users may not examine positions independently.`,
  value_clicks_end_requests: (finding) =>
    say`${outcome(finding)}: users may stop after a click. Requests have ${whole(finding.figures.observed)} pairs of clicks, expected ${whole(finding.figures.expected)} if users examined positions independently.`,
  value_examination_unknown: (finding) =>
    say`${outcome(finding)}: examination probabilities of positions are not known. Serve some randomised lists, split requests between models and log share, or log propensities of positions.`,
  value_examination_uncertain: (finding) =>
    say`${outcome(finding)}: examination probabilities of positions are too uncertain. Use more requests, or models that put the same items at more positions. You can also lower the depth to leave out positions that nobody sees.`,
  value_partly_supported: (finding) =>
    say`${outcome(finding)}: served lists overlap with ${percent(finding.figures.coverage)} of their rankings. Log some randomised lists for the rest.`,
  value_mostly_unsupported: (finding) =>
    say`${outcome(finding)}: served lists overlap with only ${percent(finding.figures.coverage)} of their rankings. Log some randomised lists to value the rest.`,
  value_heavy_row: (finding) =>
    say`${outcome(finding)}: a single row makes up ${percent(finding.figures.share)} of its rewards or of its weights. Serve models in more even shares, or show such items more often.`,
  value_several_loggers: (finding) =>
    say`${outcome(finding)}: ${whole(finding.figures.loggers)} models drew the lists, each with its own propensities. Log for each item the probability that any of them shows it (the sum over models of share times propensity), and set value.loggers to balanced.`,
  value_mean_weight_off: (finding) =>
    say`${outcome(finding)}: importance weights average ${decimal(finding.figures.mean, 3)}, expected 1. The logged propensities or shares are wrong, or the logging model cannot show some of these items.`,
  value_weights_shrunk: (finding) =>
    say`${outcome(finding)} in the form dros: shrinking weights by λ = ${decimal(finding.figures.shrinkage, 1)} moves it ${decimal(finding.figures.z, 1)} standard errors away from the unbiased form dr. Read dr, or raise value.shrinkage.`,
  value_few_rewards: (finding) =>
    say`${outcome(finding)}: it rests on only ${whole(finding.figures.ess)} effective rewards. At least ${whole(finding.figures.least)} are needed: use a longer window.`,
} satisfies Words;
