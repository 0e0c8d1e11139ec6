import type { Finding, Subject } from '../../rows/findings/finding.js';
import { metricName } from '../../rows/words.js';
import {
  CODED_REASONS,
  type NoVerdictReason,
  type PairVerdict,
  RUNGS,
  type VerdictState,
} from '../verdict.js';

/** Order of verdicts: the actionable ones first. */
const ORDER: readonly VerdictState[] = [
  'prefer',
  'changed',
  'probably',
  'probably_not',
  'leads',
  'undecided',
  'immaterial',
  'same',
  'unknown',
  'none',
  'no_preference',
];

/**
 * Convert the verdicts on all pairs to findings, the actionable ones first. Among equally
 * actionable verdicts, those for the best model come first, then the most significant ones. Pairs
 * without a verdict for the same reason share one finding.
 */
export function verdictFindings(verdicts: readonly PairVerdict[] = []): Finding[] {
  const losses = lossesOf(verdicts);
  const lost = ({ better }: PairVerdict) => (better === null ? 0 : (losses.get(better) ?? 0));
  const ordered = [...verdicts].sort(
    (a, b) =>
      ORDER.indexOf(a.state) - ORDER.indexOf(b.state) ||
      lost(a) - lost(b) ||
      clearness(b) - clearness(a),
  );
  const none = new Map<string, PairVerdict[]>();
  const found: (Finding | string)[] = [];
  for (const verdict of ordered) {
    const { reason, figures, of } = verdict;
    if (reason === null) {
      found.push(findingOf(verdict));
    } else {
      const name = JSON.stringify([reason, figures, of]);
      if (!none.has(name)) {
        found.push(name);
      }
      none.set(name, [...(none.get(name) ?? []), verdict]);
    }
  }
  return found.map((each) => (typeof each === 'string' ? withoutVerdict(none.get(each)!) : each));
}

/** Count for each model how many models are better. */
function lossesOf(verdicts: readonly PairVerdict[]): ReadonlyMap<string, number> {
  const losses = new Map<string, number>();
  for (const { state, better, model, reference } of verdicts) {
    if (better === null || (state !== 'prefer' && state !== 'leads')) continue;
    const worse = better === model ? reference : model;
    losses.set(worse, (losses.get(worse) ?? 0) + 1);
  }
  return losses;
}

/** How clear a verdict is: |D| relative to half the width of its interval. */
function clearness({ value, upper }: PairVerdict): number {
  const half = upper - value;
  return half > 0 ? Math.abs(value) / half : 0;
}

function withoutVerdict(pairs: readonly PairVerdict[]): Finding {
  const [{ reason, figures, of }] = pairs;
  // If only one model was served, name that one rather than a shadow or built-in model.
  const pairNames = pairs.flatMap(({ model, reference }) => [model, reference]);
  const models = [...new Set(reason === 'one_served' ? of : pairNames)];
  const since = Math.max(...pairs.map((pair) => pair.since));
  return unjudgedFinding(
    reason!,
    models.sort(),
    {
      ...figures,
      since,
    },
    of,
  );
}

/** Finding for models without a verdict. */
export function unjudgedFinding(
  reason: NoVerdictReason,
  models: readonly string[],
  figures: Readonly<Record<string, number>>,
  names?: readonly string[],
): Finding {
  const isCoded = (CODED_REASONS as readonly string[]).includes(reason);
  return {
    ...(isCoded
      ? { code: `verdict_${reason}` }
      : {
          code: 'verdict_none',
          cause: reason,
        }),
    severity: 'note',
    subject: { models },
    figures,
    ...(names !== undefined && { names }),
  } as Finding;
}

