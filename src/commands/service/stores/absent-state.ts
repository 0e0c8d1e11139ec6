import type { Pipeline } from '../../../stream/pipeline.js';
import type { StartPosition } from '../../../stream/ports.js';
import type { Logger } from '../../cli/io.js';

/**
 * Tells of partitions that nothing was kept of, once an assignment: expected at the very first start,
 * and at any other the state is lost.
 */
export function tellOfAbsentState(
  pipeline: Pick<Pipeline, 'checkpointer' | 'assigned$'>,
  start: StartPosition,
  log: Logger,
): void {
  let absent: number[] = [];
  pipeline.checkpointer?.events$.subscribe(({ partition, outcome }) => {
    if (outcome === 'absent') absent.push(partition);
  });
  pipeline.assigned$.subscribe(() => {
    if (absent.length === 0) return;
    const rest =
      start === 'latest'
        ? 'what the log holds by now is not read (kafka.start)'
        : 'the log is read from its beginning';
    const why = `nothing is kept of these partitions: ${rest}; expected at the first start only`;
    log.warn({ partitions: absent }, why);
    absent = [];
  });
}
