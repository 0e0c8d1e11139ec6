import type { AbAnswer, AbLift } from '../../src/features/verdicts/answer.js';

const DAY_MS = 86_400_000;

/** 0.94 clicks a user of the control, 1.56 of treatment: +66 %. */
export function anAnswer(changes: Partial<AbAnswer> = {}): AbAnswer {
  return {
    unit: 'user',
    isUnitAssumed: false,
    isRandomisationAssumed: true,
    split: { declared: null, served: { control: 0.5, treatment: 0.5 }, p: Number.NaN },
    control: 'control',
    reward: { action: 'click', by: 'count' },
    since: 0,
    at: 3 * DAY_MS,
    days: 3,
    isWeekdaysOnly: false,
    isWholeWeek: false,
    usesHistory: false,
    rule: 'single_look',
    arms: [
      {
        model: 'control',
        users: 1500,
        requests: 4500,
        rewards: 1410,
        perUser: 0.94,
        perRequest: 0.31,
      },
      {
        model: 'treatment',
        users: 1500,
        requests: 4500,
        rewards: 2340,
        perUser: 1.56,
        perRequest: 0.52,
      },
    ],
    lifts: [aLift()],
    refusal: null,
    cautions: [
      { code: 'split_unchecked', figures: {}, of: [] },
      { code: 'part_week', figures: { days: 3, weekdays: 0 }, of: [] },
    ],
    ...changes,
  };
}

export function aLift(changes: Partial<AbLift> = {}): AbLift {
  return {
    model: 'treatment',
    difference: 0.62,
    stdErr: 0.04,
    lower: 0.54,
    upper: 0.7,
    lift: 0.66,
    liftLower: 0.55,
    liftUpper: 0.77,
    z: 15.5,
    score: 15.2,
    of: 'all',
    verdict: 'prefer',
    better: 'treatment',
    ...changes,
  };
}

/** A log in which lists of the two models led to every click: metrics are withheld. */
