import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { UnskewError } from '../../errors.js';
import type { Sampled } from './topic-report.js';

/** The first lines of event files, as records of a topic that have no key and no time of their own. */
export async function sampleFiles(
  files: readonly string[],
  lines: number,
): Promise<readonly Sampled[]> {
  return Promise.all(
    files.map(async (name) => {
      const { size } = await stat(name).catch(({ code }: NodeJS.ErrnoException) => {
        throw new UnskewError('FILE', `cannot read ${name}: ${code}`);
      });
      const sample: Sampled['sample'][number][] = [];
      const input = createReadStream(name);
      for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
        if (sample.length === lines) break;
        if (line.trim() === '') continue;
        const from = {
          topic: name,
          partition: 0,
          offset: `${sample.length}`,
          key: null,
          headers: {},
        };
        sample.push({ from, value: new TextEncoder().encode(line), ts: 0 });
      }
      input.destroy();
      const records = size === 0 ? 0 : sample.length;
      return { name, partitions: 1, records, retentionMs: undefined, sample };
    }),
  );
}
