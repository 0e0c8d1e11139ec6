import { Counter, Gauge, type Registry } from 'prom-client';
import type { Flow } from '../../stream/flow.js';
import type { TopicRole } from '../../stream/ports.js';
import type { SchemaPreparer } from '../../stream/read/schema-preparer.js';

/** State of a process's connections, read at each scrape. */
export interface ConnectionReport {
  readonly pipeline: Pick<
    Flow,
    'contact' | 'checkpointer' | 'clockSkewMs' | 'sharing' | 'lostPanes$'
  >;
  readonly topics: Readonly<Record<TopicRole, string>>;
  readonly isReady: () => boolean;
  /** Loader of schemas; undefined if all topics are JSON. */
  readonly schemas?: Pick<SchemaPreparer, 'trouble'> | undefined;
}

/**
 * Register gauges for reachability, readiness, clock skew, and the division of work among
 * processes.
 */
export function registerConnections(registry: Registry, report: ConnectionReport): void {
  const { pipeline, topics, isReady, schemas } = report;
  gauge(registry, 'unskew_connected', '1 while the service in the label `to` answers, else 0', {
    labelNames: ['to'],
    collect(own) {
      own.set({ to: 'broker' }, Number(pipeline.contact.isThere));
      if (schemas) {
        own.set({ to: 'schema_registry' }, Number(schemas.trouble === undefined));
      }
      const { checkpointer } = pipeline;
      if (checkpointer) {
        own.set({ to: 'state_store' }, Number(checkpointer.isReachable));
      }
    },
  });
  gauge(registry, 'unskew_ready', '1 while /readyz reports ready, else 0', {
    collect: (own) => own.set(Number(isReady())),
  });
  if (pipeline.sharing !== undefined) {
    registerSharing(registry, pipeline);
  }
  const skew =
    'How far the times in the Kafka log are ahead of the clock of this machine; 0 if they agree';
  gauge(registry, 'unskew_clock_skew_seconds', skew, {
    collect: (own) => own.set(pipeline.clockSkewMs / 1000),
  });
  const fetched =
    'When a partition last delivered records or had no unread records, in Unix seconds';
  gauge(registry, 'unskew_last_fetch_seconds', fetched, {
    labelNames: ['topic', 'partition'],
    collect(own) {
      own.reset();
      for (const { role, partition, at } of pipeline.contact.heard) {
        own.set(
          {
            topic: topics[role],
            partition,
          },
          at / 1000,
        );
      }
    },
  });
  const open =
    'Start of the open transaction that blocks all unread records, in Unix seconds; absent without one';
  gauge(registry, 'unskew_transaction_since_seconds', open, {
    labelNames: ['topic', 'partition'],
    collect(own) {
      own.reset();
      for (const { role, partition, transaction } of pipeline.contact.heard) {
        if (transaction === undefined) continue;
        own.set(
          {
            topic: topics[role],
            partition,
          },
          transaction.since / 1000,
        );
      }
    },
  });
}

/** Register gauges for problems between processes that read and the one that ticks. */
function registerSharing(registry: Registry, pipeline: ConnectionReport['pipeline']): void {
  const differ = '1 while readers run with other settings than the ticker, else 0';
  gauge(registry, 'unskew_workers_differ', differ, {
    collect: (own) => own.set(Number(pipeline.sharing?.isMixed === true)),
  });
  const lost = new Counter({
    name: 'unskew_panes_lost_total',
    help: 'Panes whose records were deleted from the panes topic before they were read; the numbers lack them',
    registers: [registry],
  });
  pipeline.lostPanes$.subscribe(() => lost.inc());
}

function gauge(
  registry: Registry,
  name: string,
  help: string,
  how: {
    readonly labelNames?: string[];
    readonly collect: (own: Gauge) => void;
  },
): void {
  const { labelNames = [], collect } = how;
  const own: Gauge = new Gauge({
    name,
    help,
    labelNames,
    registers: [registry],
    collect: () => collect(own),
  });
}
