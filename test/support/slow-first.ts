import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What takes longest, the longest first: half a minute and more each, much of it waiting. */
const SLOW = [
  'page/page',
  'integration/recovery',
  'integration/own-shop',
  'integration/intake-refused',
  'integration/forget',
  'integration/alerts-from-exporter',
  'integration/demo',
  'integration/nightly-export',
  'integration/moved-state',
  'contract/kafka.services',
  'integration/serve-equals-evaluate',
  'integration/secure-kafka',
  'integration/export',
  'integration/kafka',
  'integration/installed-package',
];

/**
 * Slow files first and those without services last, so that no worker is still at a slow one when
 * the others have nothing left. On a new checkout the runner knows sizes of files alone, and the
 * slowest are among the smallest.
 */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => place(a) - place(b));
  }
}

function place({ moduleId }: TestSpecification): number {
  const slow = SLOW.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  if (slow >= 0) return slow;
  const takesServices = /\/test\/(integration|page)\/|\.services\.test\.ts$/.test(moduleId);
  return takesServices ? SLOW.length : SLOW.length + 1;
}
