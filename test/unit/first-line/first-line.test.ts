import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/estimators/mathematics/random.js';
import { printedOf, saidOf, simulated, withoutNames } from '../../support/first-line.js';
import { IS_LONG } from '../../support/repetitions.js';

describe('the first line over a whole log', () => {
  // Of two arms; of several tests, and so made once.
  let armsLog: ReturnType<typeof simulated> | undefined;

  it('prefers no model by a metric that the value estimate contradicts', async () => {
    const { train, events } = simulated({ users: 400, logger: 0.3, causedShare: 0.5 });
    const { verdicts } = await saidOf(events, {}, train);
    const ofBlend = verdicts.find((text) => text.includes('blend'))!;
    expect(verdicts.join('\n')).not.toMatch(/^blend (probably )?beats/m);
    expect(ofBlend).toMatch(/^Can’t tell whether blend beats production: −/);
    expect(verdicts[0]).toMatch(/^personal probably beats production: \+/);
  }, 60_000);

  it('follows randomised traffic if a corrected metric contradicts it', async () => {
    // Nothing is corrected, so popular lists seem better.
    const { train, events } = simulated({ users: 500, randomizedShare: 0.6, itemNoise: 0.5 });
    const settings = { gamma: '-1', 'estimates.estimators': 'naive,snips,ure' };
    const { verdicts } = await saidOf(events, settings, train);
    const pair = verdicts.filter((text) => text.includes('blend') && text.includes('personal'));
    expect(pair).toHaveLength(1);
    expect(pair[0]).toMatch(/^(personal beats blend|Can’t tell whether).*from randomised traffic/);
    expect(verdicts.join('\n')).not.toMatch(/uniform|blend leads|popular leads/);
  }, 60_000);

  it('does not mention γ, causes or interventions if all traffic is randomised', async () => {
    const { verdicts } = await saidOf(drawnAtRandom());
    const text = await printedOf({ events: drawnAtRandom() });
    expect(verdicts[0]).toMatch(/^a beats b: .* recall@10 .*, from randomised traffic\.$/);
    expect(text).toContain('Can these numbers be trusted? Yes. The effective sample size');
    expect(text).not.toMatch(
      /γ (is|was|that)|caused|every γ|Interventions|Events that models are evaluated on/,
    );
  }, 60_000);

  it('does not say that clicks lack their list’s id if all have it', async () => {
    const { train, events } = simulated({ users: 300, causedShare: 1, naming: 'shown' });
    const { verdicts } = await saidOf(events, {}, train);
    expect(verdicts.join('\n')).not.toContain('do not name');
  }, 60_000);

  // Every second click is that of a reason why there is no verdict, by day too.
  it.each(
    IS_LONG
      ? ([
          ['every second click', 2],
          ['each click', 1],
        ] as const)
      : ([['each click', 1]] as const),
  )(
    'is not misled by an experiment in which %s of one arm lacks its list’s id',
    async (_, every) => {
      armsLog ??= simulated({ users: 600, arms: 2, causedShare: 0.5, naming: 'shown' });
      const { train, events } = armsLog;
      // Personal is better by more than a third, and seems worse by what is named: all counts by user.
      const { verdicts } = await saidOf(withoutNames(events, ['personal'], every), {}, train);
      expect(verdicts[0]).toMatch(/^personal beats blend: /);
    },
    60_000,
  );

  it('gives no verdict if the lists of one model began later', async () => {
    const { verdicts } = await saidOf(late(), { gamma: '-1' });
    expect(verdicts).toEqual([
      expect.stringMatching(
        /^No verdict on a and b: b has lists for only 50\s% of the interactions, a for 100\s%\. Log lists of both for all users\.$/,
      ),
    ]);
    expect((await saidOf(late(0), { gamma: '-1' })).verdicts[0]).toMatch(/^(Can’t tell|a and b)/);
  }, 60_000);

  it.each([
    [
      'their earlier interactions',
      {},
      /^No verdict on a and b: users of (a|b) had \d+\s% (fewer|more) interactions before/,
    ],
    [
      'their device',
      { 'segments.dimensions': '{"device":"user"}' },
      /^No verdict on a and b: sample ratio mismatch within device (desktop|mobile): [ab] served/,
    ],
  ])(
    'detects by %s users who chose their arm and keep it',
    async (_, settings, text) => {
      const isByDevice = Object.keys(settings).length > 0;
      const { verdicts } = await saidOf(chosen(isByDevice ? 0 : 8, isByDevice), settings);
      expect(verdicts[0]).toMatch(text);
      const sound = await saidOf(chosen(8, true, 0.5), settings);
      expect(sound.verdicts.join()).not.toMatch(/had done|mismatch/);
    },
    60_000,
  );
});

