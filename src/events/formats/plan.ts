import { FIELDS, ITEMS, PROPENSITIES, SCORES } from '../field.js';
import type { Tokens } from '../mapping/field-source.js';

/** Token of a path that stands for each entry of a list. */
export const EACH = '*';

/** Wanted parts of a value, by name; with `all`, the whole value is wanted. */
export interface Wanted {
  all: boolean;
  readonly parts: Map<string, Wanted>;
}

/** Union of the parts at these paths. */
export function wantedOf(places: readonly Tokens[]): Wanted {
  const root = nothing();
  for (const tokens of places) {
    let at = root;
    for (const token of tokens) {
      let part = at.parts.get(token);
      if (part === undefined) {
        part = nothing();
        at.parts.set(token, part);
      }
      at = part;
    }
    at.all = true;
  }
  return root;
}

export const ALL: Wanted = {
  all: true,
  parts: new Map(),
};

/** The wanted part under any of these names; undefined if there is none. */
export function partOf(wanted: Wanted, names: readonly string[]): Wanted | undefined {
  if (wanted.all) return ALL;
  const found = names.flatMap((name) => wanted.parts.get(name) ?? []);
  return found.length < 2 ? found[0] : merged(found);
}

/** The wanted parts of any entry of a list. */
export function entryOf(wanted: Wanted): Wanted {
  return wanted.all ? ALL : merged([...wanted.parts.values()]);
}

function merged(all: readonly Wanted[]): Wanted {
  const names = new Set(all.flatMap(({ parts }) => [...parts.keys()]));
  const parts = new Map<string, Wanted>();
  for (const name of names) {
    parts.set(name, merged(all.flatMap((each) => each.parts.get(name) ?? [])));
  }
  return {
    all: all.some((each) => each.all),
    parts,
  };
}

function nothing(): Wanted {
  return {
    all: false,
    parts: new Map(),
  };
}

/** Event fields to read at one position of a payload, and plans for the parts below it. */
export interface Plan {
  /** Codes of fields that are read here. */
  readonly captures: readonly number[];
  readonly parts: ReadonlyMap<string, Plan>;
}

/** Event field with its only path in a payload. */
export interface Place {
  readonly field: number;
  readonly tokens: Tokens;
}

interface Growing extends Plan {
  readonly captures: number[];
  readonly parts: Map<string, Growing>;
}

/** Create the plan that reads fields from these paths; list fields read each entry. */
export function planOf(places: readonly Place[]): Plan {
  const root = growing();
  for (const { field, tokens } of places) {
    let at = root;
    const isList = field === ITEMS || field === SCORES || field === PROPENSITIES;
    for (const token of isList && !tokens.includes(EACH) ? [...tokens, EACH] : tokens) {
      let part = at.parts.get(token);
      if (part === undefined) {
        part = growing();
        at.parts.set(token, part);
      }
      at = part;
    }
    at.captures.push(field);
  }
  return root;
}

/** Paths of canonical events. */
export const CANONICAL: readonly Place[] = FIELDS.map((name, field) => ({
  field,
  tokens: [name],
}));

/** The only plan under any of these names; undefined if there is none. */
export function planUnder(plan: Plan, names: readonly string[]): Plan | undefined {
  const found = names.flatMap((name) => plan.parts.get(name) ?? []);
  if (found.length > 1) throw new Unplanned();
  return found[0];
}

/** Whether a plan only reads the value as an item of the event's list. */
export function isOfItems({ captures, parts }: Plan): boolean {
  return captures.length === 1 && captures[0] === ITEMS && parts.size === 0;
}

/** Thrown for a schema or mapping that needs the general path. */
export class Unplanned extends Error {}

function growing(): Growing {
  return {
    captures: [],
    parts: new Map(),
  };
}
