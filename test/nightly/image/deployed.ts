import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ROOT } from '../manifest-checks.js';
import type { ImageConfig } from './buildah.js';
import type { Launch } from './container.js';

const manifest = (file: string) =>
  parse(readFileSync(join(ROOT, 'deploy/kubernetes', file), 'utf8'));
const pod = manifest('deployment.yaml').spec.template.spec;
const [container] = pod.containers;
const settings = manifest('configmap.yaml').data as Record<string, string>;

/** How long the kubelet waits after SIGTERM. */
export const GRACE_MS = 1_000 * pod.terminationGracePeriodSeconds;

/** The user that the image names, which has to be the one that the deployment names. */
export function userOf({ User }: ImageConfig): { readonly uid: number; readonly gid: number } {
  const { runAsUser, runAsGroup } = pod.securityContext;
  // In numbers: of a name Kubernetes cannot say that it is not root's, and so does not start it.
  assert.equal(User, `${runAsUser}:${runAsGroup}`, 'the image and the deployment differ in user');
  return { uid: runAsUser, gid: runAsGroup };
}

/** A container of the deployment, as its user, with settings beside those of the image. */
export function launchOf(
  files: string,
  config: ImageConfig,
  given: Readonly<Record<string, string>>,
  isOnline = true,
): Launch {
  const own = config.Env.map((pair) => pair.split(/=(.*)/s, 2) as [string, string]);
  return {
    ...userOf(config),
    ...{ files, isOnline, cwd: config.WorkingDir },
    isReadOnly: container.securityContext.readOnlyRootFilesystem,
    args: [...config.Entrypoint, ...container.args],
    env: Object.entries({ ...Object.fromEntries(own), ...given }).map((pair) => pair.join('=')),
  };
}

/** The settings of the deployment, at one's own services, on loopback. */
export function settingsAt(
  port: number,
  services: Readonly<Record<string, string>>,
): Record<string, string> {
  return {
    ...settings,
    ...services,
    UNSKEW_HTTP_HOST: '127.0.0.1',
    UNSKEW_HTTP_PORT: `${port}`,
  };
}
