import type { Finding } from '../../rows/findings/finding.js';
import type { AbAnswer, AbArm, AbCaution, AbLift, AbReward } from './answer.js';
import { unjudgedFinding } from './verdict-findings.js';

/** Order of verdicts: the actionable ones first. */
const ORDER: readonly AbLift['verdict'][] = ['prefer', 'changed', 'undecided', 'immaterial'];

/** Additional figures of a verdict from an A/B test. */
export interface TestFigures {
  /** 1 for a verdict from an A/B test, which has these figures. */
  readonly isTest: number;
  /** 1 if users were randomised, 0 for requests. */
  readonly isByUser: number;
  /** 1 if the control is better. */
  readonly isControlBetter: number;
  /** Mean reward of the model and of the control, per unit of randomisation. */
  readonly own: number;
  readonly control: number;
  /** The model's lift over the control, also if the control is better; NaN if it is not known. */
  readonly lift: number;
  readonly liftLower: number;
  readonly liftUpper: number;
}

/** Findings of an A/B test on each model against the control, the actionable ones first. */
export function testFindings(answer: AbAnswer): Finding[] {
  const { refusal, lifts, control, arms, since, unit } = answer;
  if (refusal !== null) {
    const models = [...lifts.map(({ model }) => model), control];
    const isByUser = Number(unit === 'user');
    const figures = {
      ...refusal.figures,
      since,
      isByUser,
    };
    return [unjudgedFinding(refusal.code, models, figures, refusal.of)];
  }
  const clearness = ({ difference, stdErr }: AbLift) =>
    stdErr > 0 ? Math.abs(difference) / stdErr : 0;
  return [...lifts]
    .sort(
      (a, b) => ORDER.indexOf(a.verdict) - ORDER.indexOf(b.verdict) || clearness(b) - clearness(a),
    )
    .map((lift) => findingOf(answer, lift, arms));
}

function findingOf(answer: AbAnswer, lift: AbLift, arms: readonly AbArm[]): Finding {
  const { control, since, at, rule, reward } = answer;
  const { model, better, difference, lower, upper } = lift;
  const isTurned = better === control;
  const of = (name: string) => arms.find((arm) => arm.model === name)!;
  const test: TestFigures = {
    isTest: 1,
    isByUser: Number(answer.unit !== 'request'),
    isControlBetter: Number(isTurned),
    own: comparedMean(answer, lift, of(model)),
    control: comparedMean(answer, lift, of(control)),
    lift: lift.lift,
    liftLower: lift.liftLower,
    liftUpper: lift.liftUpper,
  };
  const isSingleLook = Number(rule === 'single_look');
  const subject = {
    models: isTurned ? [control, model] : [model, control],
    metrics: [`${rewardName(reward)} ${PER[lift.of]}`],
  };
  const value = {
    value: isTurned ? -difference : difference,
    lower: isTurned ? -upper : lower,
    upper: isTurned ? -lower : upper,
    since,
  };
  switch (lift.verdict) {
    case 'prefer': {
      const rest = {
        at,
        isSingleLook,
        rung: 0,
        isSharper: 0,
        isIfChance: 0,
        above: Number.NaN,
      };
      const figures = {
        ...value,
        ...rest,
        ...test,
      };
      return {
        code: 'verdict_prefer',
        severity: 'good',
        subject,
        figures,
      };
    }
    case 'changed': {
      const figures = {
        ...value,
        lastDay: Number.NaN,
        ...test,
      };
      return {
        code: 'verdict_changed',
        severity: 'caution',
        subject,
        figures,
      };
    }
    case 'immaterial': {
      const figures = {
        ...value,
        margin: Number.NaN,
        ...test,
      };
      return {
        code: 'verdict_immaterial',
        severity: 'note',
        subject,
        figures,
      };
    }
    case 'same':
      return {
        code: 'verdict_same',
        severity: 'note',
        subject,
        figures: { since },
      };
    default: {
      if (rule === 'sequence') {
        return {
          code: 'verdict_open',
          severity: 'note',
          subject,
          figures: {
            ...value,
            ...test,
          },
        };
      }
      const rest = {
        rung: 0,
        isSharper: 0,
        common: 1,
      };
      const figures = {
        ...value,
        ...rest,
        ...test,
      };
      return {
        code: 'verdict_unclear',
        severity: 'note',
        subject,
        figures,
      };
    }
  }
}

/** Unit of a difference, by the rewards that it compares. */
const PER: Readonly<Record<AbLift['of'], string>> = {
  all: 'per user',
  named: 'per user on its own lists',
  per_request: 'per list',
};

/** The mean on which a lift is based; NaN for rewards with list ids. */
function comparedMean(answer: AbAnswer, { of }: AbLift, arm: AbArm): number {
  if (of === 'named') return Number.NaN;
  return of === 'per_request' ? arm.perRequest : meanOf(answer, arm);
}

/** Mean reward of an arm per unit of randomisation. */
export function meanOf({ unit }: Pick<AbAnswer, 'unit'>, arm: AbArm): number {
  return unit === 'request' ? arm.perRequest : arm.perUser;
}

/**
 * Name of the reward, in the plural.
 *
 * @example
 * rewardName({ action: 'click', by: 'count' }); // 'clicks'
 */
export function rewardName({ action, by }: AbReward): string {
  if (by === 'value') return action === null ? 'value' : `${action} value`;
  // If only one action is rewarded, name that action.
  if (action !== null) return plural(action);
  return by === 'count' ? 'rewards' : 'reward';
}

function plural(noun: string): string {
  return /(s|x|z|ch|sh)$/.test(noun) ? `${noun}es` : `${noun}s`;
}

/** Cautions of a test as findings. */
export function testCautions({ cautions, control }: AbAnswer): Finding[] {
  return cautions.map(({ code, figures, of }: AbCaution): Finding => {
    const subject = { models: [of[0] ?? control, control] };
    return {
      code: `test_${code}`,
      severity: 'caution',
      subject,
      figures,
    } as Finding;
  });
}
