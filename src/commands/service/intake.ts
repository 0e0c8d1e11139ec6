import { once } from 'node:events';
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Config } from '../../config.js';
import { UnskewError } from '../../errors.js';
import { createProbeServer } from '../../outputs/http/routes/probe-server.js';
import type { LoggedIo } from '../cli/io.js';
import { openSchemas } from './schemas.js';
import { ServiceIntake } from './service-intake.js';

/** `unskew intake`: copy source topics to internal topics, and serve metrics and health. */
export async function intake(config: Config, io: LoggedIo): Promise<void> {
  const { http, kafka } = config;
  if (config.intake.sources.length === 0) {
    throw new UnskewError('USAGE', 'intake.sources: expected at least one topic to read');
  }
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const running = new ServiceIntake(config, io, openSchemas(config, io));
  running.register(registry);
  const server = await createProbeServer({
    host: http.host,
    port: http.port,
    hosts: http.hosts,
    rateLimit: http.rateLimit,
    token: http.token,
    exporter: {
      contentType: registry.contentType,
      metrics: () => registry.metrics(),
    },
    health: () => [],
    readiness: () => [running.check],
  });
  try {
    io.log.info(
      {
        address: server.address,
        brokers: kafka.brokers,
      },
      'unskew intake is up',
    );
    const stopped = io.signal.aborted ? Promise.resolve() : once(io.signal, 'abort');
    const started = running.start();
    // A stop must not wait for a start that itself waits for the broker.
    started.catch(() => {});
    await Promise.race([started, stopped]);
    await stopped;
  } finally {
    await running.stop();
    await server.close();
  }
}
