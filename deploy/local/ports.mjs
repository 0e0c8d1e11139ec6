import { createServer } from 'node:net';

// Below the range of ports for outgoing connections. Otherwise a client that retries a stopped broker
// could get that very port as its own and connect to itself.
const LOWEST = 20_000;
const HIGHEST = 32_000;

/** @param {number} port */
function isFree(port) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/**
 * Loopback ports that were free a moment ago. Another process may take one before it is used, so
 * the caller tries again where its service does not come up.
 *
 * @param {number} count
 * @returns {Promise<number[]>}
 */
export async function freePorts(count) {
  const ports = new Set();
  while (ports.size < count) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST));
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}
