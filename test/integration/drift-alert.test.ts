import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Snapshot } from '../../src/stream/tick/snapshot.js';
import { Alertmanager } from '../support/alertmanager.js';
import { CYCLE_MS, cycleOf, driftTraffic } from '../support/drift-traffic.js';
import { roleOf } from '../support/log.js';
import { eventually, RunningService } from '../support/program.js';
import { Prometheus } from '../support/prometheus.js';
import { ruleFiles } from '../support/rules.js';
import { kafkaBrokers } from '../support/shared/kafka.js';
import { TestTopics } from '../support/topics.js';

const SHIFT = 40;

/** Panes of one cycle of the simulated users, on events of the past: the log decides, not the clock. */
const SETTINGS = {
  UNSKEW_TIME_TICK: '1m',
  UNSKEW_TIME_WINDOWS: '1m',
  UNSKEW_TIME_LATENESS: '1s',
  UNSKEW_TIME_IDLE: '5s',
  UNSKEW_POPULARITY_HORIZON: '1h',
  UNSKEW_DRIFT_SEASON: 'none',
  UNSKEW_DRIFT_LEARN: '20',
  UNSKEW_DEAD_LETTERS_TO: 'none',
};

let topics: TestTopics;
let serve: RunningService;
let alertmanager: Alertmanager;
let prometheus: Prometheus;

beforeAll(async () => {
  topics = await TestTopics.create(kafkaBrokers, 2);
  const log = driftTraffic({
    seed: 3,
    cycles: 50,
    rankers: ['personal', 'blend'],
    shiftAt: SHIFT,
  });
  for (const role of ['exposures', 'interactions'] as const) {
    const own = log.filter((event) => roleOf(event) === role);
    await topics.send(
      role,
      own.map((event) => ({ key: event.user, value: JSON.stringify(event) })),
    );
  }
  serve = await RunningService.start(['serve'], { ...topics.settings, ...SETTINGS });
  alertmanager = await Alertmanager.start();
  prometheus = await Prometheus.start({
    target: new URL(serve.address).host,
    ruleFiles: ruleFiles(),
    alertmanager: alertmanager.address,
  });
});

afterAll(async () => {
  await prometheus?.stop();
  await alertmanager?.stop();
  await serve?.stop();
  await topics?.delete();
});

it('a ranker that drifts to popular items alerts the recommender team within two panes', async () => {
  const told = await eventually(
    'an alert about the gap of the ranker',
    async () =>
      alertmanager.notifications.flatMap(({ receiver, alerts }) =>
        alerts
          .filter(({ labels }) => labels['alertname'] === 'UnskewDrift')
          .map((alert) => ({ receiver, ...alert })),
      ),
    (alerts) => alerts.some(({ labels }) => labels['series'] === 'gap/snips/recall@10/personal'),
  );
  for (const { receiver, labels, annotations } of told) {
    expect(receiver).toBe('recommender-team');
    expect(labels['model']).toBe('personal');
    expect(annotations['summary']).toContain('has changed (model personal)');
    expect(annotations['runbook_url']).toBe('docs/runbook.md#unskewdrift');
  }
  const snapshot = JSON.parse((await serve.get('/api/v1/estimates')).body) as Snapshot;
  const gap = snapshot.alarms.find(({ series }) => series === 'gap/snips/recall@10/personal')!;
  expect(gap.at).toBeGreaterThan(gap.since);
  expect(cycleOf(gap.at) - SHIFT).toBeGreaterThan(0);
  expect(cycleOf(gap.at) - SHIFT).toBeLessThanOrEqual(2);
  expect(gap.at % CYCLE_MS).toBe(0);
  expect(gap.topItems.length).toBeGreaterThan(0);
  expect(serve.output).toContain('drift alarm');
});

it('drift alerts are suppressed while the monitor is down', async () => {
  const isDrift = ({ labels }: { labels: Readonly<Record<string, string>> }) =>
    labels['alertname'] === 'UnskewDrift';
  const active = (await alertmanager.alerts()).filter(isDrift);
  expect(active.length).toBeGreaterThan(0);
  expect(active.every(({ status }) => status.state === 'active')).toBe(true);
  await alertmanager.raise({ alertname: 'UnskewDown', severity: 'critical', job: 'unskew' });
  const muted = await eventually(
    'the alerts to be suppressed',
    async () => (await alertmanager.alerts()).filter(isDrift),
    (alerts) => alerts.every(({ status }) => status.state === 'suppressed'),
  );
  expect(muted.every(({ status }) => status.inhibitedBy.length === 1)).toBe(true);
});
