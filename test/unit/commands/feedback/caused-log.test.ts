import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BODIES } from '../../../../src/commands/cli/bodies.js';
import { EventReader } from '../../../../src/commands/files/read-events.js';
import { simulate } from '../../../../src/commands/files/simulate.js';
import {
  decoderOptions,
  monitorOptions,
} from '../../../../src/commands/service/monitor-options.js';
import { readConfig } from '../../../../src/config.js';
import { LiveTick } from '../../../../src/outputs/http/schema/live-tick.js';
import { SnapshotReport } from '../../../../src/outputs/http/schema/snapshot.js';
import { Exporter } from '../../../../src/outputs/prometheus/exporter.js';
import { reportHtml } from '../../../../src/outputs/report/report.js';
import { Interner } from '../../../../src/state/ids/interner.js';
import { Evaluation } from '../../../../src/stream/files/evaluation.js';
import { Outcomes } from '../../../../src/stream/outcomes.js';
import type { Snapshot } from '../../../../src/stream/tick/snapshot.js';
import { serve } from '../../../support/http-server.js';
import { quietIo } from '../../../support/quiet-io.js';
import { run } from '../../cli/fake-io.js';

/** All clicks come from the served list of ten random items; a perfect ranker is a shadow model. */
let folder: string;
let events: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'unskew-caused-'));
  const simulation = {
    users: 300,
    items: 200,
    gamma: 0,
    exposuresFollow: 'long-run' as const,
    causedShare: 1,
    rankers: ['perfect' as const],
    viewsPerSession: 0,
  } as const;
  const { events: part } = await simulate({ simulation, cycles: 1, gzip: false }, folder);
  events = part.path;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function snapshotOf(feedback: string): Promise<{ snapshot: Snapshot; outcomes: Outcomes }> {
  const { config } = readConfig({ env: {}, overrides: { 'estimates.feedback': feedback } });
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
  await reader.read([events], outcomes, (interactions, exposures, share) =>
    evaluation.accept('events', interactions, exposures, share),
  );
  return { snapshot: evaluation.result(), outcomes };
}

const faults = (schema: TSchema, body: unknown) =>
  Value.Errors(schema, body).map((fault) => `${fault.instancePath}: ${fault.message}`);

it('every click gives the id of a production list', () => {
  const lines = readFileSync(events, 'utf8').trimEnd().split('\n');
  const all = lines.map((line) => JSON.parse(line));
  const clicks = all.filter(({ type }) => type === 'interaction');
  expect(clicks.length).toBeGreaterThan(500);
  expect(clicks.every(({ exposure }) => exposure.endsWith('-production'))).toBe(true);
});

it('no estimate is reported even if an unattributed purchase follows each click', async () => {
  const path = join(folder, 'purchases.ndjson');
  const lines = readFileSync(events, 'utf8').trimEnd().split('\n');
  const withPurchases = lines.flatMap((line) => {
    const { exposure, ...event } = JSON.parse(line);
    if (event.type !== 'interaction') return [line];
    const bought = {
      ...event,
      id: `${event.id}-bought`,
      ts: event.ts + 300_000,
      action: 'purchase',
    };
    return [line, JSON.stringify(bought)];
  });
  writeFileSync(path, `${withPurchases.join('\n')}\n`);
  const argv = ['evaluate', '--events', path, '--feedback', 'withhold', '--json'];
  const { feedback, results } = JSON.parse((await run(argv, BODIES)).stdout);
  expect(feedback).toMatchObject({ source: 'named', caused: 1, uncaused: null });
  expect(results.every(({ withheld }: { withheld: string | null }) => withheld !== null)).toBe(
    true,
  );
});

