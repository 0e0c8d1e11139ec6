import { describe, expect, it } from 'vitest';
import { verdictFindings } from '../../../src/features/verdicts/verdict-findings.js';
import { textOf } from '../../../src/rows/findings/words.js';
import { type ArmWorld, verdictsOn, type WorldModel } from '../../support/arm-world.js';
import { itAtNight } from '../../support/at-night.js';
import { type LoggedWorld, loggedVerdict } from '../../support/logged-world.js';
import { repetitions } from '../../support/repetitions.js';

const ALPHA: WorldModel = { name: 'alpha', noise: 1, share: 0.5 };
const BETA: WorldModel = { name: 'beta', noise: 1, share: 0.5 };
const TWO = [ALPHA, BETA];
const WITH_RANDOM: readonly WorldModel[] = [
  { ...ALPHA, share: 0.45 },
  { ...BETA, share: 0.45 },
  { name: 'random', noise: 1, share: 0.1, isRandom: true },
];
const challenger = (noise: number): WorldModel => ({ name: 'chal', noise, share: 0 });

/** How often the model and its reference are each called better, with reasons and texts. */
function claims(world: Omit<ArmWorld, 'seed'>, of: string, worlds: number) {
  let model = 0;
  let reference = 0;
  const reasons = new Map<string, number>();
  const texts = new Set<string>();
  for (let seed = 1; seed <= worlds; seed++) {
    const { verdicts } = verdictsOn({ ...world, seed });
    const found = verdicts.find((own) => own.model === of)!;
    if (found.better === of) model++;
    else if (found.better !== null) reference++;
    const why = found.reason ?? found.state;
    reasons.set(why, (reasons.get(why) ?? 0) + 1);
    texts.add(textOf(verdictFindings([found])[0]!));
  }
  return { model: model / worlds, reference: reference / worlds, reasons, texts: [...texts] };
}

/** The largest share of worlds that is consistent with a rate of 5 %, at 95 %. */
function mostOf(worlds: number): number {
  let below = 0;
  let chance = 0.95 ** worlds;
  for (let count = 0; ; count++) {
    below += chance;
    if (below >= 0.95) return count / worlds;
    chance *= ((worlds - count) / (count + 1)) * (0.05 / 0.95);
  }
}

/** By day one world of each kind, in which neither of two equal models may be called better. */
const worlds = repetitions(1, 100);
const QUARTER = 900_000;

/** Worlds that run only at night, because a similar one runs in `npm test`. */
const AT_NIGHT = [
  'randomised by user, with users who stop at a click',
  'with users who choose among the whole list',
  'with rewards that depend on the whole list',
  'with fewer clicks on a list after clicks on the one before, by user',
  'randomised by session',
  'that alternate over time',
  'randomised by request, with varying demand',
  'one of them a shadow model, with half of all clicks ending the request',
  'one of them a shadow model, with users who choose',
  'one of them a shadow model, whose lists are missing at random',
];

