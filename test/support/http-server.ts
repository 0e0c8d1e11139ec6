import { MemoryMarkStore } from '../../src/adapters/memory/mark-store.js';
import { MarkBook } from '../../src/commands/service/mark-book.js';
import { History } from '../../src/outputs/history/history.js';
import { tickValues } from '../../src/outputs/history/tick-values.js';
import type { QualityReport } from '../../src/outputs/http/schema/live-state.js';
import {
  createServer,
  type HttpServer,
  type ServerOptions,
} from '../../src/outputs/http/server.js';
import type { Snapshot } from '../../src/stream/tick/snapshot.js';

export const QUALITY: QualityReport = {
  ready: true,
  checks: [{ name: 'broker', ok: true }],
  topics: [
    {
      topic: 'unskew.interactions',
      accepted: 9876,
      late: 5,
      duplicate: 3,
      ignored: 0,
      overItemLimit: 0,
      faults: { not_json: 2, missing_field: 1 },
      lag: 17,
      partitions: [
        { partition: 0, watermark: 1_700_000_030_000, lag: 17, transactionSince: null },
        { partition: 1, watermark: null, lag: 0, transactionSince: null },
      ],
    },
  ],
};

/** A server of its own for a test, and what it serves. */
export interface TestServer extends HttpServer {
  readonly history: History;
  /** Makes a snapshot the newest, keeps it and sends it to all readers of the stream. */
  show(snapshot: Snapshot): void;
}

export async function serve(
  options: Partial<ServerOptions> & { readonly snapshot?: Snapshot } = {},
): Promise<TestServer> {
  const { snapshot, history = new History({ keepMs: 86_400_000 }), ...rest } = options;
  let latest = snapshot;
  const server = await createServer({
    host: '127.0.0.1',
    port: 0,
    version: '1.2.3',
    streamsPerAddress: 1000,
    windows: ['1h', '24h'],
    exporter: { contentType: 'text/plain', metrics: async () => 'unskew_build_info 1\n' },
    history,
    latest: () => latest,
    quality: () => QUALITY,
    lookup: () => undefined,
    health: () => [{ name: 'pipeline', ok: true }],
    readiness: () => [],
    state: () => ({ states: [], arrivals: null }),
    marks: new MarkBook(new MemoryMarkStore()),
    log: {
      error: (fields, message) => {
        throw new Error(message, { cause: Object.values(fields)[0] });
      },
    },
    ...rest,
  });
  const keep = (shown: Snapshot) =>
    history.add(shown.paneEnd, tickValues(shown, QUALITY), shown.alarms ?? [], shown.isBackfilled);
  if (snapshot !== undefined) keep(snapshot);
  return {
    ...server,
    history,
    show: (shown) => {
      latest = shown;
      keep(shown);
      server.publish(shown);
    },
  };
}
