import { describe, expect, it } from 'vitest';
import { decoderOptions, monitorOptions } from '../../src/commands/service/monitor-options.js';
import { readConfig } from '../../src/config.js';
import { Decoder } from '../../src/events/decode.js';
import { encodeEvent } from '../../src/events/encode.js';
import { IdTables, idLimits } from '../../src/stream/id-tables.js';
import type { MonitorOptions } from '../../src/stream/options.js';
import { NOTHING_READ } from '../../src/stream/panes/fold.js';
import { Monitor } from '../../src/stream/panes/monitor.js';
import { PaneRecordWriter, readPaneRecord } from '../../src/stream/panes/pane-record.js';
import { Ingest } from '../../src/stream/read/ingest.js';
import { runAtOnce } from '../../src/stream/sliced.js';
import type { Snapshot } from '../../src/stream/tick/snapshot.js';
import { Ticker } from '../../src/stream/ticker.js';
import { differences } from '../support/compare.js';
import { FROZEN_LOGS, type FrozenLog } from '../support/frozen/logs.js';
import { partitionOf, roleOf } from '../support/log.js';
import { IS_LONG } from '../support/repetitions.js';

const TOPICS = { exposures: 'e', interactions: 'i' };
const ROLES = ['exposures', 'interactions'] as const;

function ingestOf(options: MonitorOptions, decoder: Decoder, partitions: number): Ingest {
  const ingest = new Ingest(options, decoder, TOPICS, partitions);
  for (let partition = 0; partition < partitions; partition++) {
    for (const role of ROLES) ingest.monitor.watermarks.expect(role, partition);
  }
  return ingest;
}

/** A reader and a ticker, with nothing but bytes between them. */
class Divided {
  readonly snapshots: Snapshot[] = [];
  readonly #reader: Ingest;
  readonly #partitions: number;
  readonly #tickMs: number;
  readonly #writer = new PaneRecordWriter();
  readonly #ticker: Ticker;
  #closed = Number.NEGATIVE_INFINITY;

  constructor(reader: Ingest, options: MonitorOptions, partitions: number) {
    this.#reader = reader;
    this.#partitions = partitions;
    this.#tickMs = options.tickMs;
    const ids = new IdTables(idLimits(options));
    this.#ticker = new Ticker(new Monitor(options, ids, partitions), ids);
    for (let p = 0; p < partitions; p++) this.#ticker.follow(p, Number.NEGATIVE_INFINITY);
  }

  close(pane: number): void {
    for (let partition = 0; partition < this.#partitions; partition++) {
      const bytes = this.#record(partition, pane);
      this.#ticker.add(partition, readPaneRecord(bytes));
    }
    this.#closed = pane;
    for (;;) {
      const ticked = runAtOnce(this.#ticker.next());
      if (ticked.kind === 'wait') return;
      if (ticked.kind === 'ticked') this.snapshots.push(ticked.closed.snapshot);
    }
  }

  #record(partition: number, pane: number): Uint8Array {
    const { monitor } = this.#reader;
    const isEmpty = monitor.partitions.of(partition).state.oldestOpenPane > pane;
    const content = runAtOnce(monitor.closePartition(partition, pane));
    const head = {
      after: this.#closed,
      pane,
      through: pane,
      from: NOTHING_READ,
      to: NOTHING_READ,
      partitions: this.#partitions,
      tickMs: this.#tickMs,
      rules: '',
      isEmpty,
      outcomes: { exposures: {}, interactions: {} },
      newest: { exposures: 0, interactions: 0 },
    };
    return runAtOnce(this.#writer.write(head, content, this.#reader.tablesOf(partition)));
  }
}

function both({ settings, events }: FrozenLog, partitions: number) {
  const { config } = readConfig({ env: {}, overrides: settings });
  const options = monitorOptions(config);
  const one = ingestOf(options, new Decoder(decoderOptions(config)), partitions);
  const reader = ingestOf(options, new Decoder(decoderOptions(config)), partitions);
  const divided = new Divided(reader, options, partitions);
  const wanted: Snapshot[] = [];
  const close = (flush: boolean) => {
    for (let pane = one.monitor.closable(flush); pane !== undefined; ) {
      const closed = runAtOnce(one.monitor.close(pane));
      if (closed !== undefined) wanted.push(closed.snapshot);
      divided.close(pane);
      pane = one.monitor.closable(flush);
    }
  };
  const next = new Map<string, number>();
  for (const event of events) {
    const role = roleOf(event);
    const partition = partitionOf(event.user, partitions);
    const offset = next.get(`${role}/${partition}`) ?? 0;
    next.set(`${role}/${partition}`, offset + 1);
    const batch = {
      role,
      partition,
      offsets: Float64Array.of(offset),
      values: [Buffer.from(encodeEvent(event))],
      recordTs: Float64Array.of(0),
      highWatermark: offset + 1,
    };
    for (const ingest of [one, reader]) {
      runAtOnce(ingest.apply(batch, () => Number.POSITIVE_INFINITY));
    }
    close(false);
  }
  close(true);
  return { wanted, found: divided.snapshots };
}

describe('panes serialised from a reader to a ticker', () => {
  const names = Object.keys(FROZEN_LOGS).filter((name) => IS_LONG || name === 'all');
  it.each(names.flatMap((name) => [1, 3].map((partitions) => [name, partitions] as const)))(
    'give the numbers of one process for the log %s in %i partitions',
    (name, partitions) => {
      const { wanted, found } = both(FROZEN_LOGS[name]!(), partitions);
      expect(wanted.length).toBeGreaterThan(3);
      expect(found).toHaveLength(wanted.length);
      for (const [n, each] of found.entries()) {
        expect(differences(each, wanted[n]!, 0)).toEqual([]);
      }
    },
    120_000,
  );
});