describe('equal models', () => {
  const EQUAL: readonly (readonly [string, Omit<ArmWorld, 'seed'>, string])[] = [
    ['randomised by request', { models: TWO }, 'beta'],
    ['randomised by user', { models: TWO, draw: 'user' }, 'beta'],
    [
      'randomised by user, with users who stop at a click',
      { models: TWO, draw: 'user', behaviour: 'cascade' },
      'beta',
    ],
    ['with users who choose among the whole list', { models: TWO, behaviour: 'choice' }, 'beta'],
    ['with rewards that depend on the whole list', { models: TWO, behaviour: 'slate' }, 'beta'],
    [
      'with the same top positions',
      {
        models: [
          { ...ALPHA, keeps: 3 },
          { ...BETA, like: 'alpha', keeps: 3 },
        ],
        requests: 4000,
      },
      'beta',
    ],
    ['randomised by user, with a crawler', { models: TWO, draw: 'user', crawler: 2800 }, 'beta'],
    // Two that no text names.
    ['with one user in twenty who clicks on everything', { models: TWO, clickers: 0.05 }, 'beta'],
    [
      'with fewer clicks on a list after clicks on the one before',
      { models: TWO, budget: 3 },
      'beta',
    ],
    [
      'with fewer clicks on a list after clicks on the one before, by user',
      { models: TWO, budget: 3, draw: 'user' },
      'beta',
    ],
    ['randomised by session', { models: TWO, draw: 'sessions' }, 'beta'],
    ['that alternate over time', { models: TWO, draw: 'by turns', tides: 0.4 }, 'beta'],
    ['randomised by request, with varying demand', { models: TWO, tides: 0.4 }, 'beta'],
    [
      'one of them a shadow model',
      { models: [...WITH_RANDOM, challenger(1)], requests: 4000 },
      'chal',
    ],
    [
      'one of them a shadow model, with users who stop at a click',
      { models: [...WITH_RANDOM, challenger(1)], requests: 4000, behaviour: 'cascade' },
      'chal',
    ],
    [
      'one of them a shadow model, with half of all clicks ending the request',
      { models: [...WITH_RANDOM, challenger(1)], requests: 4000, behaviour: 'half cascade' },
      'chal',
    ],
    [
      'one of them a shadow model, with users who choose',
      { models: [...WITH_RANDOM, challenger(1)], requests: 4000, behaviour: 'choice' },
      'chal',
    ],
    [
      'one of them a shadow model that the served lists overlap with in part',
      { models: [...TWO, challenger(1)], requests: 4000 },
      'chal',
    ],
    [
      'one of them a shadow model, whose lists are missing at random',
      { models: [...WITH_RANDOM, { ...challenger(1), lacks: 0.03 }], requests: 4000 },
      'chal',
    ],
    [
      'one of them a shadow model, whose lists are missing where rewards are low',
      {
        models: [...WITH_RANDOM, { ...challenger(1), lacks: 0.2, lacksWhere: 'poor' }],
        requests: 4000,
      },
      'chal',
    ],
  ];
  for (const [name, world, of] of EQUAL) {
    (AT_NIGHT.includes(name) ? itAtNight : it)(
      `${name}: each is called better in at most one world of twenty`,
      async ({ annotate }) => {
        const found = claims(world, of, worlds);
        await annotate(`${found.model} and ${found.reference} of ${worlds}, ${[...found.reasons]}`);
        expect(found.model).toBeLessThanOrEqual(mostOf(worlds));
        expect(found.reference).toBeLessThanOrEqual(mostOf(worlds));
      },
      QUARTER,
    );
  }
});

describe('a better model', () => {
  it(
    'that is served is preferred, if assignment was random',
    () => {
      const found = claims({ models: [ALPHA, { ...BETA, noise: 0.6 }] }, 'beta', worlds);
      expect(found.model).toBeGreaterThan(0.8);
      expect(found.texts.find((text) => text.startsWith('beta beats'))).toMatch(
        /reward per request \(.*\), from the A\/B test.*, if models were assigned at random\.$/,
      );
    },
    QUARTER,
  );

  it(
    'that is worse on one device is preferred with that device as an exception',
    async ({ annotate }) => {
      const known = { knows: 'device', requests: 6000, users: 800 } as const;
      const better = { ...BETA, noise: 0.2, onDesktop: 1.8 };
      const found = claims({ ...known, models: [ALPHA, better] }, 'beta', worlds);
      const excepted = found.texts.filter((text) => text.includes(' is better in device'));
      const equal = claims({ ...known, models: [ALPHA, { ...BETA, noise: 0.6 }] }, 'beta', worlds);
      const wrong = equal.texts.filter((text) => text.includes(' is better in device'));
      await annotate(
        `${excepted.length} of ${found.model * worlds}, and ${wrong.length}, ${excepted[0]}`,
      );
      for (const text of excepted)
        expect(text).toMatch(/ alpha is better in device (desktop|mobile)\.( |$)/);
      expect(excepted.length).toBeGreaterThan(0.19 * worlds);
      expect(wrong.length / worlds).toBeLessThanOrEqual(mostOf(worlds));
    },
    QUARTER,
  );

  it(
    'that takes clicks from the next list is still preferred',
    async ({ annotate }) => {
      const better = { models: [ALPHA, { ...BETA, noise: 0.6 }], budget: 3 };
      const found = claims(better, 'beta', worlds);
      await annotate(`${found.model} and ${found.reference} of ${worlds}`);
      expect(found.model).toBeGreaterThan(0.4);
      expect(found.reference).toBeLessThanOrEqual(mostOf(worlds));
    },
    QUARTER,
  );

  it(
    'whose lists differ only at the end is preferred from the first difference on',
    () => {
      const close = { ...BETA, like: 'alpha', keeps: 3, noise: 0.3 };
      const found = claims({ models: [ALPHA, close] }, 'beta', worlds);
      expect(found.model).toBeGreaterThan(0.3);
      expect(found.reference).toBeLessThanOrEqual(mostOf(worlds));
      expect(found.texts.join()).toContain('at or below the first position where the lists differ');
    },
    QUARTER,
  );

  it(
    'that is a shadow model is probably better, if each position is examined on its own',
    () => {
      const models = [...WITH_RANDOM, challenger(0.4)];
      const found = claims({ models, requests: 6000 }, 'chal', repetitions(2, 100));
      expect(found.model).toBeGreaterThan(0.4);
      expect(found.reference).toBe(0);
      expect(found.texts.join()).toContain('chal was never served. Serve it to a few users.');
    },
    QUARTER,
  );

  it(
    'that is a shadow model and overlaps with the served lists in part never loses',
    () => {
      // In the first world they overlap with enough.
      const overlapping = repetitions(2, 100);
      const models = [...TWO, challenger(0.4)];
      const found = claims({ models, requests: 4000 }, 'chal', overlapping);
      expect(found.reference).toBe(0);
      expect(found.texts.join()).toMatch(
        /Can’t tell yet whether chal beats \S+: served lists overlap with only \d+\s% of its ranking/,
      );
    },
    QUARTER,
  );
});

