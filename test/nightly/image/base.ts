import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeOfRegistry } from '../../support/node-of-registry.js';
import { buildah, hasImage, withFilesOf } from './buildah.js';

/** The one image that all stages are built from. */
export function baseOf(dockerfile: string): { readonly name: string; readonly major: string } {
  const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base!);
  const [name, ...others] = new Set(bases);
  const [, major] = /^node:(\d+)-slim$/.exec(name ?? '') ?? [];
  if (major === undefined || others.length > 0)
    throw new Error(`no stand-in for ${bases.join(', ')}: expected node:<major>-slim in each FROM`);
  return { name: name!, major };
}

/** Puts Node and npm from the package registry where the real image has them. */
function addNode(files: string, major: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'unskew-node-'));
  try {
    const commands = nodeOfRegistry(folder, major);
    const local = join(files, 'usr/local');
    const modules = join(local, 'lib/node_modules');
    mkdirSync(modules, { recursive: true });
    cpSync(realpathSync(join(commands, 'node')), join(local, 'bin/node'));
    cpSync(join(folder, 'node_modules/npm'), join(modules, 'npm'), { recursive: true });
    symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin/npm'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Makes, once, a stand-in for the base of the Dockerfile under the base's name: a minimal Debian with
 * Node, npm and the user `node` (1000), which is all that the Dockerfile needs of it.
 */
export async function ensureBase(name: string, major: string): Promise<void> {
  const image = `docker.io/library/${name}`;
  if (hasImage(image)) return;
  await withFilesOf('scratch', (files, container) => {
    // In a mount namespace of its own, so that it leaves no mount behind if it fails.
    const debootstrap = [
      'debootstrap',
      '--force-check-gpg',
      '--variant=minbase',
      'bookworm',
      files,
    ];
    execFileSync('unshare', ['--mount', ...debootstrap], { stdio: 'inherit' });
    const user = ['--uid', '1000', '--user-group', '--create-home', '--shell', '/bin/bash', 'node'];
    execFileSync('useradd', ['--root', files, ...user], { stdio: 'inherit' });
    addNode(files, major);
    for (const left of ['var/cache/apt', 'var/lib/apt/lists'])
      rmSync(join(files, left), { recursive: true });
    buildah('commit', '--format', 'docker', container, image);
  });
}
