import { setTimeout as sleep } from 'node:timers/promises';
import { MemoryBroker } from '../../adapters/memory/broker.js';
import { MemoryMarkStore } from '../../adapters/memory/mark-store.js';
import { isLoopback } from '../../config/keys/http.js';
import { formatDuration } from '../../config/units.js';
import { readConfig } from '../../config.js';
import { UnskewError } from '../../errors.js';
import { SHOWN } from '../../events/columns.js';
import type { DecoderOptions } from '../../events/decode.js';
import { encodeEvent } from '../../events/encode.js';
import type { Mark, MarkStore } from '../../outputs/history/marks.js';
import { DEMO_HISTORY_MS, demoOptions } from '../../simulation/demo-traffic.js';
import { nameOf, type RankerName } from '../../simulation/options.js';
import { Simulation } from '../../simulation/simulation.js';
import type { TrueValue } from '../../simulation/truth.js';
import { Interner } from '../../state/ids/interner.js';
import { Outcomes } from '../../stream/outcomes.js';
import type { LogWriter, OutgoingRecord } from '../../stream/ports.js';
import type { CommandIo, LoggedIo } from '../cli/io.js';
import type { DemoOptions } from '../cli/options.js';
import { EventReader } from '../files/read-events.js';
import { threadedTicks } from '../threads/threaded-ticks.js';
import { decoderOptions } from './monitor-options.js';
import { runService } from './service.js';

const PARTITIONS = 4;
const BATCH = 2000;
const PACE_MS = 100;

/**
 * Length of a pane in the demo, ms. The plain demo can have shorter panes, since it reads no days
 * of history first.
 */
const TICK_MS = {
  plain: 5000,
  story: 10_000,
};
/** Shortest pane that the service allows, ms. */
const LEAST_TICK_MS = 1000;

interface DemoPace {
  readonly speed?: number;
  readonly isPlain?: boolean;
}

/**
 * Build the settings of the demo: short windows and frequent ticks, so that changes appear within
 * minutes.
 *
 * @param speed factor by which all durations are shortened
 */
export function demoSettings({ speed = 1, isPlain = false }: DemoPace = {}) {
  const spans = (seconds: number) => `${(seconds * 1000) / speed}ms`;
  const horizon = isPlain ? spans(600) : formatDuration(DEMO_HISTORY_MS);
  const window = (seconds: number) => formatDuration((seconds * 1000) / speed);
  return {
    'time.tick': `${tickMs(speed, isPlain)}ms`,
    'time.windows': isPlain ? [window(30), window(60)] : [window(30)],
    'time.lateness': spans(2),
    'time.idle': spans(5),
    'popularity.horizon': horizon,
    // Sessions last seconds. The limit of list entries allows for the whole time, see `limits`.
    'attribution.ttl': spans(600),
    // Users click within their session, so a list's rewards occur soon after it.
    'value.horizon': spans(10),
    gammaPeriod: spans(120),
    // Each simulated user has one session a minute; half of the users are enough to detect so large
    // a change.
    'drift.window': window(isPlain ? 60 : 30),
    'drift.season': 'none',
    // One interval has to be enough for an alarm. Standardisation by ranks cannot reach that with
    // so few values.
    ...(isPlain ? {} : { 'drift.standardisation': 'levels' }),
    'drift.learn': 4,
    'deadLetters.to': 'none',
    'segments.builtIn': ['item_popularity'],
  };
}

function tickMs(speed: number, isPlain: boolean): number {
  return Math.max(LEAST_TICK_MS, TICK_MS[isPlain ? 'plain' : 'story'] / speed);
}

/**
 * `unskew demo`: run the service on an embedded broker with simulated traffic whose true values are
 * known, without Kafka and Redis. The demo starts with some minutes of past traffic and then
 * continues live. Unless `--plain` is given, days of history come first, and a model begins to
 * promote popular items after a minute, which raises an alarm. Lists from a file are added to those
 * of the simulated models and have true values too.
 */