describe('a challenger evaluated by the propensities of a logger', () => {
  /** How often it is said to be better, and worse, with what else is said. */
  function found(world: Omit<LoggedWorld, 'seed'>, count: number) {
    let better = 0;
    let worse = 0;
    const reasons = new Map<string, number>();
    for (let seed = 1; seed <= count; seed++) {
      const { verdict } = loggedVerdict({ ...world, seed });
      if (verdict.better === 'chal') better++;
      else if (verdict.better !== null) worse++;
      const why = verdict.reason ?? verdict.state;
      reasons.set(why, (reasons.get(why) ?? 0) + 1);
    }
    return { better, worse, reasons };
  }

  // By whole lists few requests weigh much, and by chance none of them may be rewarded.
  const SHORT = { items: 4, places: 2 };
  for (const [name, world] of [
    ['by position, users who examine each on its own', { behaviour: 'places', of: 'slot' }],
    ['by whole lists of three', { behaviour: 'places', of: 'conditional' }],
    [
      'by whole lists of three, users who choose by them',
      { behaviour: 'slate', of: 'conditional' },
    ],
    ['by whole lists of two', { behaviour: 'places', of: 'conditional', ...SHORT }],
    [
      'by whole lists of two, users who stop at a click',
      { behaviour: 'cascade', of: 'conditional', ...SHORT },
    ],
    [
      'by whole lists of two, users who choose by them',
      { behaviour: 'slate', of: 'conditional', ...SHORT },
    ],
  ] as const) {
    it(
      `${name}: equal to the logger, it wins or loses in at most one world of twenty`,
      async ({ annotate }) => {
        const { better, worse, reasons } = found(world, worlds);
        await annotate(`${better} and ${worse} of ${worlds}, ${[...reasons]}`);
        expect(better / worlds).toBeLessThanOrEqual(mostOf(worlds));
        expect(worse / worlds).toBeLessThanOrEqual(mostOf(worlds));
      },
      QUARTER,
    );
  }

  it(
    'is probably better and never worse by position, and better by whole lists',
    async ({ annotate }) => {
      const slots = found({ behaviour: 'places', of: 'slot', challenger: 0.3 }, worlds);
      const lists = { behaviour: 'cascade', of: 'conditional', challenger: 0.3, ...SHORT } as const;
      const whole = found(lists, worlds);
      await annotate(`${slots.better} and ${whole.better} of ${worlds}, ${[...whole.reasons]}`);
      expect(slots.worse).toBe(0);
      expect(slots.better).toBeGreaterThan(0.28 * worlds);
      expect(whole.better).toBeGreaterThan(0.28 * worlds);
      expect(whole.worse / worlds).toBeLessThanOrEqual(mostOf(worlds));
    },
    QUARTER,
  );

  it.each(['cascade', 'choice'] as const)(
    'has no verdict by position for users of %s, who stop after a click',
    (behaviour) => {
      for (let seed = 1; seed <= repetitions(2, 50); seed++) {
        const { verdict, values } = loggedVerdict({ behaviour, of: 'slot', seed });
        expect(verdict.better).toBeNull();
        expect(textOf(verdictFindings([verdict])[0]!)).toMatch(
          /^No verdict on chal and logger: users tend to stop after a click, .* Requests have only \d+\s% of the pairs/,
        );
        const ofSlots = values.values.filter(({ estimator }) =>
          estimator.startsWith('logged_slot'),
        );
        expect(ofSlots.length).toBe(3);
        for (const { reasons } of ofSlots) {
          expect(reasons.map(({ code }) => code)).toContain('clicks_end_requests');
        }
        const ofLists = loggedVerdict({ behaviour, of: 'conditional', seed }).values.values;
        const codes = ofLists.flatMap(({ reasons }) => reasons.map(({ code }) => code));
        expect(codes).not.toContain('clicks_end_requests');
      }
    },
    QUARTER,
  );
});

