import { type EventFields, isAbsent } from '../found.js';

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
export const RECORD_PARTS = ['topic', 'key', 'offset'] as const;
export type RecordPart = (typeof RECORD_PARTS)[number];

/** `offset` is the place in the log, `topic/partition/offset`: no other record has it. */
export function partOf(from: RecordContext, part: RecordPart): string | null {
  if (part === 'key') return from.key;
  return part === 'topic' ? from.topic : `${from.topic}/${from.partition}/${from.offset}`;
}

/** An event that names no id has its place in the log for one: read again, it is the same event. */
export function withId(fields: EventFields, from: RecordContext): EventFields {
  return isAbsent(fields, 'id') ? { ...fields, id: partOf(from, 'offset') } : fields;
}
