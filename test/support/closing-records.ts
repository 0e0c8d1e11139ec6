import { encodeEvent } from '../../src/events/encode.js';
import type { Event } from './log.js';
import type { TestTopics } from './topics.js';

const KINDS = { exposures: 'exposure', interactions: 'interaction' } as const;

interface Closing {
  readonly partitions: number;
  readonly latenessMs: number;
  readonly tickMs: number;
}

/**
 * Writes an event to each topic-partition that is newer than all others by so much that their panes
 * close by it, and need not wait for silence. @returns how many
 */
export async function writeClosing(
  topics: TestTopics,
  newestMs: number,
  { partitions, latenessMs, tickMs }: Closing,
): Promise<number> {
  const ts = newestMs + latenessMs + 2 * tickMs;
  for (const role of ['exposures', 'interactions'] as const) {
    const messages = Array.from({ length: partitions }, (_, partition) => {
      const event = { id: `last-${role}-${partition}`, ts, user: `last-${partition}` };
      const kind = role === 'exposures' ? { model: 'm', items: ['a'] } : { item: 'a' };
      const value = Buffer.from(encodeEvent({ type: KINDS[role], ...event, ...kind } as Event));
      return { partition, value };
    });
    await topics.send(role, messages);
  }
  return 2 * partitions;
}
