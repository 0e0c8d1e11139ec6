/** What a log says of a record beside its value. */
export interface RecordContext {
  readonly topic: string;
  readonly partition: number;
  readonly offset: string;
  /** As text; null where it has none. */
  readonly key: string | null;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** What a field can be taken from, of a record. */
export const RECORD_PARTS = ['topic', 'key', 'offset', 'name'] as const;
export type RecordPart = (typeof RECORD_PARTS)[number];

/**
 * `offset` is the place in the log, `topic/partition/offset`: no other record has it; `name` that of a
 * file without its folder and its ending, or of the topic.
 */
export function partOf(from: RecordContext, part: RecordPart): string | null {
  if (part === 'key') return from.key;
  if (part === 'name') return from.topic.slice(from.topic.lastIndexOf('/') + 1);
  return part === 'topic' ? from.topic : `${from.topic}/${from.partition}/${from.offset}`;
}

/** An event that names no id has its place in the log for one: read again, it is the same event. */
export function withId(fields: EventFields, from: RecordContext): EventFields {
  return isAbsent(fields, 'id')
    ? {
        ...fields,
        id: partOf(from, 'offset'),
      }
    : fields;
}

/** An object as it was parsed, nothing of it checked yet. */
export type EventFields = Readonly<Record<string, unknown>>;

/**
 * Absent or null: the two mean the same. No field of an event is called as something that every
 * object inherits.
 */
export function isAbsent(event: EventFields, field: string): boolean {
  return event[field] === undefined || event[field] === null;
}

const LONGEST_FOUND = 60;

/** A value as a fault's text shows it: one line, bounded, safe to print. */
export function describeFound(value: unknown): string {
  if (typeof value === 'string') {
    const isLong = value.length > LONGEST_FOUND;
    return `the string ${JSON.stringify(value.slice(0, LONGEST_FOUND))}${isLong ? '…' : ''}`;
  }
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `${String(value)}`;
}
