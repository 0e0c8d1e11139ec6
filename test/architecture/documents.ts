import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where documents say which files there are. */
function documents(root: string): string[] {
  const top = readdirSync(root).filter((name) => name.endsWith('.md') && name !== 'CHANGELOG.md');
  const below = ['docs', 'src'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(folder, name)),
  );
  return [...top, ...below];
}

/** A path in backticks or the target of a link: folders and a name, such as `stream/ports.ts`. */
const NAMED = /`([\w.-]+(?:\/[\w.<>*{},-]+)+\/?)`|\]\(([^)#:\s]+)(?:#[^)]*)?\)/g;
/** There `propensity/history` is a route of the API. */
const IS_FOR_USERS = /^(?:README\.md|docs\/(?!internals\/))/;
const ENDS_AS_FILE = /\.\w+$|\/$/;
/** What is built is not there in a fresh clone. */
const BUILT = 'dist';
const ENDINGS = ['', '.ts', '.mjs'];

/** Files named in a document that are not there. Paths count from the root, from `src`, or from the document. */
export function documentFaults(root: string): string[] {
  const rooms = new Set(
    [root, join(root, 'src')].flatMap((folder) =>
      readdirSync(folder, { withFileTypes: true })
        .filter((entry) => entry.isDirectory() && entry.name !== BUILT)
        .map(({ name }) => name),
    ),
  );
  return documents(root).flatMap((document) => {
    const text = readFileSync(join(root, document), 'utf8');
    const isOfCode = !IS_FOR_USERS.test(document);
    const named = [...text.matchAll(NAMED)].filter(
      ([, path]) =>
        path === undefined ||
        (rooms.has(path.split('/')[0]) && (isOfCode || ENDS_AS_FILE.test(path))),
    );
    return named
      .map(([, path, link]) => path ?? link)
      .filter((path) => !/[<>*{]/.test(path) && !isThere(root, document, path))
      .map((path) => `${document} names ${path}, which is not there`);
  });
}

function isThere(root: string, document: string, path: string): boolean {
  const places = [root, join(root, 'src'), join(root, document, '..')];
  return places.some((place) => ENDINGS.some((ending) => existsSync(join(place, path + ending))));
}
