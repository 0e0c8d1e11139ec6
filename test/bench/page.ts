import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { Exporter } from '../../src/outputs/prometheus/exporter.js';
import type { Snapshot } from '../../src/stream/tick/snapshot.js';
import { makeSnapshot } from '../fixtures/snapshot.js';
import { launchChromium } from '../page/chromium.js';
import { serve, type TestServer } from '../support/http-server.js';
import type { BenchResult } from './result.js';

const MINUTE = 60_000;
const START = 1_700_000_040_000;
const MODELS = ['alpha', 'beta', 'gamma', 'delta', 'epsilon'];
const TICKS = 1440;
const CLIENTS = 200;

/** A scrape, a load of the page over a full day of ticks, and what its readers cost the stream. */
export async function benchPage(): Promise<BenchResult[]> {
  return [await benchScrape(), ...(await benchLoad()), await benchReaders()];
}

/** Five models at the default settings: seven metrics, five estimators, two means, two windows. */
function snapshotAt(minute: number): Snapshot {
  const paneEnd = START + minute * MINUTE;
  const snapshot = makeSnapshot({ models: MODELS, start: 100 + minute, paneEnd });
  const extra = [
    { metric: 'dcg', k: 5 },
    { metric: 'dcg', k: 10 },
    { metric: 'mrr', k: null },
  ] as const;
  const windows = snapshot.windows.map((window) => {
    const more = <Row extends { metric: string; k: number | null }>(rows: readonly Row[]) => [
      ...rows,
      ...rows
        .filter(({ metric, k }) => metric === 'recall' && k === 5)
        .flatMap((row) => extra.map((name) => ({ ...row, ...name }))),
    ];
    return { ...window, results: more(window.results), differences: more(window.differences) };
  });
  return { ...snapshot, windows };
}

async function benchScrape(): Promise<BenchResult> {
  const topics = ['unskew.exposures', 'unskew.interactions'];
  const exporter = new Exporter({ maxModels: 16, version: '1', topics });
  const server = await serve({ exporter });
  // As Prometheus asks.
  const init = { headers: { 'accept-encoding': 'gzip' } };
  const took: number[] = [];
  let series = 0;
  for (let round = 0; round < 25; round++) {
    // Every scrape meets a new tick, whose gauges are not written yet.
    exporter.update(snapshotAt(round));
    const start = performance.now();
    const text = await (await fetch(`${server.address}/metrics`, init)).text();
    took.push(performance.now() - start);
    series = text.split('\n').filter((line) => line !== '' && !line.startsWith('#')).length;
  }
  await server.close();
  const value = took.sort((a, b) => a - b)[12]!;
  const detail = `${series.toLocaleString('en')} series; a new tick before each; median of 25, slowest ${took.at(-1)!.toFixed(0)} ms`;
  return { id: 'http.scrape', value, unit: 'ms', target: '<= 30', ok: value <= 30, detail };
}

async function benchLoad(): Promise<BenchResult[]> {
  const server = await serve();
  for (let minute = 0; minute < TICKS; minute++) server.show(snapshotAt(minute));
  const browser = await launchChromium();
  const loads: { bytes: number; firstChartMs: number }[] = [];
  try {
    for (let round = 0; round < 4; round++) loads.push(await load(browser, server));
  } finally {
    await browser.close();
    await server.close();
  }
  const bytes = Math.max(...loads.map((own) => own.bytes));
  const times = loads.map(({ firstChartMs }) => firstChartMs);
  const first = Math.min(...times);
  const over = `five models, ${TICKS} ticks kept`;
  return [
    {
      id: 'page.weight',
      value: bytes / 1000,
      unit: 'KB',
      target: '<= 150',
      ok: bytes <= 150_000,
      detail: `everything that a first load transfers; ${over}`,
    },
    {
      id: 'page.first_chart',
      value: first,
      unit: 'ms',
      target: '<= 1000',
      ok: first <= 1000,
      detail: `from navigation, empty cache; ${times.map((ms) => ms.toFixed(0)).join(', ')} ms; ${over}`,
    },
  ];
}

const WATCH = `
  const look = () => {
    if (document.querySelector('#chart-estimates canvas')) window.firstChart = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
`;

async function load(
  browser: Awaited<ReturnType<typeof launchChromium>>,
  server: TestServer,
): Promise<{ bytes: number; firstChartMs: number }> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.addInitScript(WATCH);
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  const bytes = new Map<string, number>();
  session.on('Network.dataReceived', ({ requestId, dataLength }) => {
    bytes.set(requestId, (bytes.get(requestId) ?? 0) + dataLength);
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    bytes.set(requestId, encodedDataLength);
  });
  const last = page.waitForResponse(/alarms/);
  await page.goto(server.address);
  await (await last).finished();
  await page.waitForFunction('window.firstChart !== undefined');
  const firstChartMs = (await page.evaluate('window.firstChart')) as number;
  await context.close();
  return { bytes: [...bytes.values()].reduce((sum, own) => sum + own, 0), firstChartMs };
}

const ROUNDS = 40;
/** As in the demo; by default ticks are twelve times as rare. */
const TICK_MS = 5000;

/**
 * CPU time that sending a tick to all readers costs, as a share of the time between two ticks:
 * the part of a core that ingest does not have.
 */
async function benchReaders(): Promise<BenchResult> {
  const server = await serve({ snapshot: snapshotAt(0) });
  const stop = await readers(server.address);
  const snapshots = Array.from({ length: ROUNDS }, (_, n) => snapshotAt(n));
  await sendAll(server, snapshots.slice(0, 10));
  const idle = await cpuOf(() => sendAll(server, []));
  const busy = await cpuOf(() => sendAll(server, snapshots));
  await stop();
  await server.close();
  const ms = Math.max(0, busy - idle) / ROUNDS;
  const value = (100 * ms) / TICK_MS;
  const detail = `${ms.toFixed(1)} ms of CPU for a tick to ${CLIENTS} readers, a tick every ${TICK_MS / 1000} s`;
  return { id: 'stream.readers', value, unit: '%', target: '< 5', ok: value < 5, detail };
}

async function sendAll(server: TestServer, snapshots: readonly Snapshot[]): Promise<void> {
  for (const snapshot of snapshots) {
    server.publish(snapshot);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function cpuOf(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Readers of four choices, in a process of their own. */
async function readers(address: string): Promise<() => Promise<void>> {
  const script = `
    const http = require('node:http');
    let open = 0;
    for (let n = 0; n < ${CLIENTS}; n++) {
      const query = 'window=' + ['1h', '24h'][n % 2] + '&k=' + [5, 10][(n >> 1) % 2] + '&metric=recall';
      const agent = new http.Agent();
      http.get('${address}/api/v1/stream?' + query, { agent }, (response) => {
        response.resume();
        if (++open === ${CLIENTS}) process.stdout.write('open');
      });
    }`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return async () => {
    const ended = once(child, 'exit');
    child.kill();
    await ended;
  };
}
