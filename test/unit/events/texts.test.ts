import fc from 'fast-check';
import { expect, it } from 'vitest';
import { BROKEN, ODD, PLAIN, Texts } from '../../../src/events/texts.js';
import { Interner } from '../../../src/state/ids/interner.js';

const isWellFormed = (bytes: Uint8Array) => {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
};

it('texts are kept in order, marked if they are empty or not valid UTF-8', () => {
  const bytes = fc.oneof(
    fc
      .string({ unit: fc.constantFrom('a', 'é', '€', '😀'), maxLength: 9 })
      .map((text) => new TextEncoder().encode(text)),
    fc.uint8Array({ maxLength: 12 }),
  );
  fc.assert(
    fc.property(fc.array(bytes, { maxLength: 8 }), (sources) => {
      const texts = new Texts(false);
      for (const own of sources) {
        const among = Uint8Array.of(0xff, ...own, 0xff);
        texts.addRange(new DataView(among.buffer), 1, 1 + own.length);
      }
      const { starts, states, text } = texts;
      const kept = sources.map((_, n) => [
        states[n],
        text.bytes.subarray(starts[n], starts[n + 1]).join(),
      ]);
      const state = (own: Uint8Array) =>
        isWellFormed(own) ? (own.length === 0 ? ODD : PLAIN) : BROKEN;
      expect(kept).toEqual(sources.map((own) => [state(own), own.join()]));
    }),
  );
});

it.each([true, false])('clearing removes all texts and restarts at 0 (%s)', (areDistinct) => {
  const users = new Interner();
  const texts = new Texts(areDistinct);
  for (const name of ['u1', 'u2', 'u3']) texts.idIn(users, texts.addText(name));
  texts.clear();
  const again = ['u3', 'other', 'u1'].map((name) => texts.addText(name));
  expect(again).toEqual([0, 1, 2]);
  expect(again.map((n) => users.text(texts.idIn(users, n)))).toEqual(['u3', 'other', 'u1']);
});
