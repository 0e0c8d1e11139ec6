import { FIELDS, ITEMS, PROPENSITIES, SCORES } from '../field.js';
import type { Tokens } from '../mapping/field-source.js';

/** Token of a path that stands for each entry of a list. */
export const EACH = '*';

/** The parts of a value that are wanted, by name. If `all` is set, the whole value is wanted. */
export interface Wanted {
  all: boolean;
  readonly parts: Map<string, Wanted>;
}

/** Create the tree of wanted parts from their paths. */
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

/**
 * What is wanted of a part that has several names, such as a field and its aliases. Undefined if
 * nothing is wanted under any of the names.
 */
export function partOf(wanted: Wanted, names: readonly string[]): Wanted | undefined {
  if (wanted.all) return ALL;
  const found = names.flatMap((name) => wanted.parts.get(name) ?? []);
  return found.length < 2 ? found[0] : merged(found);
}

/** What is wanted of each entry of a list. */
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

/**
 * The event fields that are read at one position of a payload, and the plans of the parts below it.
 */
export interface Plan {
  /** Codes of fields that are read here. */
  readonly captures: readonly number[];
  readonly parts: ReadonlyMap<string, Plan>;
}

/** An event field, and the only path in a payload from which it is read. */
export interface Place {
  readonly field: number;
  readonly tokens: Tokens;
}

interface Growing extends Plan {
  readonly captures: number[];
  readonly parts: Map<string, Growing>;
}

/**
 * Create the plan that reads each field from its path. A list field reads every entry of the list.
 */
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

/**
 * Plan of a part that has several names; undefined if none of the names has a plan. @throws
 * Unplanned if several names have one
 */
export function planUnder(plan: Plan, names: readonly string[]): Plan | undefined {
  const found = names.flatMap((name) => plan.parts.get(name) ?? []);
  if (found.length > 1) throw new Unplanned();
  return found[0];
}

/** Whether the only use of a value is as an item of the event's list. */
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
