import { expect, it } from 'vitest';
import type { PairVerdict } from '../../../src/features/verdict.js';
import { type LiveTick, liveTick } from '../../../src/outputs/http/schema/live-tick.js';
import { betterAnswer } from '../../../src/page/answers.js';
import { plainText } from '../../../src/rows/findings/sentence.js';
import { stateOf, type WordedState } from '../../../src/rows/findings/state.js';
import { wordedStates } from '../../../src/rows/findings/state-words.js';
import { makeSnapshot } from '../../fixtures/snapshot.js';
import { QUALITY } from '../../support/http-server.js';
import { aVerdict } from '../../support/verdict.js';

const answered = (...verdicts: readonly PairVerdict[]) => answeredIn([], ...verdicts);

/** As it arrives: JSON knows no NaN. */
function answeredIn(states: readonly WordedState[], ...verdicts: readonly PairVerdict[]) {
  const tick = liveTick({ ...makeSnapshot(), verdicts }, QUALITY, {});
  const { sentence, ...answer } = betterAnswer(
    JSON.parse(JSON.stringify(tick)) as LiveTick,
    states,
  );
  return { ...answer, text: plainText(sentence) };
}

it('names the better one, and says the sentence of every pair', () => {
  const found = answered(aVerdict(), aVerdict({ state: 'prefer', better: 'personal' }));
  expect(found).toMatchObject({ tone: 'good', word: 'personal' });
  expect(found.text).toMatch(/^Prefer personal over blend: .* Don’t know yet whether/);
});

it('names nobody while a state contradicts it, and says which', () => {
  const stale = wordedStates([stateOf('stale', { newest: 0, ageMs: 180_000 })]);
  const found = answeredIn(stale, aVerdict({ state: 'prefer', better: 'personal' }));
  expect(found).toMatchObject({ tone: 'unknown', word: 'Not known now' });
  expect(found.text).toMatch(/^The newest event came 3 min ago/);
  const sampled = wordedStates([stateOf('sampled', { ratio: 0.5 })]);
  const preferred = answeredIn(sampled, aVerdict({ state: 'prefer', better: 'personal' }));
  expect(preferred).toMatchObject({ tone: 'good', word: 'personal' });
});

it.each([
  [{ state: 'changed', better: 'personal', lastDay: -0.1 }, 'care', 'It changed'],
  [{ flip: { gamma: 1, winsBelow: 'blend' } }, 'unknown', 'It depends'],
  [{ state: 'immaterial' }, 'unknown', 'None that matters'],
  [{ state: 'same' }, 'unknown', 'None'],
  [{ forecast: { days: 3, users: null } }, 'unknown', 'Don’t know yet'],
  [{ state: 'none', reason: 'young' }, 'unknown', 'Don’t know yet'],
] as const)('%o is said with the tone %s: %s', (changes, tone, word) => {
  expect(answered(aVerdict(changes))).toMatchObject({ tone, word });
});

it('says when the first verdict comes where there is none', () => {
  expect(answered()).toMatchObject({ tone: 'unknown', word: 'No verdict yet' });
});
