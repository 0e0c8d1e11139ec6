import { variableName } from './key-index.js';

/** What to do instead of a setting that was removed, by the path of the key or of its section. */
const REMOVED: Readonly<Record<string, string>> = {
  shadow:
    'run unskew train by a schedule and send the lists it writes as exposure events (docs/baselines.md)',
};

/** A removed setting that is still given. */
export interface RemovedSetting {
  /** As the table has it. */
  readonly path: string;
  readonly origin: string;
}

/** The entry of the table that a path falls under, if any. */
export function removedPath(path: string): string | undefined {
  return Object.keys(REMOVED).find((each) => `${path}.`.startsWith(`${each}.`));
}

/** The same for the name of an environment variable. */
export function removedByVariable(name: string): string | undefined {
  return Object.keys(REMOVED).find((each) => `${name}_`.startsWith(`${variableName(each)}_`));
}

/** One line for each entry of the table, with every place that still gives it. */
export function removalFaults(given: readonly RemovedSetting[]): string[] {
  return [...new Set(given.map(({ path }) => path))].map((path) => {
    const origins = given.filter((each) => each.path === path).map(({ origin }) => origin);
    return `${[...new Set(origins)].join(', ')}: ${path} was removed: ${REMOVED[path]}`;
  });
}
