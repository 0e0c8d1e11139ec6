import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';
import { startOwnRegistry, startServices } from '../../../deploy/services.mjs';
import { serveChromium } from '../../page/chromium.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Answers `/<name of a shared service>` with its address, see `address-of.ts`. */
    porter: string;
  }
}

/** A service that all tests share, once it runs. */
interface Running {
  readonly address: string;
  stop(): Promise<void>;
}

/**
 * Lets all tests share one Kafka broker, one Redis, one schema registry and one browser. Tests run in
 * other processes: they ask here for an address, and the first to ask starts the service, so tests
 * that need none start none. Kafka and Redis may also be those of KAFKA_BROKERS and REDIS_URL.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const log = (message: string) => project.vitest.logger.log(message);
  const starts: Readonly<Record<string, () => Promise<Running>>> = {
    kafka: async () => {
      const { kafkaBrokers, stop } = await services();
      return { address: kafkaBrokers, stop };
    },
    redis: async () => {
      const { redisUrl, stop } = await services();
      return { address: redisUrl, stop };
    },
    registry: async () => {
      const { url, stop } = await startOwnRegistry(log);
      return { address: url, stop };
    },
    browser: async () => {
      const browser = await serveChromium();
      return { address: browser.wsEndpoint(), stop: () => browser.close() };
    },
  };
  let both: ReturnType<typeof startServices> | undefined;
  const services = () => {
    both ??= startServices(log);
    return both;
  };
  const running = new Map<string, Promise<Running>>();
  const server = createServer(async (request, response) => {
    const name = request.url!.slice(1);
    try {
      if (!running.has(name)) running.set(name, starts[name]!());
      const { address } = await running.get(name)!;
      response.end(address);
    } catch (error) {
      response.writeHead(500).end(`${name} did not start: ${error}`);
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  project.provide('porter', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return async () => {
    server.close();
    server.closeAllConnections();
    // A service that did not start has said so to the test that asked for it.
    const started = await Promise.allSettled(running.values());
    await Promise.all(
      started.map((service) => (service.status === 'fulfilled' ? service.value.stop() : undefined)),
    );
  };
}