it('JSON and command line report no estimate, and both say why', async () => {
  const argv = ['evaluate', '--events', events, '--feedback', 'withhold'];
  const { stdout } = await run([...argv, '--json'], BODIES);
  const report = JSON.parse(stdout);
  expect(report.feedback).toMatchObject({ source: 'named', caused: 1, uncaused: null });
  const models = new Set(report.results.map(({ model }: { model: string }) => model));
  expect(models).toEqual(new Set(['perfect', 'popularity', 'production']));
  for (const { model, value, lower, withheld } of report.results) {
    expect({ value, lower }).toEqual({ value: null, lower: null });
    expect(withheld).toBe(model === 'production' ? 'no_other_rows' : 'caused_by_lists');
  }
  for (const { value, withheld } of report.differences) {
    expect(value).toBeNull();
    expect(withheld).not.toBeNull();
  }
  expect(report.againstBaseline).toEqual([]);
  const codes = report.findings.map(({ code }: { code: string }) => code);
  expect(codes).toEqual(expect.arrayContaining(['caused_by_lists', 'own_lists', 'few_uncaused']));
  for (const [flags, reason] of [
    [[], 'recall is not reported: every click came from a list that these models served.'],
    [['--all'], 'Problem: Served lists drove 100'],
  ] as const) {
    const text = (await run([...argv, ...flags], BODIES)).stdout;
    expect(text).toContain(reason);
    expect(text).not.toContain('Ranked by');
    expect(text).not.toMatch(/NaN|null|undefined/);
  }
});

