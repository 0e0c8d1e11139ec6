import { readdir, readFile, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import type { OwnBroker } from '../../deploy/services.mjs';

const BATCH_HEADER = { length: 8, records: 12 } as const;

/**
 * A log loses its end, from the record batch on that holds an offset, as where a broker without its
 * newest records is made the leader. The broker is away meanwhile.
 */
export async function loseTail(broker: OwnBroker, topic: string, offset: number): Promise<void> {
  await broker.stopBroker();
  const folder = join(broker.logFolder, `${topic}-0`);
  const segment = join(folder, '00000000000000000000.log');
  await truncate(segment, positionOf(await readFile(segment), offset));
  for (const name of await readdir(folder)) {
    if (/index$|\.snapshot$/.test(name)) await rm(join(folder, name));
  }
  // The broker then looks through its logs, instead of believing that it left them in order.
  await rm(join(broker.logFolder, '.kafka_cleanshutdown'), { force: true });
  await broker.startBroker();
}

function positionOf(segment: Buffer, offset: number): number {
  let at = 0;
  while (at < segment.length && Number(segment.readBigInt64BE(at)) < offset) {
    at += BATCH_HEADER.records + segment.readInt32BE(at + BATCH_HEADER.length);
  }
  return at;
}
