import { describe, expect, it } from 'vitest';
import type { PairVerdict } from '../../../src/features/verdict.js';
import { type LiveTick, liveTick } from '../../../src/outputs/http/schema/live-tick.js';
import { trustOf, verdictOf } from '../../../src/page/said.js';
import { plainText } from '../../../src/rows/findings/sentence.js';
import { stateOf, type WordedState } from '../../../src/rows/findings/state.js';
import { wordedStates } from '../../../src/rows/findings/state-words.js';
import { toldApart } from '../../../src/rows/words.js';
import { makeSnapshot } from '../../fixtures/snapshot.js';
import { QUALITY } from '../../support/http-server.js';
import { aVerdict } from '../../support/verdict.js';

const said = (...verdicts: readonly PairVerdict[]) => saidIn([], ...verdicts);

/** As it arrives: JSON knows no NaN. */
function saidIn(states: readonly WordedState[], ...verdicts: readonly PairVerdict[]) {
  const sent = liveTick({ ...makeSnapshot(), verdicts }, QUALITY, {});
  const tick = JSON.parse(JSON.stringify(sent)) as LiveTick;
  const { headline, earlier, others } = tick.opening;
  return {
    ...verdictOf(tick, states),
    text: plainText(headline),
    earlier: earlier && plainText(earlier),
    others: others.map(plainText),
  };
}

describe('the verdict', () => {
  it('gives the pair that can be acted on first, then the others', () => {
    const found = said(aVerdict(), aVerdict({ state: 'prefer', better: 'personal' }));
    expect(found).toMatchObject({ tone: 'good', held: undefined, earlier: null });
    expect(found.text).toMatch(/^personal beats blend: /);
    expect(found.others).toEqual([expect.stringMatching(/^Can’t tell yet whether/)]);
  });

  it('stays visible, with a note, under a state that contradicts it', () => {
    const stale = wordedStates([stateOf('stale', { newest: 0, ageMs: 180_000 })]);
    const found = saidIn(stale, aVerdict({ state: 'prefer', better: 'personal' }));
    expect(found.tone).toBe('unknown');
    expect(found.text).toMatch(/^personal beats blend: /);
    // The pane ends 2023-11-14 22:14:00 UTC.
    expect(found.held).toBe('Last updated 22:14:00 UTC; stale.');
    const sampled = wordedStates([stateOf('sampled', { ratio: 0.5 })]);
    const preferred = saidIn(sampled, aVerdict({ state: 'prefer', better: 'personal' }));
    expect(preferred).toMatchObject({ tone: 'good', held: undefined });
  });

  it('moves below the headline once a model has changed', () => {
    const changed = {
      changed: 'blend',
      startsAgain: Date.UTC(2026, 2, 7, 18),
      changedAt: Date.UTC(2026, 2, 7, 15, 25),
      changedBy: 'mark',
    } as const;
    const found = said(aVerdict({ state: 'prefer', better: 'personal', ...changed }));
    expect(found.tone).toBe('unknown');
    expect(found.text).toBe(
      'blend changed at 15:25 UTC on 2026-03-07 (deployment): the comparison has restarted.',
    );
    expect(found.earlier).toMatch(/^personal beats blend: /);
  });

  it.each([
    [{ state: 'changed', better: 'personal', lastDay: -0.1 }, 'care'],
    [{ flip: { gamma: 1, winsBelow: 'blend' } }, 'unknown'],
    [{ state: 'immaterial' }, 'unknown'],
    [{ state: 'none', reason: 'young' }, 'unknown'],
  ] as const)('%o has the tone %s', (changes, tone) => {
    expect(said(aVerdict(changes)).tone).toBe(tone);
  });

  it('states when the first one comes if there is none', () => {
    expect(said()).toMatchObject({ tone: 'unknown', text: expect.stringMatching(/for a day/) });
    const tick = liveTick(makeSnapshot(), QUALITY, {}) as LiveTick;
    expect(plainText(tick.opening.headline)).toMatch(/decision\.metric is none/);
  });
});

describe('trust', () => {
  it('groups reasons by kind, and is "No" while a state contradicts it', () => {
    const models = Array.from({ length: 12 }, (_, n) => `m${n}`);
    const snapshot = makeSnapshot({ models });
    const tick = JSON.parse(JSON.stringify(liveTick(snapshot, QUALITY, {}))) as LiveTick;
    const { reasons } = tick.window.trust;
    const { kinds, held } = trustOf(tick, []);
    expect(kinds.flat()).toHaveLength(reasons.length);
    expect(kinds.length).toBeLessThan(reasons.length / 2);
    for (const kind of kinds) expect(new Set(kind.map(({ code }) => code)).size).toBe(1);
    expect(held).toEqual([]);
    const cut = wordedStates([stateOf('stream_cut', { shownTo: null })]);
    expect(trustOf(tick, cut)).toMatchObject({
      tone: 'bad',
      word: 'No',
      held: ['See the status line above for the reason.'],
    });
  });
});

describe('a long name', () => {
  it('keeps the part that differs from names with the same start and end', () => {
    const names = ['eu-west-1', 'us-west-1', 'us-east-1'].map(
      (region) => `two-tower-ranker-2026-candidate-${region}-of-the-fleet-in-production`,
    );
    const short = names.map((name) => toldApart(name, names, 30));
    expect(new Set(short).size).toBe(3);
    for (const name of short) {
      expect([...name].length).toBeLessThanOrEqual(31);
      expect(name.startsWith('two-')).toBe(true);
      expect(name.endsWith('ion')).toBe(true);
    }
  });

  it('is unchanged if it fits, and loses its middle if its ends are distinct', () => {
    const names = ['a', 'a-very-long-family-of-names-v1', 'a-very-long-family-of-names-v2'];
    expect(toldApart('a', names, 20)).toBe('a');
    expect(toldApart(names[1]!, names, 20)).toMatch(/^a-very.*…es-v1$|^a-very-lon….*names-v1$/);
  });
});
