import type { Pipeline } from '../../../stream/pipeline.js';
import type { StartPosition } from '../../../stream/ports.js';
import type { Logger } from '../../cli/io.js';

const NEVER_KEPT = 'no state of these partitions was stored so far';
const GONE = 'the state of these partitions is gone: the group has committed offsets of them';
const UNKNOWN =
  'there is no state of these partitions, and Kafka does not say whether there was; expected at the first start only';

/**
 * Reports partitions that nothing is kept of, once an assignment: expected at the very first start,
 * and at any other the state is lost.
 */
export function tellOfAbsentState(
  pipeline: Pick<Pipeline, 'checkpointer' | 'assigned$'>,
  start: StartPosition,
  log: Logger,
): void {
  const found = new Map<string, number[]>([NEVER_KEPT, GONE, UNKNOWN].map((why) => [why, []]));
  let reason: string | undefined;
  pipeline.checkpointer?.events$.subscribe(({ partition, outcome, error }) => {
    if (outcome === 'first') found.get(NEVER_KEPT)!.push(partition);
    if (outcome !== 'absent') return;
    reason = error?.message;
    found.get(error === undefined ? GONE : UNKNOWN)!.push(partition);
  });
  const rest =
    start === 'latest'
      ? 'what the log holds by now is not read (kafka.start)'
      : 'the log is read from its beginning';
  pipeline.assigned$.subscribe(() => {
    for (const [why, partitions] of found) {
      if (partitions.length === 0) continue;
      const of = { partitions: partitions.splice(0), ...(why === UNKNOWN && { reason }) };
      log[why === NEVER_KEPT ? 'info' : 'warn'](of, `${why}: ${rest}`);
    }
  });
}
