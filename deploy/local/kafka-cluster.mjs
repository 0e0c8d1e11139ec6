import { join } from 'node:path';
import { requireCommand } from './commands.mjs';
import { formatStorage, newClusterId, startBroker } from './kafka.mjs';
import { kafkaJars } from './kafka-jars.mjs';
import { freePorts } from './ports.mjs';

/**
 * Several brokers of one cluster, each a voter too, that keep every topic on all of them: one of
 * them may be away.
 *
 * @param {import('./scope.mjs').Scope} scope
 * @param {(message: string) => void} log
 * @param {number} count
 * @returns {Promise<{ brokers: string, restart: (n: number) => Promise<void> }>}
 */
export async function startKafkaCluster(scope, log, count) {
  await requireCommand('java', 'default-jre-headless', log);
  const classPath = join(await kafkaJars(log), '*');
  const ports = await freePorts(2 * count);
  const nodes = Array.from({ length: count }, (_, n) => ({
    id: n + 1,
    port: /** @type {number} */ (ports[n]),
    controllerPort: /** @type {number} */ (ports[count + n]),
  }));
  const properties = {
    'controller.quorum.voters': nodes
      .map(({ id, controllerPort }) => `${id}@127.0.0.1:${controllerPort}`)
      .join(','),
    'default.replication.factor': count,
    'min.insync.replicas': count - 1,
    'offsets.topic.replication.factor': count,
  };
  const clusterId = newClusterId();
  const starts = nodes.map(async ({ id, port, controllerPort }) => {
    const folder = await scope.folder('kafka');
    const own = { ...properties, 'node.id': id };
    await formatStorage(
      classPath,
      folder,
      port,
      controllerPort,
      undefined,
      undefined,
      undefined,
      own,
      clusterId,
    );
    return () => startBroker(scope, classPath, folder, `127.0.0.1:${port}`);
  });
  const start = await Promise.all(starts);
  const running = await Promise.all(start.map((each) => each()));
  return {
    brokers: nodes.map(({ port }) => `127.0.0.1:${port}`).join(','),
    restart: async (n) => {
      await running[n]?.stop();
      running[n] = /** @type {Awaited<ReturnType<typeof startBroker>>} */ (await start[n]?.());
    },
  };
}
