import assert from 'node:assert/strict';
import { chownSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { ROOT } from '../manifest-checks.js';
import type { ImageConfig } from './buildah.js';
import type { Launch } from './container.js';

const manifest = (file: string) =>
  parse(readFileSync(join(ROOT, 'deploy/kubernetes', file), 'utf8'));
const pod = manifest('readers.yaml').spec.template.spec;
const [container] = pod.containers;
const settings = manifest('configmap.yaml').data as Record<string, string>;
const [cronJob] = parseAllDocuments(
  readFileSync(join(ROOT, 'deploy/kubernetes/export-cronjob.yaml'), 'utf8'),
).map((document) => document.toJS());
const night = cronJob.spec.jobTemplate.spec.template.spec;
const [job] = night.containers;

/** How long the kubelet waits after SIGTERM. */
export const GRACE_MS = 1_000 * pod.terminationGracePeriodSeconds;

/** The image's user; it has to be the deployment's. */
export function userOf({ User }: ImageConfig): { readonly uid: number; readonly gid: number } {
  const { runAsUser, runAsGroup } = pod.securityContext;
  // In numbers, since Kubernetes cannot tell from a name that it is not root.
  assert.equal(User, `${runAsUser}:${runAsGroup}`, 'the image and the deployment differ in user');
  return { uid: runAsUser, gid: runAsGroup };
}

/** The container of the deployment, as the image's user: one process that does all. */
export function launchOf(
  files: string,
  config: ImageConfig,
  given: Readonly<Record<string, string>>,
  isOnline = true,
): Launch {
  const own = config.Env.map((pair) => pair.split(/=(.*)/s, 2) as [string, string]);
  return {
    ...userOf(config),
    files,
    isOnline,
    cwd: config.WorkingDir,
    volumes: {},
    isReadOnly: container.securityContext.readOnlyRootFilesystem,
    args: [...config.Entrypoint, 'serve'],
    env: Object.entries({ ...Object.fromEntries(own), ...given }).map((pair) => pair.join('=')),
  };
}

/** The container of the nightly export, with its volumes in folders of its user's own. */
export function nightOf(
  files: string,
  config: ImageConfig,
  folder: string,
  given: Readonly<Record<string, string>>,
): Launch {
  const { uid, gid } = userOf(config);
  assert.equal(night.securityContext.runAsUser, uid);
  const own = job.env.map(({ name, value }: Record<string, string>) => [name, value]);
  const mounts = job.volumeMounts as readonly { name: string; mountPath: string }[];
  for (const { name } of mounts) {
    mkdirSync(join(folder, name), { recursive: true });
    chownSync(join(folder, name), uid, gid);
  }
  return {
    ...launchOf(files, config, { ...Object.fromEntries(own), ...given }),
    args: [...job.command, ...job.args],
    isReadOnly: job.securityContext.readOnlyRootFilesystem,
    volumes: Object.fromEntries(
      mounts.map(({ name, mountPath }) => [mountPath, join(folder, name)]),
    ),
  };
}

/** The deployment's settings, with our own services and a port of loopback. */
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