describe('violated assumptions of an A/B test', () => {
  itAtNight(
    'users who judge the list as a whole are detected in over 10 % of logs',
    async ({ annotate }) => {
      const models = [...WITH_RANDOM, challenger(1)];
      const found = claims({ models, requests: 4000, behaviour: 'slate' }, 'chal', worlds);
      await annotate(`${found.model} and ${found.reference} of ${worlds}, ${[...found.reasons]}`);
      expect(found.reasons.get('arm_off') ?? 0).toBeGreaterThan(0.1 * worlds);
      for (const text of found.texts.filter((own) => /^\S+ probably beats /.test(own))) {
        expect(text).toContain('if users examine each position on its own');
      }
      expect(found.model + found.reference).toBeLessThan(0.15);
    },
    QUARTER,
  );

  it(
    'users who keep their arm are not reported as a sample ratio mismatch',
    () => {
      let refused = 0;
      for (let seed = 1; seed <= worlds; seed++) {
        const { verdicts, values } = verdictsOn({ models: TWO, draw: 'user', users: 120, seed });
        if (
          verdicts[0]!.reason !== null ||
          values.values.some(({ status }) => status === 'refused')
        ) {
          refused++;
        }
      }
      expect(refused / worlds).toBeLessThanOrEqual(0.05);
    },
    QUARTER,
  );

  it(
    'users who choose their arm at each request are detected by consecutive requests',
    () => {
      const found = claims({ models: TWO, draw: 'taste' }, 'beta', worlds);
      expect([...found.reasons.keys()]).toEqual(['draw_mixed']);
      expect(found.texts[0]).toMatch(
        /Two consecutive requests of a user have the same model in \d+\s% of cases; expected 50\s% if/,
      );
    },
    QUARTER,
  );

  for (const [knows, cause, text] of [
    [
      'history',
      'unlike_before',
      /^No verdict on alpha and beta: users of (alpha|beta) had \d+\s% (fewer|more) interactions before/,
    ],
    [
      'device',
      'mixed_users',
      /^No verdict on alpha and beta: users of (alpha|beta) were not a random sample\. \d+\s% of them have device/,
    ],
  ] as const) {
    it(
      `users who keep the arm that they chose are detected by their ${knows}`,
      async ({ annotate }) => {
        const users = { models: TWO, users: 800, knows };
        const found = claims({ ...users, draw: 'kept taste' }, 'beta', worlds);
        await annotate(`${[...found.reasons]}`);
        // In some logs predicted rewards or the shares are the first objection.
        const claimed = found.model + found.reference;
        const open = ['undecided', 'immaterial'].map((state) => found.reasons.get(state) ?? 0);
        const refused = 1 - claimed - (open[0]! + open[1]!) / worlds;
        expect(refused).toBeGreaterThan(0.7);
        expect(found.reasons.get(cause) ?? 0).toBeGreaterThan(0.3 * worlds);
        expect(found.texts.join('\n')).toMatch(new RegExp(text.source, 'm'));
        const sound = claims({ ...users, draw: 'user' }, 'beta', worlds);
        expect(sound.reasons.get(cause) ?? 0).toBeLessThanOrEqual(0.05 * worlds);
      },
      QUARTER,
    );
  }

  it(
    'arms that alternate over time are detected, and randomised arms are not refused',
    async ({ annotate }) => {
      const found = claims({ models: TWO, draw: 'by turns', tides: 0.4 }, 'beta', worlds);
      // By chance few users' following requests seem to be neither first.
      expect(found.reasons.get('draw_turns')! / worlds).toBeGreaterThan(0.95);
      expect(found.model + found.reference).toBe(0);
      const three = [ALPHA, BETA, { ...BETA, name: 'gamma' }].map((arm) => ({
        ...arm,
        share: 1 / 3,
      }));
      const sound: Omit<ArmWorld, 'seed'>[] = [
        { models: TWO, tides: 0.4 },
        { models: TWO, draw: 'user', users: 1500 },
        { models: three, draw: 'user', tides: 0.4 },
        {
          models: [
            { ...ALPHA, share: 0.95 },
            { ...BETA, share: 0.05 },
          ],
          requests: 1000,
        },
      ];
      const refused = sound.map((world) => claims(world, 'beta', worlds).reasons.get('draw_turns'));
      await annotate(`refused wrongly: ${refused.map((own) => own ?? 0)} of ${worlds}`);
      for (const own of refused) expect((own ?? 0) / worlds).toBeLessThanOrEqual(0.01);
    },
    QUARTER,
  );

  it(
    'no preference is given if no shares are logged',
    () => {
      const found = claims({ models: TWO, draw: 'taste', isStated: false }, 'beta', worlds);
      expect([...found.reasons.keys()]).toEqual(['no_preference']);
      for (const text of found.texts)
        expect(text).toMatch(
          /^No preference: (alpha|beta) earned 0\.\d+ more per request than (alpha|beta), but the log does not show that models were assigned at random\. State the split, or log share with each list\.$/,
        );
      const { values } = verdictsOn({ models: TWO, draw: 'taste', isStated: false, seed: 1 });
      expect(values.differences.every(({ more }) => more.proved === 0)).toBe(true);
    },
    QUARTER,
  );

  it(
    'a preference states its assumption of random assignment if moods decide the arm',
    async ({ annotate }) => {
      const found = claims({ models: TWO, draw: 'mood' }, 'beta', worlds);
      await annotate(`claims: ${found.model} and ${found.reference} of ${worlds}`);
      for (const text of found.texts.filter((own) => /^\S+ beats /.test(own))) {
        expect(text).toContain('from the A/B test, if models were assigned at random');
      }
    },
    QUARTER,
  );

  it(
    'a preference has a caution if moods decide between lists with the same top',
    () => {
      const models = [
        { ...ALPHA, keeps: 3 },
        { ...BETA, like: 'alpha', keeps: 3 },
      ];
      const found = claims({ models, draw: 'mood' }, 'beta', worlds);
      const preferred = found.texts.filter((own) => /^\S+ beats /.test(own));
      expect(preferred.length).toBeGreaterThan(0);
      for (const text of preferred) {
        expect(text).toMatch(
          /^alpha beats beta: \+.* Above that position the lists are the same, and yet the difference is \+0\.\d+: assignment was not random, or users choose by the whole list\.$/,
        );
      }
    },
    QUARTER,
  );

  itAtNight(
    'users who keep an arm by a weak taste cause few preferences',
    async ({ annotate }) => {
      const kept = { models: TWO, draw: 'weak kept taste', users: 800 } as const;
      for (const knows of [undefined, 'history', 'device'] as const) {
        const found = claims({ ...kept, ...(knows && { knows }) }, 'beta', worlds);
        await annotate(`${knows}: ${found.model} and ${found.reference}, ${[...found.reasons]}`);
        for (const text of found.texts.filter((own) => /^\S+ beats /.test(own))) {
          expect(text).toContain('from the A/B test, if models were assigned at random');
        }
        expect(found.model + found.reference).toBeLessThan(knows === undefined ? 0.35 : 0.2);
      }
    },
    QUARTER,
  );

  for (const [behaviour, least] of [
    ['cascade', 1],
    ['half cascade', 0.4],
  ] as const) {
    it(
      `users of ${behaviour} are detected if a challenger is evaluated, or the assumption is stated`,
      async ({ annotate }) => {
        const models = [...WITH_RANDOM, challenger(0.6)];
        const found = claims({ models, requests: 4000, behaviour }, 'chal', worlds);
        await annotate(`${found.model} and ${found.reference} of ${worlds}, ${[...found.reasons]}`);
        const times = (...reasons: string[]) =>
          reasons.reduce((sum, reason) => sum + (found.reasons.get(reason) ?? 0), 0);
        // In a few logs correct randomisation is refused before clicks are checked.
        const judged = worlds - times('draw_mixed', 'shares_off', 'unbalanced');
        expect(judged / worlds).toBeGreaterThan(0.95);
        const noticed = times('clicks_stop', 'arm_off', 'arms_disagree');
        expect(noticed / judged).toBeGreaterThanOrEqual(least);
        expect(found.reference).toBeLessThanOrEqual(mostOf(worlds));
        for (const text of found.texts.filter((own) => /^\S+ probably beats /.test(own))) {
          expect(text).toContain('if users examine each position on its own');
        }
      },
      QUARTER,
    );
  }
});
