/** Where two values differ by more than the tolerance, relative above 1 and absolute below. */
export function differences(a: unknown, b: unknown, tolerance: number, path = ''): string[] {
  // Nearly always nothing differs, and then no path is put together.
  return isSame(a, b, tolerance) ? [] : listed(a, b, tolerance, path);
}

function isSame(a: unknown, b: unknown, tolerance: number): boolean {
  if (typeof a === 'number' && typeof b === 'number') return isClose(a, b, tolerance);
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((value, n) => isSame(value, b[n], tolerance));
  }
  if (isRecord(a) && isRecord(b)) {
    const keys = Object.keys(a);
    for (const key of keys) if (!isSame(a[key], b[key], tolerance)) return false;
    const others = Object.keys(b).filter((key) => !Object.hasOwn(a, key));
    return others.every((key) => isSame(a[key], b[key], tolerance));
  }
  return Object.is(a, b);
}

function listed(a: unknown, b: unknown, tolerance: number, path: string): string[] {
  if (typeof a === 'number' && typeof b === 'number') {
    return isClose(a, b, tolerance) ? [] : [`${path}: ${a} and ${b}`];
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    if (a.length !== b.length) return [`${path}: ${a.length} and ${b.length} elements`];
    return a.flatMap((value, n) => listed(value, b[n], tolerance, `${path}[${n}]`));
  }
  if (isRecord(a) && isRecord(b)) {
    const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
    return [...keys].flatMap((key) => listed(a[key], b[key], tolerance, `${path}.${key}`));
  }
  return Object.is(a, b) ? [] : [`${path}: ${String(a)} and ${String(b)}`];
}

function isClose(a: number, b: number, tolerance: number): boolean {
  if (Object.is(a, b)) return true;
  return Math.abs(a - b) <= tolerance * Math.max(1, Math.abs(a), Math.abs(b));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
