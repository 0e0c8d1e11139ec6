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
