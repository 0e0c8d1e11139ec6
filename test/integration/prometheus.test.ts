import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { requireCommand } from '../../deploy/services.mjs';
import type { Snapshot } from '../../src/stream/snapshot.js';
import { eventually, RunningService } from '../support/program.js';

interface Answer {
  data: { result: { metric: Record<string, string>; value: [number, string] }[] };
}

let folder: string;
let demo: RunningService;
let prometheus: ChildProcess;
let address: string;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

async function query(expression: string): Promise<Answer['data']['result']> {
  const response = await fetch(`${address}/api/v1/query?query=${encodeURIComponent(expression)}`);
  return ((await response.json()) as Answer).data.result;
}

beforeAll(async () => {
  await requireCommand('prometheus', 'prometheus', () => {});
  folder = await mkdtemp(join(tmpdir(), 'unskew-'));
  demo = await RunningService.start(['demo', '--port', '0']);
  const config = join(folder, 'prometheus.yml');
  await writeFile(
    config,
    JSON.stringify({
      global: { scrape_interval: '1s' },
      scrape_configs: [
        { job_name: 'unskew', static_configs: [{ targets: [new URL(demo.address).host] }] },
      ],
    }),
  );
  const port = await freePort();
  address = `http://127.0.0.1:${port}`;
  prometheus = spawn(
    'prometheus',
    [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: 'ignore' },
  );
});

afterAll(async () => {
  if (prometheus?.exitCode === null) {
    prometheus.kill('SIGTERM');
    await once(prometheus, 'exit');
  }
  await demo?.stop();
  await rm(folder, { recursive: true, force: true });
});

it('a real Prometheus takes the estimates in, value for value, and sees no failed scrape', async () => {
  const series = await eventually(
    () =>
      query('unskew_estimate{window="1m",estimator="snips",aggregation="user"}').catch(() => []),
    (found) => found.length > 0,
  );
  const { body } = await demo.get('/api/v1/estimates');
  const snapshot = JSON.parse(body) as Snapshot;
  const window = snapshot.windows.find(({ name }) => name === '1m')!;
  const wanted = window.results.filter(
    (r) => r.estimator === 'snips' && r.aggregation === 'user' && Number.isFinite(r.value),
  );
  expect(series).toHaveLength(wanted.length);
  // What is stored is what some pane's API answer said: ask until both are of the same pane.
  await eventually(
    async () => {
      const [{ value: pane } = { value: [0, ''] }] = await query('unskew_pane_end_seconds');
      const at = JSON.parse((await demo.get('/api/v1/estimates')).body) as Snapshot;
      if (Number(pane[1]) * 1000 !== at.paneEnd) return ['another pane'];
      const stored = await query('unskew_estimate{window="1m"}');
      const results = at.windows.find(({ name }) => name === '1m')!.results;
      return stored.flatMap(({ metric, value }) => {
        const row = results.find(
          (r) =>
            r.model === metric['model'] &&
            r.metric === metric['metric'] &&
            String(r.k ?? '') === (metric['k'] ?? '') &&
            r.estimator === metric['estimator'] &&
            r.aggregation === metric['aggregation'],
        );
        return row?.value === Number(value[1]) ? [] : [`${JSON.stringify(metric)} ${value[1]}`];
      });
    },
    (apart) => apart.length === 0,
  );
  expect((await query('up{job="unskew"}')).map(({ value }) => value[1])).toEqual(['1']);
});
