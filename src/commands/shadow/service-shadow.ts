import type { Registry } from 'prom-client';
import { CronSchedule, WALL_CLOCK } from '../../adapters/cron/cron-schedule.js';
import { ShadowSeries } from '../../adapters/prometheus/baselines/shadow-series.js';
import type { StoreSeries } from '../../adapters/prometheus/store-series.js';
import type { Config } from '../../config.js';
import { UnskewError } from '../../errors.js';
import type { NightObserver } from '../../export/nights/night-ports.js';
import { NIGHTLY_CARE, Nightly } from '../../export/nights/nightly.js';
import { isRatingMetric } from '../../gains/rating-metrics.js';
import { ShadowBaseline } from '../../stream/shadow/shadow-baseline.js';
import type { LoggedIo } from '../cli/io.js';
import { storageAt } from '../export/storage.js';
import type { NightLeases } from '../service/stores/night-leases.js';
import { STORAGE_OPERATIONS, watchedStorage } from '../service/stores/watched-storage.js';
import { AskedThread } from '../threads/asked-thread.js';
import { nightMaker } from '../threads/night-maker.js';
import { ListsInUse, type ListsObserver } from './lists-in-use.js';
import type { LoadedLists } from './loading-thread.js';
import { hasShadow, kindOf, shadowName } from './settings.js';

/** What the service does for the baseline that it learns. */
export interface ServiceShadow {
  /** As the pipeline takes it. */
  readonly baseline: ShadowBaseline;
  register(registry: Registry, stores: StoreSeries): void;
  /** Takes up the lists that are kept; to be done before anything is read. */
  open(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

/** @returns undefined if none is to be learned */
export async function serviceShadow(
  config: Config,
  io: LoggedIo,
  leases: NightLeases,
): Promise<ServiceShadow | undefined> {
  if (!hasShadow(config)) return undefined;
  const { shadow } = config;
  const kind = kindOf(config);
  const model = shadowName(config);
  let series: ShadowSeries | undefined;
  let stores: StoreSeries | undefined;
  const storageFailed = (operation: string) => stores?.failed('shadow', operation);
  const storage = watchedStorage(await storageAt(shadow.out!, config.export), storageFailed);
  const baseline = new ShadowBaseline(model, config.estimates.metrics.some(isRatingMetric), () => {
    const line = `a model of the log is called ${model}: the baseline is left out (shadow.name)`;
    io.log.warn({ model }, line);
  });
  const inUse = new ListsInUse({
    ...{ baseline, storage, clock: WALL_CLOCK },
    load: (name) => load(config, name),
    observer: listsObserver(io, model, () => series?.refused()),
  });
  const observer: NightObserver = {
    ended: (outcome, order, seconds, rows) => {
      series?.ended(outcome, seconds);
      if (outcome === 'failed') return;
      io.log.info({ model, set: order.name, lists: rows, seconds }, 'the baseline was learned');
      void inUse.look();
    },
    attemptFailed: (order, attempt, error) => {
      const why = error instanceof UnskewError ? error.message : String(error);
      const stays = inUse.manifest === undefined ? 'there is none yet' : 'the old one stays in use';
      const about = { model, set: order.name, attempt };
      io.log.error(about, `the baseline ${model} was not learned again, ${stays}: ${why}`);
    },
    troubled: (what, error) => io.log.warn({ err: error, model }, `trouble with ${what}`),
  };
  const nightly = new Nightly({
    ...{ ...NIGHTLY_CARE, retries: config.export.retries, storage, observer },
    ...{ rangeMs: shadow.rangeMs, settleMs: shadow.settleMs, retain: shadow.retain },
    schedule: new CronSchedule(shadow.schedule!, shadow.timeZone),
    clock: WALL_CLOCK,
    lease: leases(),
    catchUp: 1,
    isNewestEnough: true,
    isHopeless: (error) => error instanceof UnskewError && HOPELESS.has(error.code),
    make: nightMaker(config, {
      script: new URL('./training-thread.js', import.meta.url),
      onStorageFailure: storageFailed,
      ...{ deadlineMs: shadow.deadlineMs, heapBytes: shadow.memoryBytes },
    }),
  });
  io.log.info({ model, kind, out: storage.place }, 'a baseline is learned by schedule');
  return {
    baseline,
    register: (registry, storeSeries) => {
      stores = storeSeries;
      stores.expect('shadow', STORAGE_OPERATIONS);
      series = new ShadowSeries(registry, {
        status: () => nightly.status(),
        inUse: () => inUse.manifest && described(inUse.manifest),
        counts: () => baseline.counts,
        now: Date.now,
      });
    },
    open: () => inUse.look(),
    start: () => {
      inUse.start();
      nightly.start();
    },
    stop: async () => {
      await nightly.stop();
      await inUse.stop();
    },
  };
}

/** The log or the settings have to be others before these do not come again. */
const HOPELESS: ReadonlySet<string> = new Set(['EVENTS', 'FIT', 'USAGE']);

function described({ to, ratings, users, level }: NonNullable<ListsInUse['manifest']>) {
  return { learnedTo: to, ratings, users, ratio: 2 ** -level };
}

async function load(config: Config, name: string): Promise<LoadedLists> {
  const script = new URL('./loading-thread.js', import.meta.url);
  const thread = new AskedThread<string, LoadedLists>(script, config);
  try {
    return await thread.ask(name);
  } finally {
    await thread.close();
  }
}

function listsObserver(io: LoggedIo, model: string, onRefused: () => void): ListsObserver {
  return {
    used: (name, { to, ratings, users, level }) => {
      const about = { model, set: name, ratings, users, userRatio: 2 ** -level };
      io.log.info(about, `lists of the baseline are in use from ${new Date(to).toISOString()} on`);
    },
    refused: (name, why) => {
      onRefused();
      io.log.error({ model, set: name }, `lists of the baseline ${model} are not used: ${why}`);
    },
    troubled: (what, error) => io.log.warn({ err: error, model }, `trouble with ${what}`),
  };
}
