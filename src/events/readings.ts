/**
 * Names for how an ambiguous event was interpreted, although its sender may have meant something
 * else. The list is closed; the index of a name is its code.
 */
export const READINGS = [
  'seconds',
  'no_zone',
  'repeated_item',
  'no_value',
  'null_text',
  'whole_float',
  'before_list',
  'long_before_list',
] as const;

export type Reading = (typeof READINGS)[number];

/**
 * Counts the accepted events with each interpretation; the index of a count is the code. An event
 * with several interpretations counts once for each of them.
 */
export class ReadingTally {
  readonly counts: number[] = new Array(READINGS.length).fill(0);
  #ofEvent = 0;

  /** Start with the next event. */
  begin(): void {
    this.#ofEvent = 0;
  }

  note(reading: Reading): void {
    this.#ofEvent |= 1 << READINGS.indexOf(reading);
  }

  /** Count the interpretations of the current event, which was accepted. */
  keep(): void {
    if (this.#ofEvent === 0) return;
    for (let code = 0; code < READINGS.length; code++) {
      if ((this.#ofEvent & (1 << code)) !== 0) {
        this.counts[code]++;
      }
    }
  }
}
