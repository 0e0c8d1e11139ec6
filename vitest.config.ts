import { availableParallelism } from 'node:os';
import { register } from 'tsx/esm/api';
import { defineConfig } from 'vitest/config';
import ClosingLine from './test/support/closing-line.js';
import { IS_LONG } from './test/support/repetitions.js';
import { SHORT_LIVED } from './test/support/short-lived.js';
import { SlowFirst } from './test/support/slow-first.js';

/**
 * One more than there are processors, since tests of services wait; many more starve what is waited
 * for. Each file has topics, groups, namespaces and folders of its own, and one that takes a broker
 * or a Redis away has its own.
 */
const WORKERS = availableParallelism() + 1;

/** Node imports the sources itself, through tsx: an eighth less CPU than by way of Vite. */
const NATIVE = {
  execArgv: ['--import', 'tsx', ...SHORT_LIVED],
  experimental: { viteModuleRunner: false, nodeLoader: false },
};

// `*.nightly.test.ts` are of the nightly form alone, as what `test/support/at-night.ts` marks.
// Two projects: the core needs nothing started; the rest runs against real services, which the
// global setup starts on free loopback ports (or finds in KAFKA_BROKERS and REDIS_URL).
const NIGHTLY = ['**/*.nightly.test.ts'];

// Global setups are imported by Node too, in this process.
register();

export default defineConfig({
  test: {
    maxWorkers: WORKERS,
    sequence: { sequencer: SlowFirst },
    reporters: ['default', new ClosingLine()],
    projects: [
      {
        test: {
          ...NATIVE,
          name: 'core',
          setupFiles: ['test/support/property-runs.ts'],
          exclude: IS_LONG ? [] : NIGHTLY,
          include: [
            'test/{unit,property,reference}/**/*.test.ts',
            'test/contract/**/*.memory.test.ts',
          ],
          testTimeout: IS_LONG ? 900_000 : 120_000,
          hookTimeout: 120_000,
          // These share no state, and loading the sources again for each file takes longer than most.
          isolate: false,
        },
      },
      {
        test: {
          ...NATIVE,
          name: 'services',
          exclude: IS_LONG ? [] : NIGHTLY,
          include: ['test/{integration,page}/**/*.test.ts', 'test/contract/**/*.services.test.ts'],
          globalSetup: ['test/integration/services.ts', 'test/page/browser-server.ts'],
          // A process for each file would start and load all packages again.
          isolate: false,
          // Against hanging, not for speed: what is waited for says so itself long before.
          expect: { poll: { timeout: 60_000 } },
          testTimeout: IS_LONG ? 900_000 : 400_000,
          hookTimeout: 400_000,
        },
      },
    ],
  },
});
