import { parentPort, workerData } from 'node:worker_threads';
import pino from 'pino';
import { UnskewError } from '../../errors.js';
import type { LoggedIo } from '../cli/io.js';
import { decoderOptions } from '../service/monitor-options.js';
import { watchedStorage } from '../service/stores/watched-storage.js';
import { KafkaSetReader } from './kafka-reader.js';
import { makeSet } from './make-set.js';
import type { FromNight, NightWork, ToNight } from './night-messages.js';
import { planOf } from './plan.js';
import { eventSettings, kafkaOptions } from './reading.js';
import { storageAt } from './storage.js';

/** A set takes the processor for minutes: in a thread of its own nothing else waits for it. */
const port = parentPort!;
const { config, order } = workerData as NightWork;
const stop = new AbortController();
let answer: ((message: ToNight) => void) | undefined;

port.on('message', (message: ToNight) => {
  if (message.kind === 'stop') stop.abort();
  else answer?.(message);
});

function tell(message: FromNight): void {
  port.postMessage(message);
}

/** Waits until the other side has said whether the set may appear. */
async function mayCommit(): Promise<void> {
  const answered = new Promise<ToNight>((resolve) => {
    answer = resolve;
  });
  tell({ kind: 'ready' });
  const message = await answered;
  if (message.kind === 'refused') throw new UnskewError('SET', message.message);
}

const io: LoggedIo = {
  stdout: () => {},
  stderr: () => {},
  isTerminal: false,
  hasColor: false,
  signal: stop.signal,
  log: pino({ name: 'unskew', level: config.log.level }, pino.destination({ dest: 2, sync: true })),
};

try {
  const { from, to, name } = order;
  const { counts } = await makeSet({
    plan: planOf(config, [], { from, to, hasTrain: false }),
    events: eventSettings(config),
    reader: new KafkaSetReader({
      kafka: kafkaOptions(config, io),
      decoder: decoderOptions(config),
      start: { fromMs: from },
      allowMissing: config.export.allowMissing,
      maxFaults: Number.POSITIVE_INFINITY,
      onProgress: (done, total) => tell({ kind: 'progress', step: 'reading', done, total }),
      io,
    }),
    storage: watchedStorage(await storageAt(config.export.out!, config.export), (operation) =>
      tell({ kind: 'storage', operation }),
    ),
    name,
    memoryBytes: config.export.memoryBytes,
    io,
    onStep: (step, done, total) => tell({ kind: 'progress', step, done, total }),
    mayCommit,
  });
  tell({ kind: 'made', rows: counts.drawn });
} catch (error) {
  const code = error instanceof UnskewError ? error.code : undefined;
  const message = error instanceof Error ? error.message : String(error);
  tell({ kind: 'failed', code, message });
} finally {
  port.close();
}
