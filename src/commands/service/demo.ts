import { setTimeout as sleep } from 'node:timers/promises';
import { MemoryBroker } from '../../adapters/memory/broker.js';
import { isLoopback } from '../../config/keys/http.js';
import { readConfig } from '../../config.js';
import { encodeEvent } from '../../events/encode.js';
import { demoOptions } from '../../simulation/options.js';
import { Simulation } from '../../simulation/simulation.js';
import type { TrueValue } from '../../simulation/truth.js';
import type { LogWriter, OutgoingRecord } from '../../stream/ports.js';
import type { LoggedIo } from '../cli/io.js';
import type { DemoOptions } from '../cli/options.js';
import { runService } from './service.js';

const PARTITIONS = 4;
const BATCH = 2000;
const PACE_MS = 100;

const TICK_MS = 5000;

/** Short windows and quick ticks, so that something happens while one watches. */
export const DEMO_SETTINGS = {
  'time.tick': `${TICK_MS}ms`,
  'time.windows': ['30s', '1m'],
  'time.lateness': '2s',
  'time.idle': '5s',
  'popularity.horizon': '10m',
  // Sessions last seconds. The limit of list entries allows for the whole of it, see `limits`.
  'attribution.ttl': '10m',
  // What comes of a list comes within the session.
  'value.horizon': '10s',
  gammaPeriod: '2m',
  // A minute is a cycle of the simulated users: half a one would see half of them.
  'drift.window': '1m',
  'drift.season': 'none',
  'drift.learn': 4,
  'drift.hold': 10,
  'deadLetters.to': 'none',
};

/**
 * `unskew demo`: the same service on an embedded broker with simulated traffic whose truth is
 * known; neither Kafka nor Redis. Minutes of traffic are there at once, then it goes on live.
 */
export async function demo(
  { host, port, backlog, ...traffic }: DemoOptions,
  io: LoggedIo,
): Promise<void> {
  const { config } = readConfig({
    env: {},
    overrides: {
      ...DEMO_SETTINGS,
      'http.host': host,
      'http.port': port,
      // Simulated traffic is no secret: a demo open to others is meant for them, under any name.
      'http.auth': 'none',
      'http.hosts': isLoopback(host) ? [] : ['*'],
    },
  });
  const { exposures, interactions } = config.kafka.topics;
  const broker = new MemoryBroker();
  broker.createTopic(exposures, PARTITIONS);
  broker.createTopic(interactions, PARTITIONS);
  // Panes are aligned to the epoch: a first one of a few events would rest on what one list caused.
  const now = Math.floor(Date.now() / TICK_MS) * TICK_MS;
  const simulation = new Simulation(demoOptions(now, traffic, backlog));
  const ended = new AbortController();
  const signal = AbortSignal.any([io.signal, ended.signal]);
  const produced = produce(simulation, broker.producer(), { exposures, interactions }, signal);
  try {
    await Promise.race([
      runService({
        config,
        io,
        source: broker.source({ topics: config.kafka.topics, group: 'demo' }),
        deadLetters: undefined,
        checkpoints: undefined,
        truth: knownTruth(simulation, config.estimates.ks),
        onListening: (address) => io.stdout(greeting(address)),
      }),
      // It ends with the signal only; should it fail, so does the demo.
      produced.then(() => new Promise<never>(() => {})),
    ]);
  } finally {
    ended.abort();
  }
}

/** Worked out once for each stretch of time in which it does not change. */
function knownTruth(simulation: Simulation, ks: readonly number[]) {
  const known = new Map<number, readonly TrueValue[]>();
  return (atMs: number): readonly TrueValue[] => {
    const since = simulation.truthChanges().findLast((ts) => ts <= atMs) ?? atMs;
    const found = known.get(since) ?? simulation.truth(atMs, ks);
    known.set(since, found);
    return found;
  };
}

function greeting(address: string): string {
  return (
    `unskew demo: simulated traffic whose truth is known\n\n` +
    `  page     ${address}/\n` +
    `  metrics  ${address}/metrics\n\n` +
    `Estimates appear within seconds. Ctrl-C ends it.\n`
  );
}

/** Writes what is due by the clock, backlog first. */
async function produce(
  simulation: Simulation,
  writer: LogWriter,
  topics: { readonly exposures: string; readonly interactions: string },
  signal: AbortSignal,
): Promise<void> {
  const due: Record<'exposure' | 'interaction', OutgoingRecord[]> = {
    exposure: [],
    interaction: [],
  };
  const flush = async () => {
    await writer.send(topics.exposures, due.exposure);
    await writer.send(topics.interactions, due.interaction);
    due.exposure = [];
    due.interaction = [];
  };
  for (const event of simulation.events()) {
    while (event.ts > Date.now() && !signal.aborted) {
      await flush();
      await sleep(PACE_MS, undefined, { signal }).catch(() => {});
    }
    if (signal.aborted) return;
    due[event.type].push({ key: event.user, value: encodeEvent(event) });
    if (due.exposure.length + due.interaction.length < BATCH) continue;
    await flush();
    // The backlog must not keep the service from starting.
    await sleep(1);
  }
}
