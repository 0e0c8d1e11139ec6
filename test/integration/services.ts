import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';
import { type OwnRegistry, startOwnRegistry, startServices } from '../../deploy/services.mjs';

declare module 'vitest' {
  export interface ProvidedContext {
    kafkaBrokers: string;
    redisUrl: string;
    /** Answers with the address of the schema registry, see `test/support/registry/shared-registry.ts`. */
    registryPorter: string;
  }
}

/**
 * Starts Kafka and Redis once for all tests of the project, or finds those of the environment, and
 * the schema registry once a test asks for it.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const log = (message: string) => project.vitest.logger.log(message);
  const [services, porter] = await Promise.all([startServices(log), registryPorter(log)]);
  project.provide('kafkaBrokers', services.kafkaBrokers);
  project.provide('redisUrl', services.redisUrl);
  project.provide('registryPorter', porter.address);
  return async () => {
    await Promise.all([services.stop(), porter.close()]);
  };
}

/** Tests run in other processes: they ask here, and the first to ask starts the registry for all. */
async function registryPorter(log: (message: string) => void) {
  let registry: Promise<OwnRegistry> | undefined;
  const server = createServer((_, response) => {
    registry ??= startOwnRegistry(log);
    registry.then(
      ({ url }) => response.end(url),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.close();
      await (await registry)?.stop();
    },
  };
}
