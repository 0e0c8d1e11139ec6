import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { EventReader } from '../../../../src/commands/files/read-events.js';
import {
  decoderOptions,
  monitorOptions,
} from '../../../../src/commands/service/monitor-options.js';
import { readConfig } from '../../../../src/config.js';
import { liveTick } from '../../../../src/outputs/http/schema/live-tick.js';
import { reportHtml } from '../../../../src/outputs/report/report.js';
import { evaluationTable, toEvaluationJson } from '../../../../src/outputs/text/evaluation.js';
import { trustOf } from '../../../../src/page/said.js';
import { wordedTrust } from '../../../../src/rows/findings/window-trust.js';
import { reasonOf } from '../../../../src/rows/reading.js';
import { Interner } from '../../../../src/state/ids/interner.js';
import { Evaluation } from '../../../../src/stream/files/evaluation.js';
import { Outcomes } from '../../../../src/stream/outcomes.js';
import type { Snapshot } from '../../../../src/stream/tick/snapshot.js';
import { QUALITY } from '../../../support/http-server.js';
import { quietIo } from '../../../support/quiet-io.js';
import { type TrustWorld, trustLog } from '../../../support/trust-worlds.js';

const folder = mkdtempSync(join(tmpdir(), 'unskew-trust-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Stated here, so that other defaults change nothing. */
const SETTINGS = {
  gamma: 'auto',
  'popularity.randomized': 'ignore',
  'estimates.weightsFrom': 'all',
  'estimates.feedback': 'withhold',
  'estimates.metrics': ['recall'],
  'estimates.ks': [10],
  'estimates.estimators': ['naive', 'snips'],
};

/** Snapshots of worlds that several tests use. */
const known = new Map<string, Promise<Snapshot>>();

function snapshotOf(
  world: TrustWorld,
  overrides: Readonly<Record<string, unknown>> = {},
): Promise<Snapshot> {
  const name = JSON.stringify([world, overrides]);
  const snapshot = known.get(name) ?? evaluated(world, overrides);
  known.set(name, snapshot);
  return snapshot;
}

async function evaluated(
  world: TrustWorld,
  overrides: Readonly<Record<string, unknown>>,
): Promise<Snapshot> {
  const path = join(folder, 'events.ndjson');
  writeFileSync(
    path,
    trustLog(world)
      .map((event) => JSON.stringify(event))
      .join('\n'),
  );
  const { config } = readConfig({ env: {}, overrides: { ...SETTINGS, ...overrides } });
  const users = new Interner();
  const ids = { items: new Interner(), models: new Interner(), users: () => users };
  const outcomes = new Outcomes();
  const evaluation = new Evaluation(monitorOptions(config), ids, outcomes);
  const reader = new EventReader({
    decoder: decoderOptions(config),
    maxEventBytes: config.events.maxBytes,
    maxFaults: 0,
    ids,
    users,
    io: quietIo,
  });
  await reader.read([path], outcomes, (interactions, exposures, share) =>
    evaluation.accept('events', interactions, exposures, share),
  );
  return evaluation.result();
}

async function trustIn(world: TrustWorld, overrides?: Readonly<Record<string, unknown>>) {
  const snapshot = await snapshotOf(world, overrides);
  const { answer, reasons } = wordedTrust(snapshot, snapshot.windows[0]);
  const codes = reasons.map(({ code }) => code);
  return { snapshot, answer, codes, text: reasons.map(({ text }) => text).join(' ') };
}

/** As in the demo: much traffic, some of it at random, and lists that cause next to nothing. */
const DEMO: TrustWorld = {
  users: 1200,
  items: 200,
  organic: 6,
  randomized: 1,
  zipf: 0.7,
  beta: 0.6,
  caused: 0.003,
  models: { good: 0.5, popular: 'popular' },
};
/** Two models are served in turn, and 1 % of the clicks are attributed to a list. */
const ARMS = { arms: 2, named: 0.01 };
/** Like collected ratings: no randomised traffic and no served lists. */
const RATINGS: TrustWorld = {
  users: 500,
  items: 300,
  organic: 12,
  randomized: 0,
  zipf: 0.9,
  beta: 0.9,
  models: { even: 0.1, popular: 'popular', weak: 0.03 },
};
/** As of a small study with a random part: 290 users, 300 items. */
const STUDY: TrustWorld = {
  users: 290,
  items: 300,
  organic: 12,
  randomized: 4,
  zipf: 0.8,
  beta: 0.6,
  models: { a: 0.13, b: 0.11, c: 0.05, popular: 'popular' },
};

describe('trust in the numbers', () => {
  it('is yes if randomised traffic determines γ and no order depends on it', async () => {
    const { answer, codes, text } = await trustIn(DEMO);
    expect([answer, codes]).toEqual(['yes', ['gamma_calibrated', 'enough_users']]);
    expect(text).toMatch(
      /^γ was calibrated with randomised traffic: 0\.\d\d ± 0\.\d\d \(standard error\)\./,
    );
  });

  it('is comparisons only if users interact repeatedly with the same items', async () => {
    const { answer, codes, text } = await trustIn({ ...DEMO, visits: 3 });
    expect(answer).toBe('comparisons');
    expect(codes).toContain('gamma_repeats');
    expect(codes).not.toContain('gamma_unconfirmed');
    expect(text).toMatch(/ 2\.\d positive interactions per user and item/);
  });

  it('is comparisons only if what lists drove is unknown or ignored', async () => {
    const { caused: _, ...unnamed } = DEMO;
    const { answer, codes } = await trustIn(unnamed);
    expect([answer, codes]).toEqual([
      'comparisons',
      ['leader_holds', 'gamma_calibrated', 'cause_unknown'],
    ]);
    const ignored = await trustIn(DEMO, { 'estimates.feedback': 'ignore' });
    expect(ignored.answer).toBe('comparisons');
    expect(ignored.codes).toContain('causes_ignored');
  });

  it('is comparisons only if lists drove 5 % of the interactions', async () => {
    const { answer, codes } = await trustIn({ ...DEMO, caused: 0.05 });
    expect(answer).toBe('comparisons');
    expect(codes).toContain('caused_in_part');
  });

  it('is no if lists drove half of the clicks and 1 % are attributed', async () => {
    const { answer, codes, snapshot } = await trustIn({ ...DEMO, ...ARMS, caused: 0.5 });
    const [{ feedback, leads }] = snapshot.windows;
    expect(feedback).toMatchObject({ source: 'arms', uncaused: null });
    expect(feedback!.named).toBeLessThan(0.02);
    expect([answer, codes[0]]).toEqual(['no', 'caused_by_lists']);
    expect(codes).toContain('names_incomplete');
    // Most interactions driven by the lists are not attributed to them.
    expect(leads).toBe('estimates');
  });

  it('is comparisons only if attribution is incomplete and lists drove 6 %', async () => {
    const { answer, codes } = await trustIn({ ...DEMO, ...ARMS, users: 2000, caused: 0.06 });
    expect(answer).toBe('comparisons');
    expect(codes).toEqual(expect.arrayContaining(['names_incomplete', 'caused_in_part']));
  });

  it('is not yes if too few lists were served to know what they drove', async () => {
    const few = { ...DEMO, arms: 2, users: 150, organic: 5, randomized: 4 };
    const unnamed = await trustIn({ ...few, caused: 0.01, named: 0 });
    expect(unnamed.codes).toContain('cause_uncertain');
    expect(unnamed.codes).not.toContain('caused_in_part');
    expect(unnamed.answer).not.toBe('yes');
    const named = await trustIn({ ...few, caused: 0.01 });
    expect(named.snapshot.windows[0].feedback!.source).toBe('named');
    expect(named.codes).toContain('cause_uncertain');
    expect(named.answer).not.toBe('yes');
  });

  it('is yes if two arms show that attribution is complete', async () => {
    const { answer, codes } = await trustIn({ ...DEMO, arms: 2 });
    expect([answer, codes]).toEqual(['yes', ['gamma_calibrated', 'enough_users']]);
  });

  it('is no if one model was served and no click is attributed', async () => {
    // Every clicked item is in the served list, and no click is attributed to it.
    const shown = { ...DEMO, caused: 1, named: 0 };
    const { answer, codes, text, snapshot } = await trustIn(shown);
    const [{ feedback, results }] = snapshot.windows;
    expect(feedback).toMatchObject({ source: 'unknown', served: ['good'] });
    const [first] = results.filter((row) => row.model === 'good' && row.estimator === 'snips');
    expect(first.value).toBeNaN();
    expect([answer, codes[0]]).toEqual(['no', 'circular']);
    expect(text).toMatch(
      /^Nearly all clicks without a list’s id are on items of served lists, .* `exposure`/,
    );
    // Partly driven clicks are no better: it is unknown how many were driven by lists.
    const partly = await trustIn({ ...shown, caused: 0.2 });
    expect([partly.answer, partly.codes[0]]).toEqual(['no', 'served_unknown']);
    expect(partly.text).toMatch(/^Don’t compare good with other models: .* `exposure`/);
  });

  it('is no in mode `caution` if lists drove all interactions', async () => {
    const caution = { 'estimates.feedback': 'caution' };
    const all = await trustIn({ ...DEMO, caused: 1 }, caution);
    expect(all.snapshot.windows[0].leads).toBe('on_policy');
    expect([all.answer, all.codes[0]]).toEqual(['no', 'caused_too_much']);
    const half = await trustIn({ ...DEMO, caused: 0.5 }, caution);
    expect(half.snapshot.windows[0].leads).toBe('uncaused');
    const little = await trustIn({ ...DEMO, caused: 0.05 }, caution);
    expect(little.snapshot.windows[0].leads).toBe('estimates');
    expect(little.answer).toBe('comparisons');
  });

  it('is yes with a fixed γ only if randomised traffic confirms it', async () => {
    const unchecked = await trustIn({ ...DEMO, randomized: 0 }, { gamma: 0.2 });
    expect([unchecked.answer, unchecked.codes]).toEqual([
      'comparisons',
      ['leader_holds', 'places_change', 'gamma_untested', 'gamma_unconfirmed'],
    ]);
    const confirmed = await trustIn(DEMO, { gamma: 0.2 });
    expect([confirmed.answer, confirmed.codes]).toEqual([
      'yes',
      ['gamma_untested', 'exponent_agrees', 'enough_users'],
    ]);
    const refuted = await trustIn(DEMO, { gamma: 2 });
    expect(refuted.answer).toBe('comparisons');
    expect(refuted.codes).toContain('exponent_disagrees');
    expect(refuted.text).toContain('overcorrect for popularity');
  });

  it('is no if models swap places within the error of a confirmed fixed γ', async () => {
    const world = {
      ...DEMO,
      users: 1000,
      beta: 1,
      caused: 0.0005,
      models: { popular: 'popular', even: 0.048 },
    } as const;
    const settings = { gamma: 1, baseline: 'none' };
    const { answer, codes, snapshot } = await trustIn(world, settings);
    const [{ exponentTest, sensitivity }] = snapshot.windows;
    // γ is 2β − 1; half the width of β’s interval is that of γ, twice.
    const reach = 1 + exponentTest!.upper - exponentTest!.lower;
    const [flip] = sensitivity[0].flips;
    expect(flip.gamma).toBeGreaterThan(1);
    expect(flip.gamma).toBeLessThan(reach);
    expect(answer).toBe('no');
    expect(codes).toContain('exponent_agrees');
  });

  it('is no if γ is assumed and the leader depends on it', async () => {
    const { answer, codes, text, snapshot } = await trustIn(RATINGS);
    expect(snapshot.propensity).toMatchObject({ source: 'assumed', gamma: 0.5 });
    expect(answer).toBe('no');
    expect(codes[0]).toBe('places_change');
    expect(codes).toContain('gamma_assumed');
    // The built-in popularity model is beside the model that is like it.
    expect(text).toMatch(
      /^The order of popular(ity)? and even reverses at γ = 0\.\d\d \(recall@10\)\. /,
    );
  });

  it('is comparisons only if γ is assumed and one model leads at every value', async () => {
    const { answer, codes, text } = await trustIn({
      ...RATINGS,
      models: { best: 0.6, popular: 'popular', weak: 0.1 },
    });
    expect(answer).toBe('comparisons');
    // The two models behind it swap places.
    expect(codes.slice(0, 2)).toEqual(['leader_holds', 'places_change']);
    expect(text).toContain('The order of popular and weak reverses');
  });

  it('is no in a small study whose order depends on γ within its error', async () => {
    const { answer, codes, snapshot } = await trustIn(STUDY);
    expect(snapshot.propensity.source).toBe('calibrated');
    expect(answer).toBe('no');
    expect(codes[0]).toBe('places_change');
  });

  it('is comparisons only if one of three models is withheld for its own lists', async () => {
    // Clicks on lists of the first model are rare, and are its only hits.
    const models = { shown: 0.02, good: 0.5, popular: 'popular' } as const;
    const { answer, codes, snapshot } = await trustIn({ ...DEMO, models, caused: 0.03 });
    const withheld = snapshot.windows[0].results.filter((row) => reasonOf(row) === 'own_lists');
    expect(new Set(withheld.map(({ model }) => model))).toEqual(new Set(['shown']));
    expect([answer, codes[0]]).toEqual(['comparisons', 'leader_holds']);
    expect(codes).toContain('own_lists');
    const [measure] = snapshot.windows[0].sensitivity;
    expect(measure.bands.map(({ model }) => model)).not.toContain('shown');
  });

  it('is yes if lists drove so little that only one model is withheld', async () => {
    const models = { shown: 0.02, good: 0.5, popular: 'popular' } as const;
    const { answer, codes } = await trustIn({ ...DEMO, models, caused: 0.01 });
    expect(answer).toBe('yes');
    expect(codes).toContain('own_lists');
    expect(codes).not.toContain('caused_in_part');
  });

  it('is no if lists drove all clicks, and if there are few users', async () => {
    const caused = await trustIn({ ...DEMO, caused: 1 });
    expect([caused.answer, caused.codes[0]]).toEqual(['no', 'caused_by_lists']);
    expect(caused.codes).not.toContain('places_change');
    const few = await trustIn({ ...DEMO, users: 20 });
    expect(few.answer).toBe('no');
    expect(few.codes).toContain('few_users');
  });

  it('is yes even if organic traffic favours items beyond their popularity', async () => {
    // Half of the items are found five times as often as their relevance makes them: randomised
    // traffic then calls for another exponent, and no rule here sees that one exponent is not enough.
    const { answer, snapshot } = await trustIn({ ...DEMO, favour: 5 });
    const even = await snapshotOf(DEMO);
    expect(Math.abs(snapshot.propensity.beta - even.propensity.beta)).toBeGreaterThan(0.1);
    expect(answer).toBe('yes');
  });
});

describe('the trust answer', () => {
  it('is the same in JSON, table, report, API and page', async () => {
    for (const [world, word] of [
      [DEMO, 'Yes'],
      [RATINGS, 'No'],
      [{ ...RATINGS, models: { best: 0.6, popular: 'popular' } }, 'Comparisons only'],
    ] as const) {
      const snapshot = await snapshotOf(world);
      const reading = { accepted: 1, duplicate: 0, late: 0, faults: [] };
      const { answer, reasons } = toEvaluationJson(snapshot, 0, reading).trust;
      const quality = { ...QUALITY, ready: true, topics: [] };
      const tick = liveTick(snapshot, quality, {})!;
      expect(tick.window.trust).toEqual({ ...tick.window.trust, answer, reasons });
      const page = trustOf(tick as Parameters<typeof trustOf>[0], []);
      expect(page.word).toBe(word);
      const line = evaluationTable(snapshot, 0, reading).replaceAll(/\s+/g, ' ');
      expect(line).toContain(`Can these numbers be trusted? ${word}. ${reasons[0].text}`);
      expect(reportHtml(snapshot, 0, reading)).toContain(`<b>${word}.</b>`);
    }
  });
});
