import type { Registry } from 'prom-client';
import { CronSchedule, WALL_CLOCK } from '../../adapters/cron-schedule.js';
import { MemoryNightLease } from '../../adapters/memory/night-lease.js';
import { RedisNightLease } from '../../adapters/redis/connection.js';
import { scheduleOf } from '../../config/keys/export.js';
import type { Config } from '../../config.js';
import type { NightLease, NightObserver, NightSchedule } from '../../export/night-ports.js';
import { NIGHTLY_CARE, Nightly } from '../../export/nightly.js';
import type { ExportRoutes } from '../../outputs/http/routes/exports.js';
import { ExportSeries } from '../../outputs/prometheus/export-series.js';
import type { StoreSeries } from '../../outputs/prometheus/store-series.js';
import type { LoggedIo } from '../cli/io.js';
import type { Output } from '../service/outbox.js';
import { STORAGE_OPERATIONS, watchedStorage } from '../service/watched-stores.js';
import { nightMaker } from '../threads/night-maker.js';
import { storageAt } from './storage.js';

/** Nightly test sets of a service: their schedule, HTTP routes and metrics. */
export interface ServiceExports {
  readonly routes: ExportRoutes;
  /** Values for states and metrics. */
  readonly output: Output;
  register(registry: Registry, stores: StoreSeries): void;
  start(): void;
  stop(): Promise<void>;
}

/** Maximum number of missed nightly sets that are made later. */
const MOST_MADE_UP_FOR = 7;
const NEVER: NightSchedule = { next: () => Number.POSITIVE_INFINITY };

function cronOf(schedule: string): CronSchedule {
  const { cron, timeZone } = scheduleOf(schedule);
  return new CronSchedule(cron, timeZone);
}

/** Set up the nightly test sets of a service; undefined if `export.out` is not configured. */
export async function serviceExports(
  config: Config,
  io: LoggedIo,
): Promise<ServiceExports | undefined> {
  const settings = config.export;
  if (settings.out === undefined) return undefined;
  let series: ExportSeries | undefined;
  let stores: StoreSeries | undefined;
  const storageFailed = (operation: string) => stores?.failed('exports', operation);
  const observer: NightObserver = {
    ended: (outcome, order, seconds, rows) => {
      series?.ended(outcome, seconds, rows);
      if (outcome === 'made') {
        io.log.info(
          {
            set: order.name,
            rows,
            seconds,
          },
          'test set written',
        );
      } else {
        io.log.error(
          {
            set: order.name,
            seconds,
          },
          'test set not written; giving up after the last retry',
        );
      }
    },
    attemptFailed: (order, attempt, error) => {
      series?.attemptFailed();
      io.log.warn(
        {
          err: error,
          set: order.name,
          attempt,
        },
        'cannot write the test set; retrying',
      );
    },
    troubled: (what, error) => io.log.warn({ err: error }, `${what} failed; retrying`),
  };
  const storage = watchedStorage(await storageAt(settings.out, settings), storageFailed);
  const nightly = new Nightly({
    ...settings,
    ...NIGHTLY_CARE,
    catchUp: MOST_MADE_UP_FOR,
    schedule: settings.schedule === undefined ? NEVER : cronOf(settings.schedule),
    clock: WALL_CLOCK,
    lease: leaseOf(config),
    storage,
    make: nightMaker(config, {
      script: new URL('./night-thread.js', import.meta.url),
      onStorageFailure: storageFailed,
    }),
    observer,
  });
  return {
    output: {
      name: 'sets',
      waiting: 0,
      lost: 0,
      get trouble() {
        return nightly.trouble;
      },
    },
    routes: {
      storage,
      status: () => nightly.status(),
      startNow: (order) => nightly.startNow(order),
      orderOf: ({ name, from, to = Date.now() - settings.settleMs }) => ({
        name: name ?? `by-hand-${new Date().toISOString().replaceAll(':', '-')}`,
        from: from ?? to - settings.rangeMs,
        to,
      }),
    },
    register: (registry, storeSeries) => {
      stores = storeSeries;
      stores.expect('exports', STORAGE_OPERATIONS);
      series = new ExportSeries(registry, () => nightly.status(), Date.now);
    },
    start: () => nightly.start(),
    stop: () => nightly.stop(),
  };
}

/** Lease for the nightly run among the workers of a group; without Redis there must be only one. */
function leaseOf({ state: { redisUrl }, kafka }: Config): NightLease {
  const { leaseTtlMs: ttlMs } = NIGHTLY_CARE;
  if (redisUrl === undefined) return new MemoryNightLease(ttlMs, Date.now);
  return new RedisNightLease({
    url: redisUrl,
    namespace: kafka.groupId,
    ttlMs,
  });
}