/** The reward per list by definition: clicks on distinct items of a served list, over all lists. */
function rewardInLog(): { reward: number; lists: number } {
  const all = readFileSync(events, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const shown = all.filter((each) => each.type === 'exposure' && each.shown !== false);
  const clicked = new Set(
    all.flatMap(({ type, exposure, item }) =>
      type === 'interaction' ? [JSON.stringify([exposure, item])] : [],
    ),
  );
  return { reward: clicked.size / shown.length, lists: shown.length };
}

it('the reward per served list comes first and is correct, in JSON and text', async () => {
  const argv = ['evaluate', '--events', events, '--feedback', 'withhold'];
  const { onPolicy, leads, findings } = JSON.parse((await run([...argv, '--json'], BODIES)).stdout);
  expect(leads).toBe('on_policy');
  const { reward, lists } = rewardInLog();
  expect(onPolicy).toMatchObject({ refused: null, elsewhere: 0 });
  const [value, ...others] = onPolicy.values;
  expect(others).toEqual([]);
  expect(value).toMatchObject({ model: 'production', lists, users: 300 });
  // Strata do not change the weights of lists if only one model is served.
  expect(value.value).toBeCloseTo(reward, 12);
  expect(value.lower).toBeLessThan(reward);
  expect(value.upper).toBeGreaterThan(reward);
  expect(value.stdErr / value.value).toBeLessThan(0.05);
  const codes = findings.map(({ code }: { code: string }) => code);
  expect(codes).toContain('on_policy_leads');
  const { stdout } = await run([...argv, '--all'], BODIES);
  const heading = 'Reward per served list: Mean reward';
  const first = 'Events that models are evaluated on';
  expect(stdout.indexOf(heading)).toBeGreaterThan(0);
  expect(stdout.indexOf(heading)).toBeLessThan(stdout.indexOf(first));
  const line = new RegExp(`^ +production +${value.value.toFixed(4)} `, 'm');
  expect(stdout).toMatch(line);
  const short = new RegExp(`^ +production +${value.value.toFixed(2)} \\(`, 'm');
  expect((await run(argv, BODIES)).stdout).toMatch(short);
});

it('recall@10 of the served model is 1 where feedback is ignored', async () => {
  const { stdout } = await run(
    ['evaluate', '--events', events, '--json', '--feedback', 'ignore'],
    BODIES,
  );
  const { results, feedback } = JSON.parse(stdout);
  expect(feedback).toBeUndefined();
  const shown = results.filter(
    (row: { model: string; metric: string; k: number }) =>
      row.model === 'production' && row.metric === 'recall' && row.k === 10,
  );
  for (const { value, withheld } of shown) expect({ value, withheld }).toEqual({ value: 1 });
});

it('the API reports null instead of estimates, and Prometheus only the reasons', async () => {
  const { snapshot } = await snapshotOf('withhold');
  const server = await serve({ snapshot });
  try {
    const answer = await (await fetch(`${server.address}/api/v1/estimates`)).json();
    expect(faults(SnapshotReport, answer)).toEqual([]);
    const [{ results }] = (answer as { windows: { results: { value: unknown }[] }[] }).windows;
    expect(results.every(({ value }) => value === null)).toBe(true);
    const [window] = (answer as { windows: { onPolicy: unknown; leads: string }[] }).windows;
    expect(window.leads).toBe('on_policy');
    expect(window.onPolicy).toMatchObject({ values: [{ model: 'production', users: 300 }] });
    const some = await fetch(`${server.address}/api/v1/estimates?model=perfect`);
    expect(await some.json()).toMatchObject({ windows: [{ onPolicy: { values: [] } }] });
    const response = await fetch(`${server.address}/api/v1/stream`);
    const reader = response.body!.getReader();
    let text = '';
    while (!text.includes('\n\n') || !text.includes('data:')) {
      text += new TextDecoder().decode((await reader.read()).value);
    }
    await reader.cancel();
    const line = text.split('\n').find((each) => each.startsWith('data:')) as string;
    const tick = JSON.parse(line.slice('data:'.length));
    expect(faults(LiveTick, tick)).toEqual([]);
    expect(tick.window.findings[0]).toMatchObject({ severity: 'problem' });
  } finally {
    await server.close();
  }
  const exporter = new Exporter({ maxModels: 16, version: '0', topics: ['e', 'i'] });
  exporter.update(snapshot);
  const series = (await exporter.metrics()).split('\n');
  // The reward per served list is not withheld.
  for (const name of ['unskew_estimate{', 'unskew_estimate_stderr{']) {
    const given = series.filter((each) => each.startsWith(name));
    expect(given.filter((each) => !each.includes('estimator="on_policy"'))).toEqual([]);
  }
  const reasons = series.filter((each) => each.startsWith('unskew_estimate_withheld{'));
  expect(reasons.length).toBe(snapshot.windows[0].results.length);
  expect(reasons.every((each) => each.endsWith(' 1') && /reason="\w+"/.test(each))).toBe(true);
  expect(series.some((each) => each.startsWith('unskew_caused_ratio{'))).toBe(true);
  const shown = (name: string, more = '') => {
    const prefix = `${name}{model="production",${more}window="all"} `;
    return Number(series.find((each) => each.startsWith(prefix))?.slice(prefix.length));
  };
  const form = 'metric="value",k="",estimator="on_policy",aggregation="pooled",';
  const { reward, lists } = rewardInLog();
  expect(shown('unskew_estimate', form)).toBeCloseTo(reward, 12);
  expect(shown('unskew_estimate_lower', form)).toBeLessThan(reward);
  expect(shown('unskew_estimate_upper', form)).toBeGreaterThan(reward);
  expect(shown('unskew_on_policy_lists')).toBe(lists);
});

it('actions count with their configured weights', async () => {
  const purchases = join(folder, 'purchases.ndjson');
  const lines = readFileSync(events, 'utf8').trimEnd().split('\n');
  const bought = lines.map((line) => {
    const event = JSON.parse(line);
    return event.type === 'interaction' ? { ...event, action: 'purchase' } : event;
  });
  writeFileSync(purchases, bought.map((event) => `${JSON.stringify(event)}\n`).join(''));
  const valueWith = async (path: string, ...flags: string[]) => {
    const argv = ['evaluate', '--events', path, '--feedback', 'withhold', '--json', ...flags];
    return JSON.parse((await run(argv, BODIES)).stdout).onPolicy.values[0]?.value;
  };
  const { reward } = rewardInLog();
  expect(await valueWith(purchases)).toBeCloseTo(5 * reward, 12);
  expect(await valueWith(purchases, '--actions', '{"purchase": 2.5}')).toBeCloseTo(
    2.5 * reward,
    12,
  );
  expect(await valueWith(events, '--actions', '{"click": 3}')).toBeCloseTo(3 * reward, 12);
  // An action of weight 0 is not a positive, so no list has any reward.
  expect(await valueWith(events, '--actions', '{"click": 0}')).toBeUndefined();
  const wrong = await run(['evaluate', '--events', events, '--actions', '{"click": -1}'], BODIES);
  expect(wrong.stderr).toContain('events.actions');
});

it('the HTML report shows the reward per served list and why recall is missing', async () => {
  const { snapshot, outcomes } = await snapshotOf('withhold');
  const html = reportHtml(snapshot, 0, outcomes);
  expect(html).not.toMatch(/NaN|undefined/);
  expect(html).toContain('served lists, so there is nothing to compare it with');
  expect(html).toContain(
    'recall is not reported: every click came from a list that these models served.',
  );
  expect(html).not.toContain('proves itself right by the clicks it causes');
  expect(html).toContain('<h2 id="on-policy">Reward per served list</h2>');
  expect(html).toContain(`<b>${rewardInLog().reward.toFixed(4)}</b>`);
});
