import { OpenPane } from '../state/open-pane.js';

/** From so many interactions on a segment is handed out: few enough to be in the cache still. */
const SEGMENT_ROWS = 131_072;

/**
 * Events as they come. While either kind comes in order of time they are handed out segment by
 * segment, so that what is made of them need not wait for the last one.
 *
 * Everything older than the newest interaction and the newest list is complete then. All is kept:
 * an event that turns out to be older than its predecessor makes what was handed out worthless, and
 * `takeRest` gives it once more, together with all others.
 */
export class GatheredEvents {
  readonly #segmentRows: number;
  #segments: OpenPane[] = [];
  #current = new OpenPane();
  /** How many of the current segment's events are known to be in order. */
  #checked = { interactions: 0, exposures: 0 };
  #isInOrder = true;

  constructor(segmentRows = SEGMENT_ROWS) {
    this.#segmentRows = segmentRows;
  }

  /** Where events are added; none of them may be late. */
  get current(): OpenPane {
    return this.#current;
  }

  /** Whether `takeRest` gives only what has not been handed out yet. */
  get isInOrder(): boolean {
    return this.#isInOrder;
  }

  /** Events that are complete, if they are worth it by now; all later ones are of a later time. */
  takeSegment(): OpenPane | undefined {
    const { interactions, exposures } = this.#current;
    this.#isInOrder &&= isAscending(interactions, this.#checked.interactions);
    this.#isInOrder &&= isAscending(exposures, this.#checked.exposures);
    this.#checked = { interactions: interactions.length, exposures: exposures.length };
    if (!this.#isInOrder || interactions.length < this.#segmentRows) return undefined;
    if (exposures.length === 0) return undefined;
    const newest = Math.min(
      interactions.ts[interactions.length - 1],
      exposures.ts[exposures.length - 1],
    );
    const [first, firstList] = [placeOf(newest, interactions), placeOf(newest, exposures)];
    const left = interactions.length - first + exposures.length - firstList;
    // Else what stays would be moved again and again.
    return left > first + firstList ? undefined : this.#cut(first, firstList);
  }

  /** What was not handed out; everything, after events out of order. To be called once. */
  takeRest(): OpenPane {
    const all = this.#isInOrder ? [] : this.#segments;
    this.#segments = [];
    if (all.length === 0) return this.#current;
    const whole = new OpenPane();
    for (const segment of [...all, this.#current]) {
      whole.interactions.append(segment.interactions);
      whole.exposures.append(segment.exposures);
    }
    return whole;
  }

  #cut(first: number, firstList: number): OpenPane {
    const segment = this.#current;
    this.#current = new OpenPane(segment);
    this.#current.interactions.append(segment.interactions, first);
    this.#current.exposures.append(segment.exposures, firstList);
    segment.interactions.truncate(first);
    segment.exposures.truncate(firstList);
    this.#segments.push(segment);
    this.#checked = {
      interactions: this.#current.interactions.length,
      exposures: this.#current.exposures.length,
    };
    return segment;
  }
}

interface Times {
  readonly ts: Float64Array;
  readonly length: number;
}

/** Whether none from `start` on is older than the one before it. */
function isAscending({ ts, length }: Times, start: number): boolean {
  for (let r = Math.max(1, start); r < length; r++) if (ts[r] < ts[r - 1]) return false;
  return true;
}

/** Where in ascending times those begin that are at `time` or later. */
function placeOf(time: number, { ts, length }: Times): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ts[middle] < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
