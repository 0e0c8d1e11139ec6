import type { PlacedKey } from '../../config/key-index.js';

/** Headings of flags that stand for settings, in the order of a command's help. */
const HEADINGS = {
  estimated: 'What is estimated:',
  popularity: 'Popularity and its bias:',
  estimates: 'How it is estimated:',
  set: 'The set:',
  events: 'How events are read:',
  other: 'Configuration:',
} as const;

type Group = keyof typeof HEADINGS;

/** The heading of what stands for the configuration as a whole. */
export const CONFIGURATION = HEADINGS.other;

const ORDER = Object.keys(HEADINGS);

/** Keys that are looked for first: what is estimated, and beside whom. */
const ESTIMATED: ReadonlySet<string> = new Set([
  'estimates.metrics',
  'estimates.ks',
  'estimates.estimators',
  'comparisons.control',
  'baseline',
  'time.tick',
  'time.windows',
]);

/** Sections, and keys that stand in none, by their group. */
const SECTIONS: Readonly<Record<string, Group>> = {
  popularity: 'popularity',
  gamma: 'popularity',
  gammaFit: 'popularity',
  estimates: 'estimates',
  catalogue: 'estimates',
  export: 'set',
  events: 'events',
  attribution: 'events',
  positive: 'events',
  time: 'events',
};

function groupOf({ path }: PlacedKey): Group {
  if (ESTIMATED.has(path)) return 'estimated';
  return SECTIONS[path.split('.', 1)[0]!] ?? 'other';
}

/** The heading that a key's flag stands under. */
export function headingOf(key: PlacedKey): string {
  return HEADINGS[groupOf(key)];
}

/** Keys in the order of their groups, else as they were. */
export function byGroup(keys: readonly PlacedKey[]): readonly PlacedKey[] {
  const place = (key: PlacedKey) => ORDER.indexOf(groupOf(key));
  return [...keys].sort((a, b) => place(a) - place(b));
}

/** Whether the names that a key takes stand at the end of the help, see `namesHelp`. */
export function areNamedBelow({ path }: PlacedKey): boolean {
  return path === 'estimates.metrics' || path === 'estimates.estimators';
}
