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

// Global setups are imported by Node too, in this process.
register();

export default defineConfig({
  test: {
    // Node imports the sources itself, through tsx: an eighth less CPU than by way of Vite.
    execArgv: ['--import', 'tsx', ...SHORT_LIVED],
    experimental: { viteModuleRunner: false, nodeLoader: false },
    include: ['test/**/*.test.ts'],
    // These are of the nightly form alone, as what `test/support/at-night.ts` marks.
    exclude: IS_LONG ? [] : ['**/*.nightly.test.ts'],
    setupFiles: ['test/support/property-runs.ts'],
    // Starts a service once a test asks for it, on a free loopback port.
    globalSetup: ['test/support/shared/setup.ts'],
    maxWorkers: WORKERS,
    // A process for each file would load all sources again, which takes longer than most files.
    isolate: false,
    // Against hanging, not for speed: what is waited for says so itself long before.
    expect: { poll: { timeout: 60_000 } },
    testTimeout: IS_LONG ? 900_000 : 400_000,
    hookTimeout: 400_000,
    sequence: { sequencer: SlowFirst },
    reporters: ['default', new ClosingLine()],
  },
});