export async function demo(
  { host, port, backlog, speed, plain, lists, ...traffic }: DemoOptions,
  io: LoggedIo,
): Promise<void> {
  const { config } = readConfig({
    env: {},
    overrides: {
      ...demoSettings({
        speed,
        isPlain: plain,
      }),
      'http.host': host,
      'http.port': port,
      // Simulated traffic is not secret, so a demo that others can reach is open to them, under any
      // host name.
      'http.auth': 'none',
      'http.hosts': isLoopback(host) ? [] : ['*'],
    },
  });
  const { exposures, interactions } = config.kafka.topics;
  const broker = new MemoryBroker();
  broker.createTopic(exposures, PARTITIONS);
  broker.createTopic(interactions, PARTITIONS);
  // Panes are aligned to the epoch, so the traffic starts with a whole pane. In a shorter one, the
  // few interactions could all be driven by one list.
  const pane = tickMs(speed, plain);
  const now = Math.floor(Date.now() / pane) * pane;
  const simulation = new Simulation(
    demoOptions(now, traffic, {
      ...(backlog !== undefined && { backlogCycles: backlog }),
      speed,
      isPlain: plain,
    }),
  );
  if (lists !== undefined) {
    const { world } = simulation;
    const { maxBytes } = config.events;
    const found = await listsByUser(lists, world, decoderOptions(config), maxBytes, io);
    for (const [model, ofUsers] of found) {
      simulation.add(model, ofUsers);
    }
  }
  const ended = new AbortController();
  const signal = AbortSignal.any([io.signal, ended.signal]);
  const marks = new MemoryMarkStore();
  const topics = { exposures, interactions };
  const produced = produce(simulation, broker.producer(), topics, signal, marks);
  try {
    await Promise.race([
      runService({
        config,
        io,
        ticks: threadedTicks,
        source: broker.source({
          topics: config.kafka.topics,
          group: 'demo',
        }),
        deadLetters: undefined,
        checkpoints: undefined,
        marks,
        truth: knownTruth(simulation, config.estimates.ks),
        onListening: (address) => io.stdout(greeting(address, simulation)),
      }),
      // The service ends only with the signal; if it fails, so does the demo.
      produced.then(() => new Promise<never>(() => {})),
    ]);
  } finally {
    ended.abort();
  }
}

/**
 * Create a function that returns the true values at an event time, ms. They are computed once for
 * each period in which they do not change.
 */
function knownTruth(simulation: Simulation, ks: readonly number[]) {
  const known = new Map<number, readonly TrueValue[]>();
  return (atMs: number): readonly TrueValue[] => {
    const since = simulation.truthChanges().findLast((ts) => ts <= atMs) ?? atMs;
    const found = known.get(since) ?? simulation.truth(atMs, ks);
    known.set(since, found);
    return found;
  };
}

function greeting(address: string, { options }: Simulation): string {
  const { drift, cycleMs } = options;
  return (
    `unskew demo: simulated traffic with known true values\n\n` +
    `  page     ${address}/\n` +
    `  metrics  ${address}/metrics\n\n` +
    `Estimates appear within seconds. Ctrl-C ends the demo.\n` +
    (drift === undefined ? '' : storyOf(nameOf(options, drift.ranker), cycleMs / 1000))
  );
}

function storyOf(model: string, seconds: number): string {
  return (
    `The demo has days of history, so there is a verdict at once. Within ${seconds} s, ${model} is retrained and ` +
    `begins to favour popular items. Within ${2 * seconds} s, an alarm reports the change, and the comparison restarts. ` +
    `Run with --plain for traffic without this change.\n`
  );
}

/**
 * Marks for the model changes of the demo's story. Each mark names its model, so the verdicts on
 * that model restart.
 */
function changesOf({ options }: Simulation): Mark[] {
  const { drift } = options;
  if (drift === undefined) return [];
  const { earlier, atMs, ranker } = drift;
  const mark = (of: RankerName, time: number, text: string): Mark => {
    return {
      id: `story ${of}`,
      time,
      kind: 'deploy',
      text,
      model: nameOf(options, of),
    };
  };
  const turned =
    earlier && mark(earlier.ranker, earlier.untilMs, 'retrained with popularity correction');
  return [
    ...(turned ? [turned] : []),
    mark(ranker, atMs, 'retrained without popularity correction'),
  ];
}

