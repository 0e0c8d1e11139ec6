import type { TestProject } from 'vitest/node';
import { startServices } from '../../deploy/services.mjs';

declare module 'vitest' {
  export interface ProvidedContext {
    kafkaBrokers: string;
    redisUrl: string;
  }
}

/** Starts Kafka and Redis once for all tests of the project, or finds those of the environment. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const services = await startServices((message) => project.vitest.logger.log(message));
  project.provide('kafkaBrokers', services.kafkaBrokers);
  project.provide('redisUrl', services.redisUrl);
  return () => services.stop();
}
