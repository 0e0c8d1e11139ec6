import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startServices } from '../../deploy/services.mjs';
import { encodeEvent } from '../../src/events/encode.js';
import { mulberry32 } from '../bench/synthetic-log.js';
import { RunningService } from '../support/program.js';
import { TestTopics } from '../support/topics.js';
import { quantile } from './histogram.js';
import { memoryPlot } from './memory-plot.js';

/**
 * `npm run soak [-- minutes events-per-second]`: one worker at a steady rate. Writes soak/soak.csv
 * and soak/memory.svg, and fails where memory still grows after the first third.
 */
const [minutes = 15, rate = 20_000] = process.argv.slice(2).map(Number);
const PARTITIONS = 4;
const USERS = 20_000;
const ITEMS = 5_000;
const SAMPLE_MS = 5_000;
const SETTINGS = {
  UNSKEW_TIME_TICK: '5s',
  UNSKEW_TIME_WINDOWS: '1m',
  UNSKEW_TIME_LATENESS: '2s',
  UNSKEW_POPULARITY_HORIZON: '2m',
  UNSKEW_GAMMA_PERIOD: '30s',
  UNSKEW_DEDUPE_TTL: '1m',
  UNSKEW_ATTRIBUTION_TTL: '1m',
  UNSKEW_DEAD_LETTERS_TO: 'none',
  UNSKEW_STATE_STORE: 'redis',
};

interface Sample {
  readonly seconds: number;
  readonly residentBytes: number;
  readonly events: number;
  readonly lag: number;
  readonly tickP99: number;
  readonly stallP99: number;
}

const random = mulberry32(1);
let sent = 0;

/** Users and items come again and again, as those of a service do. */
function event(now: number): { role: 'exposures' | 'interactions'; key: string; value: Buffer } {
  const n = sent++;
  const user = `u${Math.floor(random() * USERS)}`;
  const item = () => `i${Math.floor(random() ** 2 * ITEMS)}`;
  const id = `s${n}`;
  if (n % 4 > 0) {
    const interaction = { type: 'interaction', id, ts: now, user, item: item() } as const;
    return { role: 'interactions', key: user, value: Buffer.from(encodeEvent(interaction)) };
  }
  const items = [...new Set(Array.from({ length: 10 }, item))];
  const exposure = { type: 'exposure', id, ts: now, user, model: `m${n % 3}`, items } as const;
  return { role: 'exposures', key: user, value: Buffer.from(encodeEvent(exposure)) };
}

async function produce(topics: TestTopics, signal: AbortSignal): Promise<void> {
  const start = Date.now();
  while (!signal.aborted) {
    const due = Math.floor(((Date.now() - start) / 1000) * rate) - sent;
    const made = Array.from({ length: Math.min(due, rate) }, () => event(Date.now()));
    for (const role of ['exposures', 'interactions'] as const) {
      await topics.send(
        role,
        made.filter((each) => each.role === role),
      );
    }
    await sleep(100);
  }
}

async function sample(service: RunningService, start: number): Promise<Sample> {
  const series = await service.scrape();
  const sum = (name: string) =>
    series.filter((one) => one.name === name).reduce((total, { value }) => total + value, 0);
  return {
    seconds: Math.round((Date.now() - start) / 1000),
    residentBytes: sum('process_resident_memory_bytes'),
    // The unranked ones are among the accepted.
    events: series
      .filter(
        ({ name, labels }) => name === 'unskew_events_total' && labels['outcome'] !== 'unranked',
      )
      .reduce((total, { value }) => total + value, 0),
    lag: sum('unskew_consumer_lag_records'),
    tickP99: quantile(series, 'unskew_tick_duration_seconds', 0.99),
    stallP99: quantile(series, 'unskew_ingest_stall_seconds', 0.99),
  };
}

async function main(): Promise<void> {
  const services = await startServices();
  const folder = await mkdtemp(join(tmpdir(), 'unskew-soak-'));
  const topics = await TestTopics.create(services.kafkaBrokers, PARTITIONS);
  const service = await RunningService.start(['serve'], {
    ...topics.settings,
    ...SETTINGS,
    UNSKEW_STATE_REDIS_URL: services.redisUrl,
    UNSKEW_ESTIMATES_FILE: join(folder, 'lines.ndjson'),
  });
  const stopping = new AbortController();
  const producing = produce(topics, stopping.signal);
  const samples: Sample[] = [];
  try {
    for (const start = Date.now(); Date.now() - start < minutes * 60_000; ) {
      await sleep(SAMPLE_MS);
      const taken = await sample(service, start);
      samples.push(taken);
      process.stderr.write(`${JSON.stringify(taken)}\n`);
    }
  } finally {
    stopping.abort();
    await producing;
    await service.stop();
    await topics.delete();
    await services.stop();
    await rm(folder, { recursive: true, force: true });
  }
  await report(samples);
}

async function report(samples: readonly Sample[]): Promise<void> {
  await mkdir('soak', { recursive: true });
  const columns = Object.keys(samples[0]!) as (keyof Sample)[];
  const rows = [columns.join(), ...samples.map((one) => columns.map((name) => one[name]).join())];
  await writeFile('soak/soak.csv', `${rows.join('\n')}\n`);
  await writeFile('soak/memory.svg', memoryPlot(samples));
  const warm = samples
    .slice(Math.ceil(samples.length / 3))
    .map(({ residentBytes }) => residentBytes);
  const half = Math.ceil(warm.length / 2);
  const mean = (values: readonly number[]) =>
    values.reduce((total, value) => total + value, 0) / values.length;
  const growth = mean(warm.slice(half)) / mean(warm.slice(0, half)) - 1;
  const last = samples.at(-1)!;
  process.stdout.write(
    `${Math.round(last.events / last.seconds).toLocaleString('en')} events/s, lag ${last.lag}; ` +
      `memory ${Math.round(last.residentBytes / 2 ** 20)} MiB, ${(100 * growth).toFixed(1)} % more in the last third; ` +
      `tick p99 ${last.tickP99} s, ingest stall p99 ${last.stallP99} s\n`,
  );
  if (growth > 0.1) process.exitCode = 1;
}

await main();
