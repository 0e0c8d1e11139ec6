import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const HOUSE = /^## The house\n([\s\S]*?)^`config\.ts`/m;

/** Folders of `src`, and those in them, that the table of rooms in ARCHITECTURE.md leaves out. */
export function houseFaults(root: string): string[] {
  const table = HOUSE.exec(readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8'))?.[1];
  if (table === undefined) return ['ARCHITECTURE.md has no table of rooms'];
  const named = new Set([...table.matchAll(/`([a-z0-9]+)`/g)].map(([, name]) => name));
  const layers = foldersIn(join(root, 'src')).filter((layer) => layer !== 'config');
  return layers.flatMap((layer) =>
    [layer, ...foldersIn(join(root, 'src', layer))]
      .filter((room) => !named.has(room))
      .map((room) => `the table of rooms in ARCHITECTURE.md leaves out ${room} of ${layer}`),
  );
}

function foldersIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}
