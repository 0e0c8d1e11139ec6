import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { itAtNight } from '../support/at-night.js';
import { unskew } from '../support/program.js';

interface Fitted {
  propensity: {
    gamma: number;
    source: string;
    fits: Record<string, { ols: { gamma: number; r2: number }; levels: number; status: string }>;
  };
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unskew-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('evaluate, fitting γ of simulated exposure on lagged levels,', () => {
  for (const gamma of [0.7, 1.5, 2.5]) {
    itAtNight(`recovers γ = ${gamma}`, async () => {
      const out = join(folder, `gamma-${gamma}`);
      const simulated = await unskew([
        'simulate',
        '--out',
        out,
        '--gamma',
        `${gamma}`,
        '--users',
        '2000',
        '--cycles',
        '5',
        '--seed',
        '3',
      ]);
      expect(simulated.code).toBe(0);
      const { stdout } = await unskew([
        'evaluate',
        '--json',
        '--gamma',
        'fit',
        '--metrics',
        'recall',
        '--estimators',
        'naive,snips',
        '--train',
        join(out, 'train.ndjson'),
        '--events',
        join(out, 'events.ndjson'),
      ]);
      const { propensity } = JSON.parse(stdout) as Fitted;
      const fit = propensity.fits['production']!;
      expect(fit.status).toBe('ok');
      expect(Math.abs(fit.ols.gamma - gamma)).toBeLessThan(0.1);
      expect(propensity.source).toBe('fit');
      expect(propensity.gamma).toBe(propensity.fits['*']!.ols.gamma);
    });
  }

  it('reports too_few_levels for a tiny log and uses the default γ', async () => {
    const train = join(folder, 'tiny-train.ndjson');
    const events = join(folder, 'tiny.ndjson');
    const ts = 1_700_000_000_000;
    await writeFile(
      train,
      ['a', 'a', 'b']
        .map((item, n) =>
          JSON.stringify({ type: 'interaction', id: `t${n}`, ts, user: `u${n}`, item }),
        )
        .join('\n'),
    );
    await writeFile(
      events,
      [
        { type: 'exposure', id: 'e', ts, user: 'u0', model: 'm', items: ['a', 'b'] },
        { type: 'interaction', id: 'x', ts: ts + 1, user: 'u0', item: 'b' },
      ]
        .map((event) => JSON.stringify(event))
        .join('\n'),
    );
    const { stdout } = await unskew([
      'evaluate',
      '--json',
      '--gamma',
      'fit',
      '--train',
      train,
      '--events',
      events,
    ]);
    const { propensity } = JSON.parse(stdout) as Fitted;
    expect(propensity.fits['m']!.status).toBe('too_few_levels');
    expect(propensity).toMatchObject({ gamma: 2, source: 'assumed' });
  });
});
