import type { Complete, Report } from '../key.js';
import { text } from '../kinds.js';

/** Tables of what was estimated. */
export const RESULTS = {
  out: text({
    description:
      'Where the estimates of every window are kept as Parquet, those of one tick in each stretch as long as the shortest window. A folder, or `s3://bucket/prefix` with the client of `export.s3`.',
    commands: ['serve'],
    expected: 'a folder, or s3://bucket and a prefix',
  }),
} as const;

export function checkResults({ out }: Complete<typeof RESULTS>, fault: Report): void {
  if (out?.startsWith('s3://') && !/^s3:\/\/[^/]+(\/.*)?$/.test(out)) {
    fault('results.out', `expected s3://bucket and a prefix, found ${out}`);
  }
}
