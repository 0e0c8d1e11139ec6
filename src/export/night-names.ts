const PATTERN = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z$/;

/** Name of the set of a night, by the time that it was due; names sort as times do. */
export function nightName(dueMs: number): string {
  return `${new Date(dueMs).toISOString().slice(0, 19).replaceAll(':', '-')}Z`;
}

/** The time that a name stands for; undefined for a set that no night made. */
export function nightOf(name: string): number | undefined {
  const match = PATTERN.exec(name);
  if (match === null) return undefined;
  const [, day, hours, minutes, seconds] = match;
  const ms = Date.parse(`${day}T${hours}:${minutes}:${seconds}Z`);
  return Number.isNaN(ms) ? undefined : ms;
}
