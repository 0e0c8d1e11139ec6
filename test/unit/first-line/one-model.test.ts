import { expect, it } from 'vitest';
import { printedOf, saidOf } from '../../support/first-line.js';
import { servedBy } from '../../support/served-logs.js';

// The built-in model is called popularity: the one name comes before it, the other after it.
it.each(['control', 'treatment'])(
  'gives no verdict on %s if it alone served lists',
  async (model) => {
    const said = `No verdict: only ${model} served lists, so there is nothing to compare it with. Split users between it and a second model.`;
    const events = servedBy(model);
    expect((await saidOf(events)).verdicts).toEqual([said]);
    const [headline, grounds] = (await printedOf({ events, all: false })).split('\n');
    expect(headline).toBe(said);
    expect(grounds).toMatch(/^\d+ interactions of \d+ users\.$/);
  },
  60_000,
);