/** Convert a verdict to a finding, with the better model's figures minus the other's. */
function findingOf(verdict: PairVerdict): Finding {
  const { model, reference, state, better, since, at, margin, flip, rung, value } = verdict;
  const isTurned =
    state === 'no_preference' ? value < 0 : state !== 'probably_not' && better === reference;
  const models = isTurned ? [reference, model] : [model, reference];
  const subject: Subject = {
    models,
    metrics: [metricName(verdict)],
    ...(verdict.isOfUncaused && { rows: 'uncaused' }),
  };
  const { figures: known = {}, against } = verdict;
  const said = against === undefined ? {} : { reason: against };
  const isSingleLook = verdict.rule === 'single_look' ? 1 : 0;
  const difference = {
    value: isTurned ? -verdict.value : verdict.value,
    lower: isTurned ? -verdict.upper : verdict.lower,
    upper: isTurned ? -verdict.lower : verdict.upper,
  };
  if (state === 'same') {
    return {
      code: 'verdict_same',
      severity: 'note',
      subject,
      figures: { since },
    };
  }
  if (state === 'immaterial') {
    const figures = {
      ...difference,
      margin,
      since,
    };
    return {
      code: 'verdict_immaterial',
      severity: 'note',
      subject,
      figures,
    };
  }
  if (state === 'prefer') {
    const figures = {
      ...difference,
      since,
      at,
      isSingleLook,
      rung: RUNGS.indexOf(rung),
      isSharper: known.isSharper ?? 0,
      isIfChance: known.isIfChance ?? 0,
      above: (isTurned ? -1 : 1) * (known.above ?? Number.NaN),
    };
    const names = verdict.of === undefined ? {} : { names: verdict.of };
    return {
      code: 'verdict_prefer',
      severity: 'good',
      subject,
      figures,
      ...names,
      ...said,
    };
  }
  if (state === 'leads') {
    const { repeated = 0, common = 1 } = known;
    const figures = {
      ...difference,
      since,
      isSingleLook,
      repeated,
      common,
    };
    return {
      code: 'verdict_leads',
      severity: 'note',
      subject,
      figures,
      ...said,
    };
  }
  if (state === 'probably') {
    const { listed = 1 } = known;
    // Lists of other models may only be shown in part.
    const figures = {
      ...difference,
      since,
      listed,
      isShown: Number(rung === 'slots'),
    };
    return {
      code: 'verdict_probably',
      severity: 'good',
      subject,
      figures,
      ...said,
    };
  }
  if (state === 'probably_not') {
    const figures = {
      since,
      upper: verdict.upper,
    };
    return {
      code: 'verdict_probably_not',
      severity: 'note',
      subject,
      figures,
      ...said,
    };
  }
  if (state === 'unknown') {
    const figures = {
      ...difference,
      since,
      covered: known.covered ?? Number.NaN,
    };
    return {
      code: 'verdict_unknown',
      severity: 'note',
      subject,
      figures,
      ...said,
    };
  }
  if (state === 'no_preference') {
    const figures = {
      ...difference,
      since,
    };
    return {
      code: 'verdict_no_preference',
      severity: 'caution',
      subject,
      figures,
    };
  }
  if (state === 'changed') {
    const lastDay = isTurned ? -verdict.lastDay : verdict.lastDay;
    const figures = {
      ...difference,
      lastDay,
      since,
    };
    return {
      code: 'verdict_changed',
      severity: 'caution',
      subject,
      figures,
    };
  }
  if (flip !== null) {
    const { gamma, winsBelow } = flip;
    const order = winsBelow === model ? [model, reference] : [reference, model];
    const figures = { gamma, since };
    return {
      code: 'verdict_flips',
      severity: 'note',
      figures,
      subject: {
        ...subject,
        models: order,
      },
    };
  }
  return {
    ...undecided(verdict, subject, difference),
    ...said,
  };
}

function undecided(
  { forecast, since, rule, rung, figures: known = {} }: PairVerdict,
  subject: Finding['subject'],
  difference: {
    value: number;
    lower: number;
    upper: number;
  },
): Finding {
  const figures = {
    ...difference,
    since,
  };
  if (rule === 'single_look') {
    const { isSharper = 0, common = 1 } = known;
    const of = {
      rung: RUNGS.indexOf(rung),
      isSharper,
      common,
    };
    return {
      code: 'verdict_unclear',
      severity: 'note',
      subject,
      figures: {
        ...figures,
        ...of,
      },
    };
  }
  if (forecast === null) {
    return {
      code: 'verdict_open',
      severity: 'note',
      subject,
      figures,
    };
  }
  const { days, users } = forecast;
  if (days === null) {
    return {
      code: 'verdict_never',
      severity: 'note',
      subject,
      figures,
    };
  }
  // Unknown figures are NaN.
  const more = {
    ...figures,
    days,
    users: users ?? Number.NaN,
  };
  return {
    code: 'verdict_more_users',
    severity: 'note',
    subject,
    figures: more,
  };
}
