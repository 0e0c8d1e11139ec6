/** Metadata of a record in a log. */
export interface RecordContext {
  readonly topic: string;
  readonly partition: number;
  readonly offset: string;
  /** Key of the record as text; null if it has none. */
  readonly key: string | null;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** Parts of a record from which a field can be taken. */
export const RECORD_PARTS = ['topic', 'key', 'offset', 'name'] as const;
export type RecordPart = (typeof RECORD_PARTS)[number];

/**
 * Value of a part of a record. The part `offset` is the record's unique position in the log,
 * `topic/partition/offset`. The part `name` is the name of the topic, or of a file without its
 * folder and extension.
 */
export function partOf(from: RecordContext, part: RecordPart): string | null {
  if (part === 'key') return from.key;
  if (part === 'name') return from.topic.slice(from.topic.lastIndexOf('/') + 1);
  return part === 'topic' ? from.topic : `${from.topic}/${from.partition}/${from.offset}`;
}

/**
 * Give an event without an id its position in the log as id, so that the event has the same id if
 * it is read again.
 */
export function withId(fields: EventFields, from: RecordContext): EventFields {
  return isAbsent(fields, 'id')
    ? {
        ...fields,
        id: partOf(from, 'offset'),
      }
    : fields;
}

/** A parsed object, not yet validated. */
export type EventFields = Readonly<Record<string, unknown>>;

/**
 * Whether a field is absent or null, which are equivalent. No field has the name of an inherited
 * property.
 */
export function isAbsent(event: EventFields, field: string): boolean {
  return event[field] === undefined || event[field] === null;
}

const LONGEST_FOUND = 60;

/** Format a value for a message: one line, bounded, safe to print. */
export function describeFound(value: unknown): string {
  if (typeof value === 'string') {
    const isLong = value.length > LONGEST_FOUND;
    return `the string ${JSON.stringify(value.slice(0, LONGEST_FOUND))}${isLong ? '…' : ''}`;
  }
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `${String(value)}`;
}
