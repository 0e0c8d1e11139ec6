import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** The npm that each major version of Node brings. */
const NPM: Readonly<Record<string, string>> = { 20: '10', 22: '10', 24: '11' };

/** Installs a Node and its npm from the package registry, and gives the folder of their commands. */
export function nodeOfRegistry(folder: string, major: number | string): string {
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefix', folder];
  const node = `node-${process.platform}-${process.arch}@${major}`;
  const packages = [node, `npm@${NPM[major] ?? 'latest'}`];
  execFileSync('npm', ['install', ...flags, ...packages], { cwd: folder, stdio: 'inherit' });
  return join(folder, 'node_modules/.bin');
}
