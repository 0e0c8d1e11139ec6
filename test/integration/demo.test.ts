import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Snapshot } from '../../src/stream/tick/snapshot.js';
import { eventually, RunningService } from '../support/program.js';
import { Prometheus } from '../support/prometheus.js';
import { IS_LONG } from '../support/repetitions.js';
import { ruleFiles } from '../support/rules.js';
import { dashboardsSuite } from './demo/dashboards.js';
import { rulesSuite } from './demo/rules.js';
import { scrapeSuite } from './demo/scrape.js';
import { truthSuite } from './demo/truth.js';

/**
 * In the short form so few users that ticks are quick, and lists that cause enough to be reported.
 * Detectors have learned by the fifth whole minute: with six none is waited for.
 */
const TRAFFIC = IS_LONG ? [] : ['--users', '200', '--backlog', '6', '--caused', '0.01'];

/** Catching up is half a minute of a processor, of which a busy machine gives little. */
const PATIENCE_MS = 900_000;

// One demonstration for all that is asked of one: to catch up takes it a while. Nothing happens in it.
let demo: RunningService;
let prometheus: Prometheus;

beforeAll(async () => {
  const startedAt = Date.now();
  demo = await RunningService.start(['demo', '--plain', '--port', '0', ...TRAFFIC]);
  // Asked of small answers, and scraped by nobody before: catching up takes the machine as it is.
  await eventually(
    'a pane that is not of the backlog',
    async () => {
      const { status, body } = await demo.get('/api/v1/popularity');
      return status === 200 ? (JSON.parse(body) as Snapshot).paneEnd : 0;
    },
    (paneEnd) => paneEnd > startedAt,
    PATIENCE_MS,
  );
  const target = new URL(demo.address).host;
  prometheus = await Prometheus.start({ target, ruleFiles: ruleFiles() });
  // All that needs more than one scrape, or a pane of the detectors, is there.
  const last = [
    'unskew_drift_score',
    'unskew:tick_duration_seconds:p99_10m',
    'unskew:events:rate5m',
  ];
  await eventually(
    'a value of each metric that comes last',
    () =>
      Promise.all(
        last.map((metric) =>
          prometheus.query(`count(${metric} > -1)`).then(
            (found) => found.length,
            () => 0,
          ),
        ),
      ),
    (counts) => counts.every((count) => count > 0),
    PATIENCE_MS,
  );
}, 2 * PATIENCE_MS);
afterAll(async () => {
  await prometheus?.stop();
  await demo?.stop();
});

truthSuite(() => demo);
scrapeSuite(
  () => demo,
  () => prometheus,
);
dashboardsSuite(() => prometheus);
rulesSuite(() => prometheus);

it('the demo becomes ready, serves its page and exits with 0 when stopped', async () => {
  await eventually(
    'the demo to be ready',
    () => demo.get('/readyz'),
    ({ status }) => status === 200,
  );
  expect((await demo.get('/healthz')).status).toBe(200);
  const page = await demo.get('/');
  expect(page.status).toBe(200);
  expect(page.body).toContain('<title>');
  expect(await demo.stop()).toBe(0);
});
