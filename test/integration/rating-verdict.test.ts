import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Random } from '../../src/estimators/mathematics/random.js';
import { unskew } from '../support/program.js';
import { ratingEvents } from '../support/rating-events.js';

const USERS = 200;
const ITEMS = 40;
const folder = mkdtempSync(join(tmpdir(), 'unskew-rating-verdict-'));
const events = join(folder, 'events.ndjson');
const partly = join(folder, 'partly.ndjson');
const choosy = join(folder, 'choosy.ndjson');

/**
 * Three of ten pairs are 5, the others 1, but four of five ratings that users choose to give are 5. One
 * model predicts a 4.2 everywhere, the other a 3, which over all pairs has the lower error.
 */
beforeAll(() => {
  const random = new Random(3, 'ratings');
  const truth = Array.from({ length: USERS }, () =>
    Array.from({ length: ITEMS }, () => (random.next() < 0.3 ? 5 : 1)),
  );
  const drawn = (share: (rating: number) => number) =>
    truth.map((row) => row.map((rating) => (random.next() < share(rating) ? rating : 0)));
  const log = ratingEvents({
    chosen: drawn((rating) => (rating === 5 ? 0.27 : 0.03)),
    random: drawn(() => 0.1),
    models: { flattering: () => 4.2, even: () => 3 },
  });
  const written = (path: string, of: typeof log) =>
    writeFileSync(path, of.map((event) => `${JSON.stringify(event)}\n`).join(''));
  written(events, log);
  const without = (isLeftOut: (user: number) => boolean) =>
    log.map((event) => {
      if (event.type !== 'exposure' || event.model !== 'even') return event;
      if (!isLeftOut(Number(event.user.slice(1)))) return event;
      const { scores: _, ...list } = event;
      return list;
    });
  written(
    partly,
    without((user) => user % 20 === 7),
  );
  written(
    choosy,
    without((user) => user % 2 === 1),
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

const evaluate = (path: string, ...flags: readonly string[]) =>
  unskew(['evaluate', '--events', path, '--control', 'flattering', ...flags]);
const ASKED = ['--metrics', 'mse,mae', '--set', 'ratings.smoothing=0'];

describe('the verdict of evaluate on models that predict ratings', () => {
  it('names the leading model first, and says that uncorrected errors say the opposite', async () => {
    const path = join(folder, 'report.html');
    const { code, stdout } = await evaluate(events, ...ASKED, '--html', path);
    expect(code).toBe(0);
    const flat = stdout.replaceAll(/\s+/g, ' ');
    const said =
      /even leads flattering: −\d\.\d+ mse \([^)]+\), corrected for who rates what\. Uncorrected mse says the opposite\./;
    expect(flat.search(said)).toBe(0);
    const shown = readFileSync(path, 'utf8').replaceAll(/<[^>]+>/g, '');
    expect(shown).toMatch(said);
  });

  it('is on the configured metric in JSON, and absent if the metric is none', async () => {
    const verdictsBy = async (...flags: readonly string[]) => {
      const { stdout } = await evaluate(events, ...ASKED, ...flags, '--json');
      return JSON.parse(stdout).verdict ?? [];
    };
    const [{ code, subject, figures, reason }] = await verdictsBy('--set', 'decision.metric=mae');
    expect([code, reason]).toEqual(['verdict_leads', 'uncorrected mae']);
    expect(subject).toEqual({ models: ['even', 'flattering'], metrics: ['mae'] });
    // Over all pairs the errors are 2 and .3 × .8 + .7 × 3.2.
    expect(figures.lower).toBeLessThan(2 - 2.48);
    expect(figures.upper).toBeGreaterThan(2 - 2.48);
    expect(figures.upper).toBeLessThan(0);
    expect(await verdictsBy('--set', 'decision.metric=none')).toEqual([]);
    const refused = await evaluate(events, ...ASKED, '--set', 'decision.metric=rmse');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('mse, mae, none, found rmse');
  });

  it('compares models on pairs that both predicted and states their share', async () => {
    const { stdout } = await evaluate(partly, ...ASKED);
    expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(
      /even leads flattering: −\d\.\d+ mse \([^)]+\), corrected for who rates what\. Both predicted 9\d % of the ratings, and the other ratings cannot reverse the result\./,
    );
  });

  it('is undecided if pairs that one model left out could reverse it', async () => {
    const { stdout } = await evaluate(choosy, ...ASKED);
    const flat = stdout.replaceAll(/\s+/g, ' ');
    expect(flat).not.toMatch(/^\S+ (leads|beats) /m);
    expect(flat).toMatch(/Can’t tell whether .* Both predicted only \d\d % of the ratings/);
  });

  it('is not given for rmse on partial predictions or without propensities', async () => {
    const root = await evaluate(partly, '--metrics', 'rmse', '--set', 'ratings.smoothing=0');
    expect(root.stdout.replaceAll(/\s+/g, ' ')).toMatch(/No verdict on .* did not predict all/);
    const plain = await evaluate(events, ...ASKED, '--set', 'ratings.propensities=logged');
    expect(plain.stdout.replaceAll(/\s+/g, ' ')).toMatch(
      /No verdict on .* snips, .* is not available/,
    );
    expect(plain.stdout).not.toContain(' beats ');
  });
});
