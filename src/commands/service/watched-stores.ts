import type { StoreSeries } from '../../outputs/prometheus/store-series.js';
import type { CheckpointStore, PaneExchange } from '../../stream/ports.js';
import type { Logger } from '../cli/io.js';
import { watchedPort } from './watched-port.js';

/** Where a service keeps its state. */
export interface StatePorts {
  readonly checkpoints?: CheckpointStore | undefined;
  readonly exchange?: PaneExchange | undefined;
}

/** The same, with what goes wrong in metrics and in the log. */
export function watchedStores(
  { checkpoints, exchange }: StatePorts,
  series: StoreSeries,
  log: Logger,
): StatePorts {
  return {
    checkpoints: checkpoints && watchedStore(checkpoints, series),
    exchange: exchange && watchedExchange(exchange, series, log),
  };
}

/** A store of checkpoints whose failures are counted. */
function watchedStore(store: CheckpointStore, series: StoreSeries): CheckpointStore {
  const operations = {
    ...{ takeEpoch: 'take_epoch', load: 'load', peek: 'load', save: 'save', isWhole: 'check' },
    evictionPolicy: 'eviction_policy',
  } as const;
  series.expect('checkpoints', Object.values(operations));
  return watchedPort(store, operations, (operation) => series.failed('checkpoints', operation));
}

/** An exchange whose failures are counted, and what it loses. */
function watchedExchange(exchange: PaneExchange, series: StoreSeries, log: Logger): PaneExchange {
  const operations = {
    ...{ publish: 'publish', trim: 'trim', records: 'records', progress: 'progress' },
    ...{ concluded: 'concluded', conclude: 'conclude' },
  } as const;
  series.expect('exchange', Object.values(operations));
  const watched = watchedPort(exchange, operations, (operation) =>
    series.failed('exchange', operation),
  );
  const lost = (what: string, partition: number) => {
    series.lost('exchange');
    log.warn({ partition }, `the exchange has lost ${what}; they are published again`);
  };
  let wasConcluded = false;
  return {
    publish: async (partition, ...rest) => {
      const outcome = await watched.publish(partition, ...rest);
      if (outcome === 'lost') lost('panes of a partition', partition);
      return outcome;
    },
    concluded: async () => {
      const concluded = await watched.concluded();
      if (wasConcluded && concluded === undefined) lost('how far the estimates are', 0);
      wasConcluded = concluded !== undefined;
      return concluded;
    },
    trim: (...args) => watched.trim(...args),
    records: (...args) => watched.records(...args),
    progress: (...args) => watched.progress(...args),
    conclude: (...args) => watched.conclude(...args),
    close: () => watched.close(),
  };
}
