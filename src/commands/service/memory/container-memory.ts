import { getHeapStatistics } from 'node:v8';
import type { Config } from '../../../config.js';
import type { Logger } from '../../cli/io.js';
import { memoryBudget, total } from './budget.js';

/** How many there are is known later, and bounds little. */
const LIKELY_PARTITIONS = 4;

/** What there is for this process, in bytes. */
export interface MemoryThereIs {
  /** Limit of its container; 0 where there is none. */
  readonly container: number;
  /** Of that at most for the heap of V8, which Node derives from the limit at its start. */
  readonly heap: number;
}

export function memoryThereIs(): MemoryThereIs {
  return {
    container: process.constrainedMemory(),
    heap: getHeapStatistics().heap_size_limit,
  };
}

/** Says at the start how much memory the configuration may take, and warns where it is not there. */
export function tellOfMemory(
  config: Config,
  log: Pick<Logger, 'info' | 'warn'>,
  { container, heap }: MemoryThereIs,
): void {
  const brokers = config.kafka.brokers.length;
  const lines = memoryBudget(config, { brokers, partitions: LIKELY_PARTITIONS });
  const budget = total(lines);
  const fields = { budget: gib(budget), heap: gib(heap), container: gib(container) };
  // Where there is no limit the system says 0, or more than any machine has.
  if (container === 0 || container >= Number.MAX_SAFE_INTEGER) {
    log.info({ budget: fields.budget, heap: fields.heap }, 'memory: the container has no limit');
  } else if (budget <= container) {
    log.info(fields, 'memory: all that may be kept has room');
  } else {
    const [largest] = lines.filter(({ keys }) => keys.length > 0).sort((a, b) => b.bytes - a.bytes);
    log.warn(
      { ...fields, largest: largest!.what },
      `memory: the configuration may take more than the container has; lower ${largest!.keys[0]}, or raise the limit`,
    );
  }
}

function gib(bytes: number): string {
  return `${(bytes / 2 ** 30).toFixed(1)}GiB`;
}