/** Users keep one of two arms, and those who did more before chose b more often. */
function* chosen(more: number, hasDevice: boolean, chance = 0.8) {
  const random = new Random(2, 'chosen');
  const start = 1_700_000_000_000;
  for (let u = 0; u < 600; u++) {
    const user = `u${u}`;
    const isActive = random.next() < 0.5;
    const segments = hasDevice ? { device: isActive ? 'desktop' : 'mobile' } : {};
    const arm = random.next() < (isActive ? chance : 1 - chance) ? 'b' : 'a';
    for (let n = 0; n < 1 + (isActive ? more : 0); n++) {
      const of = { ts: start + u, user, item: `old${n}`, segments };
      yield { type: 'interaction', id: `i${u}-${n}`, ...of } as const;
    }
    for (let r = 0; r < 3; r++) {
      const ts = start + 3_600_000 + 10_000 * u + 1000 * r;
      const request = `r${u}-${r}`;
      for (const model of ['a', 'b']) {
        const items = [`${model}${random.below(5)}`, `x${random.below(5)}`];
        yield {
          type: 'exposure' as const,
          id: `${request}${model}`,
          ts,
          user,
          model,
          items,
          segments,
          shown: model === arm,
          request,
          share: 0.5,
        };
        if (model !== arm || random.next() > 0.4) continue;
        const click = { ts: ts + 10, user, item: items[0]!, exposure: `${request}${model}` };
        yield { type: 'interaction', id: `c${request}`, ...click } as const;
      }
    }
  }
}

/** What was found was shown at random, and the lists of both models are known. */
function* drawnAtRandom() {
  const random = new Random(1, 'drawn');
  for (let u = 0; u < 400; u++) {
    const user = `u${u}`;
    const ts = 1_700_000_000_000 + 1000 * u;
    for (const model of ['a', 'b']) {
      const items = Array.from({ length: 20 }, (_, n) => (model === 'a' ? `i${n}` : `i${39 - n}`));
      const of = { ts, user, model, items, shown: false };
      yield { type: 'exposure', id: `e${model}${u}`, ...of } as const;
    }
    for (let n = 0; n < 4; n++) {
      const item = `i${Math.floor(40 * random.next() ** 1.5)}`;
      const of = { ts: ts + 10 + n, user, item, randomized: true };
      yield { type: 'interaction', id: `c${u}-${n}`, ...of } as const;
    }
  }
}

/** Two equal models; lists of b begin with a given user, and the second half has more hits. */
function* late(from = 1000) {
  const random = new Random(1, 'late');
  for (let u = 0; u < 2000; u++) {
    const user = `u${u}`;
    const ts = 1_700_000_000_000 + 1000 * u;
    const item = `i${random.below(20)}`;
    for (const model of u < from ? ['a'] : ['a', 'b']) {
      const isFound = random.next() < (u < 1000 ? 0.1 : 0.4);
      const items = [...(isFound ? [item] : []), 'x0', 'x1', 'x2'];
      yield {
        type: 'exposure' as const,
        id: `e${model}${u}`,
        ts,
        user,
        model,
        items,
        shown: false,
      };
    }
    yield { type: 'interaction', id: `c${u}`, ts: ts + 10, user, item } as const;
  }
}
