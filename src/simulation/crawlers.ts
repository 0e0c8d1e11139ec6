import type { SimulationOptions } from './options.js';
import type { SessionEvent } from './session-log.js';

/**
 * Clicks of crawlers in one cycle, spread evenly over it. Each goes round the whole catalogue, one
 * item after the other, so rare items are clicked as often as popular ones. A crawler is served no
 * lists: it counts in popularity, and is evaluated for no model.
 */
export function* crawl(
  { bots = 0, botClicks = DEFAULT_BOT_CLICKS, cycleMs, startMs }: SimulationOptions,
  itemIds: readonly string[],
  cycle: number,
): Generator<SessionEvent, void, undefined> {
  const before = ((cycle - startMs) / cycleMs) * botClicks;
  for (let bot = 0; bot < bots; bot++) {
    for (let n = 0; n < botClicks; n++) {
      const item = (bot + before + n) % itemIds.length;
      const ts = cycle + Math.floor(((n + 0.5) * cycleMs) / botClicks);
      yield {
        ts,
        positiveItem: item,
        event: {
          type: 'interaction',
          id: `bot${bot}-${cycle.toString(36)}-${n}`,
          ts,
          user: `bot${bot}`,
          item: itemIds[item],
          action: 'click',
          value: 1,
        },
      };
    }
  }
}

const DEFAULT_BOT_CLICKS = 100;
