import fastify from 'fastify';
import { addGuard, type GuardOptions } from '../guard.js';
import { listen } from '../server.js';
import { addServiceRoutes, type ServiceSource } from './service-routes.js';

export interface ProbeOptions extends Omit<ServiceSource, 'state'>, GuardOptions {
  /** Port to listen on; 0 for any free port. */
  readonly port: number;
}

/**
 * Create a server for metrics and health only, for a process without a page. Rejects with LISTEN if
 * the address is not available.
 */
export async function createProbeServer(options: ProbeOptions): Promise<{
  readonly address: string;
  close(): Promise<void>;
}> {
  const app = fastify({ forceCloseConnections: true });
  app.setSerializerCompiler(() => JSON.stringify);
  await addGuard(app, options);
  addServiceRoutes(app, {
    ...options,
    state: () => ({ states: [] }),
  });
  const address = await listen(app, options);
  return {
    address,
    close: () => app.close(),
  };
}
