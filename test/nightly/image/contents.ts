import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';

/** The files that a build writes to `dist`. */
const BUILT = /^(?:main\.js|LICENSES\.txt|unskew\.cdx\.json|(?:console|library|page|program)\/.*)$/;

/** Every file and folder below, relative to it. */
function* below(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    yield relative(folder, join(entry.parentPath, entry.name));
}

function distFaults(app: string): string[] {
  const dist = join(app, 'dist');
  const isOdd = (file: string) =>
    (!BUILT.test(file) && lstatSync(join(dist, file)).isFile()) || /\.test\./.test(file);
  return [...below(dist)].filter(isOdd).map((file) => `dist/${file} is not a file of the build`);
}

/** Files that the image's user could change if the root were writable. */
function ownedFaults(app: string, uid: number, gid: number): string[] {
  const faults: string[] = [];
  for (const file of ['.', ...below(app)]) {
    const stat = lstatSync(join(app, file));
    if (stat.isSymbolicLink()) continue;
    const isOwn = stat.uid === uid || (stat.gid === gid && (stat.mode & 0o020) !== 0);
    if (isOwn || (stat.mode & 0o002) !== 0) faults.push(`${file} can be changed by user ${uid}`);
  }
  return faults;
}

/** What is wrong with what an image holds. */
export function contentFaults(files: string, uid: number, gid: number): string[] {
  const app = join(files, 'app');
  const known = ['LICENSE', 'dist', 'docs', 'package.json'];
  return [
    ...readdirSync(app).flatMap((name) =>
      known.includes(name) ? [] : `/app/${name} does not belong there`,
    ),
    ...distFaults(app),
    ...ownedFaults(app, uid, gid),
    // What was mounted for the build, and the package manager's cache.
    ...['root/.npmrc', 'run/registry-ca.crt', 'root/.npm/_cacache']
      .filter((path) => existsSync(join(files, path)))
      .map((path) => `/${path} is left of the build`),
  ];
}
