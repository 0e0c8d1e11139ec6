import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually, RunningService } from '../support/program.js';
import { Prometheus } from '../support/prometheus.js';
import { ruleFiles } from '../support/rules.js';
import { dashboardsSuite } from './demo/dashboards.js';
import { rulesSuite } from './demo/rules.js';
import { scrapeSuite } from './demo/scrape.js';
import { truthSuite } from './demo/truth.js';

// One demonstration for all that is asked of one: to catch up takes it half a minute.
let demo: RunningService;
let prometheus: Prometheus;

beforeAll(async () => {
  demo = await RunningService.start(['demo', '--port', '0']);
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
    300_000,
  );
});
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

it('is ready, answers on its page, and ends with 0 when it is asked to', async () => {
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
