import type { PartFault } from '../../events/decode.js';
import type { ExposureEvent } from '../../events/encode.js';
import type { EventFields } from '../../events/found.js';
import type { PartField } from '../../events/mapping/impression.js';
import { type HeldPart, LONGEST_LIST_GAPS, OpenLists } from '../../stream/intake/open-lists.js';
import { isFault, listsOf, type Part, partOf } from '../../stream/intake/part.js';

/** How rows with one item each form lists, as in a log. */
export interface RowListOptions {
  /** Maximum time between the parts of a list, ms. */
  readonly gapMs: number;
  /** Number of the first position in a list, as events count positions: 0 or 1. */
  readonly firstPlace: number;
}

/**
 * Assembles lists from files with one row per item. Lists are complete when all files are read.
 * Rows without a list id form one list if their user, model and time match. If the rows of a list
 * name different models, the first model counts, as in a log. But if several models rank the same
 * items, each model has its own list.
 */
export class RowLists {
  /**
   * Pending lists. Rows without a list id are stored under their model, and rows with a list id
   * under ''.
   */
  readonly #open = new Map<string, OpenLists>();
  #parts = 0;

  constructor(private readonly options: RowListOptions) {}

  get isEmpty(): boolean {
    return this.#parts === 0;
  }

  /** Add a row. @returns what is wrong with its position fields, if anything */
  add(
    fields: EventFields,
    ts: number,
    found: Readonly<Partial<Record<PartField, unknown>>>,
  ): PartFault | undefined {
    const stated = Object.entries(fields).filter(
      ([, value]) => value !== undefined && value !== null,
    );
    const event = Object.fromEntries(stated) as unknown as ExposureEvent;
    const part = partOf(
      {
        ...event,
        type: 'exposure',
        ts,
      },
      found,
    );
    if (isFault(part)) return part;
    this.#openOf(part).add(part, this.#parts++);
    return undefined;
  }

  /** Take all lists, in the order of their event times. */
  take(): readonly ExposureEvent[] {
    const pieces = [...this.#open.values()].flatMap((open) => open.take(Number.POSITIVE_INFINITY));
    this.#open.clear();
    this.#parts = 0;
    const { firstPlace } = this.options;
    const lists = pieces.flatMap(({ parts }) => listsOf(inFileOrder(parts), firstPlace));
    return lists.map(({ event }) => event).sort((a, b) => Number(a.ts) - Number(b.ts));
  }

  #openOf({ list, event: { model } }: Part): OpenLists {
    const key = list === undefined ? model : '';
    const known = this.#open.get(key);
    if (known !== undefined) return known;
    const { gapMs } = this.options;
    const open = new OpenLists(gapMs, LONGEST_LIST_GAPS * gapMs);
    this.#open.set(key, open);
    return open;
  }
}

function inFileOrder(held: readonly HeldPart[]): readonly Part[] {
  return [...held].sort((a, b) => a.offset - b.offset).map(({ part }) => part);
}
