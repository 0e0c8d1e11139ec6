import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../manifest-checks.js';
import { buildah } from './buildah.js';

/** The npm settings by which this machine reaches its registry; no credentials. */
const SETTINGS = ['registry', 'cafile', 'proxy', 'https-proxy'] as const;
const CA = '/run/registry-ca.crt';

/**
 * Builds the Dockerfile as it is. This machine's npm settings are mounted while its commands run, so
 * that they end up in no layer of the image.
 */
export function build(tag: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'unskew-npmrc-'));
  try {
    const said = execFileSync('npm', ['config', 'list', '--json'], { cwd: ROOT, encoding: 'utf8' });
    const config = JSON.parse(said) as Record<string, unknown>;
    const cafile = config['cafile'] ?? process.env['NODE_EXTRA_CA_CERTS'];
    const own: Record<string, unknown> = { ...config, cafile: cafile && CA };
    const lines = SETTINGS.filter((key) => own[key]).map((key) => `${key}=${own[key]}\n`);
    const npmrc = join(folder, 'npmrc');
    writeFileSync(npmrc, lines.join(''));
    const mounts = [`${npmrc}:/root/.npmrc:ro`, ...(cafile ? [`${cafile}:${CA}:ro`] : [])];
    buildah(
      'bud',
      '--pull-never',
      '--network',
      'host',
      '--tag',
      tag,
      // OCI's own format has no HEALTHCHECK.
      '--format',
      'docker',
      ...mounts.flatMap((mount) => ['--volume', mount]),
      ROOT,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}
