import type { PartFault } from '../../events/decode.js';
import type { ExposureEvent } from '../../events/encode.js';
import type { EventFields } from '../../events/found.js';
import type { PartField } from '../../events/mapping/impression.js';
import { LONGEST_LIST_GAPS, OpenLists } from '../../stream/intake/open-lists.js';
import { isFault, listOf, partOf } from '../../stream/intake/part.js';

/** How rows of items become lists; as in a log. */
export interface RowListOptions {
  /** Between the parts of a list at most, ms. */
  readonly gapMs: number;
  /** The number of a page's first place. */
  readonly firstPlace: number;
}

/** Lists of files that have a row for each item: they are whole when their files have been read. */
export class RowLists {
  #open: OpenLists;
  #parts = 0;

  constructor(private readonly options: RowListOptions) {
    this.#open = this.#opened();
  }

  get isEmpty(): boolean {
    return this.#parts === 0;
  }

  /** @returns what is wrong with what the row says of its place */
  add(
    fields: EventFields,
    ts: number,
    found: Readonly<Partial<Record<PartField, unknown>>>,
  ): PartFault | undefined {
    const stated = Object.entries(fields).filter(
      ([, value]) => value !== undefined && value !== null,
    );
    const event = Object.fromEntries(stated) as unknown as ExposureEvent;
    const part = partOf({ ...event, type: 'exposure', ts }, found);
    if (isFault(part)) return part;
    this.#open.add(part, this.#parts++);
    return undefined;
  }

  /** Takes out all lists, by event time. */
  take(): readonly ExposureEvent[] {
    const pieces = this.#open.take(Number.POSITIVE_INFINITY);
    this.#open = this.#opened();
    this.#parts = 0;
    const { firstPlace } = this.options;
    const lists = pieces.map(({ parts }) => {
      return listOf(
        parts.map(({ part }) => part),
        firstPlace,
      ).event;
    });
    return lists.sort((a, b) => Number(a.ts) - Number(b.ts));
  }

  #opened(): OpenLists {
    const { gapMs } = this.options;
    return new OpenLists(gapMs, LONGEST_LIST_GAPS * gapMs);
  }
}
