/** What was seen at one place of a topic's records. */
export interface SeenField {
  /** A JSON Pointer; inside lists of objects, of the list and inside each. */
  readonly path: string;
  readonly each?: string;
  /** Of how many records it was present. */
  readonly present: number;
  readonly kinds: ReadonlySet<'text' | 'integer' | 'number' | 'boolean' | 'list' | 'object'>;
  /** Different values as text, as far as they were counted. */
  readonly values: ReadonlySet<string>;
}

interface Growing {
  present: number;
  readonly kinds: Set<'text' | 'integer' | 'number' | 'boolean' | 'list' | 'object'>;
  readonly values: Set<string>;
}

/** Most different values that are told apart, longest of them, deepest place, and most places. */
const MOST_VALUES = 5000;
const LONGEST = 200;
const DEEPEST = 6;
const MOST_PLACES = 500;
/** Entries of a list that are looked at. */
const MOST_ENTRIES = 5;
const EACH = '\u0000';

/**
 * Counts what stands where in the records of one topic. All is bounded: a record may hold anything.
 *
 * @example
 * const fields = new FieldCounts();
 * fields.add({ user: { id: 'u1' }, list: [{ sku: 'a' }] });
 * fields.seen.map(({ path, each }) => path + (each ?? '')); // ['/user', '/user/id', '/list', '/list/sku']
 */
export class FieldCounts {
  records = 0;
  readonly #places = new Map<string, Growing>();

  add(record: object): void {
    this.records++;
    const found = new Map<string, Set<string>>();
    this.#walk(record, '', 0, found);
    for (const path of found.keys()) this.#places.get(path)!.present++;
  }

  get seen(): readonly SeenField[] {
    return [...this.#places].map(([place, { present, kinds, values }]) => {
      const [path, each] = place.split(EACH) as [string, string | undefined];
      const shared = { present, kinds, values };
      return each === undefined ? { path, ...shared } : { path, each, ...shared };
    });
  }

  #walk(value: unknown, path: string, depth: number, found: Map<string, Set<string>>): void {
    if (value === null || value === undefined) return;
    if (path !== '') this.#note(value, path, found);
    if (depth === DEEPEST || typeof value !== 'object') return;
    if (Array.isArray(value)) {
      if (path.includes(EACH)) return;
      for (const entry of value.slice(0, MOST_ENTRIES)) {
        if (typeof entry === 'object') this.#walk(entry, path + EACH, depth + 1, found);
        else this.#values(entry, path);
      }
      return;
    }
    for (const [name, inside] of Object.entries(value)) {
      const token = name.replaceAll('~', '~0').replaceAll('/', '~1');
      this.#walk(inside, `${path}/${token}`, depth + 1, found);
    }
  }

  #note(value: unknown, path: string, found: Map<string, Set<string>>): void {
    // The entry of a list itself has no name.
    if (path.endsWith(EACH)) return;
    let place = this.#places.get(path);
    if (place === undefined) {
      if (this.#places.size === MOST_PLACES) return;
      place = { present: 0, kinds: new Set(), values: new Set() };
      this.#places.set(path, place);
    }
    found.set(path, place.values);
    place.kinds.add(kindOf(value));
    if (typeof value !== 'object') this.#values(value, path);
  }

  #values(value: unknown, path: string): void {
    const values = this.#places.get(path)?.values;
    const text = String(value);
    if (values !== undefined && values.size < MOST_VALUES) values.add(text.slice(0, LONGEST));
  }
}

function kindOf(value: unknown): 'text' | 'integer' | 'number' | 'boolean' | 'list' | 'object' {
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'bigint' || Number.isSafeInteger(value)) return 'integer';
  if (typeof value === 'string') return 'text';
  if (typeof value === 'number') return 'number';
  return typeof value === 'boolean' ? 'boolean' : 'object';
}
