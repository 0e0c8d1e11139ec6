import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../manifest-checks.js';

/** Our own images and containers, apart from the machine's. Delete it to start from scratch. */
export const FOLDER = join(ROOT, '.cache', 'image');
const STORAGE = ['--root', join(FOLDER, 'storage'), '--runroot', join(FOLDER, 'run')];

/** What an image says about how it is run, as Docker has it. */
export interface ImageConfig {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly WorkingDir: string;
  readonly Healthcheck: { readonly Test: readonly string[] };
}

/** Runs buildah, without a daemon and without the kernel's overlay file system. */
export function buildah(...args: readonly string[]): void {
  mkdirSync(FOLDER, { recursive: true });
  execFileSync('buildah', [...STORAGE, '--storage-driver', 'vfs', ...args], {
    env: { ...process.env, BUILDAH_ISOLATION: 'chroot' },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}

/** Runs buildah and gives its output. */
export function askBuildah(...args: readonly string[]): string {
  mkdirSync(FOLDER, { recursive: true });
  return execFileSync('buildah', [...STORAGE, '--storage-driver', 'vfs', ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim();
}

export function hasImage(name: string): boolean {
  return askBuildah('images', '--format', '{{.Name}}:{{.Tag}}').split('\n').includes(name);
}

export function configOf(image: string): ImageConfig {
  const inspected = JSON.parse(askBuildah('inspect', '--type', 'image', image)) as {
    Docker: { config: ImageConfig };
  };
  return inspected.Docker.config;
}

/** Unpacks an image into a folder, which `use` may read and change, and removes it afterwards. */
export async function withFilesOf<T>(
  image: string,
  use: (folder: string, container: string) => Promise<T> | T,
): Promise<T> {
  const container = askBuildah('from', '--pull-never', image);
  try {
    return await use(askBuildah('mount', container), container);
  } finally {
    askBuildah('rm', container);
  }
}