/** Write the events that are due by the clock, the backlog first. */
async function produce(
  simulation: Simulation,
  writer: LogWriter,
  topics: {
    readonly exposures: string;
    readonly interactions: string;
  },
  signal: AbortSignal,
  marks: MarkStore,
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
  const changes = changesOf(simulation);
  for (const event of simulation.events()) {
    while (event.ts > Date.now() && !signal.aborted) {
      await flush();
      await sleep(PACE_MS, undefined, { signal }).catch(() => {});
    }
    if (signal.aborted) return;
    while (changes[0] !== undefined && event.ts >= changes[0].time) {
      await marks.add(changes.shift()!);
    }
    due[event.type].push({
      key: event.user,
      value: encodeEvent(event),
    });
    if (due.exposure.length + due.interaction.length < BATCH) continue;
    await flush();
    // The backlog must not keep the service from starting.
    await sleep(1);
  }
}

/** Ids of the users whose lists are read, and of the items that may be in the lists. */
export interface KnownIds {
  readonly userIds: readonly string[];
  readonly itemIds: readonly string[];
}

interface Newest {
  readonly ts: number;
  readonly items: Int32Array;
}

/**
 * Read the lists of shadow models from an event file, such as `unskew train` writes. The newest
 * list of each model and user counts.
 *
 * @param decoder configured decoder
 * @returns by model, then by user in the order of `userIds`: items by their number in `itemIds`
 * @throws UnskewError FILE if it cannot be read; FAULTS for an invalid event; EVENTS if it has no
 * lists, lacks a list for a user, or has an unknown item
 */
export async function listsByUser(
  path: string,
  { userIds, itemIds }: KnownIds,
  decoder: DecoderOptions,
  maxEventBytes: number,
  io: CommandIo,
): Promise<ReadonlyMap<string, readonly Int32Array[]>> {
  const users = new Interner();
  const ids = {
    items: new Interner(),
    models: new Interner(),
  };
  const reader = new EventReader({
    decoder,
    maxEventBytes,
    ids,
    users,
    maxFaults: 0,
    io,
  });
  const numberOfUser = new Map(userIds.map((id, number) => [id, number]));
  const numberOfItem = new Map(itemIds.map((id, number) => [id, number]));
  const found = new Map<string, (Newest | undefined)[]>();
  const refuse = (what: string): never => {
    throw new UnskewError('EVENTS', `${path}: ${what}`);
  };
  await reader.read([path], new Outcomes(), (_, exposures) => {
    for (let row = 0; row < exposures.length; row++) {
      if ((exposures.flags[row] & SHOWN) !== 0) continue;
      const model = ids.models.text(exposures.model[row]);
      const lists = found.get(model) ?? new Array<Newest | undefined>(userIds.length);
      found.set(model, lists);
      const user = numberOfUser.get(users.text(exposures.user[row]));
      const ts = exposures.ts[row];
      if (user === undefined || ts < (lists[user]?.ts ?? Number.NEGATIVE_INFINITY)) continue;
      const from = exposures.listStart[row];
      const to = exposures.listStart[row + 1];
      const items = exposures.items.slice(from, to).map((item) => {
        const id = ids.items.text(item);
        return (
          numberOfItem.get(id) ??
          refuse(`a list of ${model} has the item ${id}, which the simulation does not have`)
        );
      });
      lists[user] = { ts, items };
    }
  });
  if (found.size === 0) {
    refuse('it has no shadow lists (never served)');
  }
  return new Map(
    [...found].map(([model, lists]) => {
      const missing = userIds.filter((_, user) => lists[user] === undefined);
      if (missing.length > 0) {
        const of = `${missing.length} of ${userIds.length} users, such as ${missing[0]}`;
        refuse(`${model} has no list for ${of}: train it on a log of all users`);
      }
      return [model, lists.map((list) => list!.items)];
    }),
  );
}
