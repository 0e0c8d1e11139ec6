/** Where two values differ by more than the tolerance, relative above 1 and absolute below. */
export function differences(a: unknown, b: unknown, tolerance: number, path = ''): string[] {
  if (typeof a === 'number' && typeof b === 'number') {
    if (Object.is(a, b)) return [];
    const scale = Math.max(1, Math.abs(a), Math.abs(b));
    return Math.abs(a - b) <= tolerance * scale ? [] : [`${path}: ${a} and ${b}`];
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    if (a.length !== b.length) return [`${path}: ${a.length} and ${b.length} elements`];
    return a.flatMap((value, n) => differences(value, b[n], tolerance, `${path}[${n}]`));
  }
  if (isRecord(a) && isRecord(b)) {
    const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
    return [...keys].flatMap((key) => differences(a[key], b[key], tolerance, `${path}.${key}`));
  }
  return Object.is(a, b) ? [] : [`${path}: ${String(a)} and ${String(b)}`];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
