import type { PartFault } from '../../events/decode.js';
import type { ExposureEvent } from '../../events/encode.js';
import { MAX_ID_BYTES } from '../../events/field.js';
import type { EventFields } from '../../events/found.js';
import type { PartField } from '../../events/mapping/impression.js';
import { type HeldPart, LONGEST_LIST_GAPS, OpenLists } from '../../stream/intake/open-lists.js';
import { isFault, listOf, type Part, partOf } from '../../stream/intake/part.js';

/** How rows of items become lists; as in a log. */
export interface RowListOptions {
  /** Between the parts of a list at most, ms. */
  readonly gapMs: number;
  /** The number of a page's first place. */
  readonly firstPlace: number;
}

/**
 * Lists of files that have a row for each item: they are whole when their files have been read. Rows that
 * name no list are of one list if user, model and time say so. Of rows that name the same, the model is that
 * of the first, as in a log; but where several models rank the same items, each has a list of its own.
 */
export class RowLists {
  /** By model, of rows that name no list. */
  readonly #open = new Map<string, OpenLists>();
  #parts = 0;

  constructor(private readonly options: RowListOptions) {}

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
    this.#openOf(part).add(part, this.#parts++);
    return undefined;
  }

  /** Takes out all lists, by event time. */
  take(): readonly ExposureEvent[] {
    const pieces = [...this.#open.values()].flatMap((open) => open.take(Number.POSITIVE_INFINITY));
    this.#open.clear();
    this.#parts = 0;
    const { firstPlace } = this.options;
    const lists = pieces.flatMap(({ parts }) => listsOf(parts, firstPlace));
    return lists.sort((a, b) => Number(a.ts) - Number(b.ts));
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

/** The first list of those that are shown has the name that its rows share; others have their model behind it. */
function listsOf(held: readonly HeldPart[], firstPlace: number): readonly ExposureEvent[] {
  const parts = [...held].sort((a, b) => a.offset - b.offset).map(({ part }) => part);
  const models = new Map<string, Part[]>();
  for (const part of parts) {
    const { model } = part.event;
    const own = models.get(model);
    if (own === undefined) models.set(model, [part]);
    else own.push(part);
  }
  if (models.size === 1 || !areApart([...models.values()]))
    return [listOf(parts, firstPlace).event];
  const named = parts.find(({ event }) => event.shown !== false) ?? parts[0]!;
  return [...models].map(([model, own]) => {
    const { event } = listOf(own, firstPlace);
    const id = `${event.id}/${model}`;
    if (model === named.event.model) return event;
    return { ...event, id: id.length * 3 > MAX_ID_BYTES ? own[0]!.event.id : id };
  });
}

/** Whether models have an item or a place in common, so that they are no parts of one list. */
function areApart(models: readonly (readonly Part[])[]): boolean {
  const isShared = (of: (part: Part) => unknown) => {
    const sets = models.map((parts) => new Set(parts.flatMap((part) => of(part) ?? [])));
    const all = new Set(sets.flatMap((each) => [...each]));
    return sets.reduce((sum, { size }) => sum + size, 0) > all.size;
  };
  return isShared(({ event }) => event.items[0]) || isShared(({ place }) => place);
}
