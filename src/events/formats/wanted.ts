import type { Tokens } from '../mapping/field-source.js';

/** Stands for each entry of a list. */
export const EACH = '*';

/** Which parts of a value somebody asks for; `all` from here on down. */
export interface Wanted {
  all: boolean;
  readonly parts: Map<string, Wanted>;
}

/** What these places ask for together. */
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

export const ALL: Wanted = { all: true, parts: new Map() };

/** The part under any of these names; undefined if nobody asks for it. */
export function partOf(wanted: Wanted, names: readonly string[]): Wanted | undefined {
  if (wanted.all) return ALL;
  const found = names.flatMap((name) => wanted.parts.get(name) ?? []);
  return found.length < 2 ? found[0] : merged(found);
}

/** What is asked for of any entry of a list. */
export function entryOf(wanted: Wanted): Wanted {
  return wanted.all ? ALL : merged([...wanted.parts.values()]);
}

function merged(all: readonly Wanted[]): Wanted {
  const names = new Set(all.flatMap(({ parts }) => [...parts.keys()]));
  const parts = new Map<string, Wanted>();
  for (const name of names) {
    parts.set(name, merged(all.flatMap((each) => each.parts.get(name) ?? [])));
  }
  return { all: all.some((each) => each.all), parts };
}

function nothing(): Wanted {
  return { all: false, parts: new Map() };
}
