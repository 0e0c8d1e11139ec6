import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What takes longest, the longest first: half a minute and more each, much of it waiting. */
const SLOW = [
  'page/page',
  'integration/demo',
  'integration/recovery',
  'integration/chaos',
  'integration/broker-outage',
  'integration/workers',
  'integration/serve-equals-evaluate',
  'integration/kafka',
  'integration/serve-equals-replay',
  'integration/evaluate-threads',
  'integration/drift-alert',
  'integration/secure-kafka',
  'integration/nightly-export',
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

function place({ moduleId, project }: TestSpecification): number {
  const slow = SLOW.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  if (slow >= 0) return slow;
  return project.name === 'services' ? SLOW.length : SLOW.length + 1;
}
