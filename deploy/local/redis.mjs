import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { requireCommand } from './commands.mjs';
import { freePorts } from './ports.mjs';

const ATTEMPTS = 3;
const READY_PATIENCE_MS = 15_000;

/**
 * @typedef {object} LocalRedis
 * @property {string} url
 * @property {() => Promise<void>} stopRedis
 * @property {() => Promise<void>} startRedis On the same port and data as before.
 * @property {() => void} freezeRedis It stands still with its connections open.
 * @property {() => void} thawRedis What came meanwhile is done now.
 */

/**
 * A Redis server on a free loopback port that keeps nothing on the disk.
 *
 * @param {import('./scope.mjs').Scope} scope
 * @param {(message: string) => void} log
 * @returns {Promise<string>} Its URL.
 */
export async function startRedis(scope, log) {
  return (await startServer(scope, log, ['--save', '', '--appendonly', 'no'])).url;
}

/**
 * One that keeps everything on the disk, to be stopped and started.
 *
 * @param {import('./scope.mjs').Scope} scope
 * @param {(message: string) => void} log
 * @returns {Promise<LocalRedis>}
 */
export function startLastingRedis(scope, log) {
  return startServer(scope, log, ['--save', '', '--appendonly', 'yes']);
}

/**
 * @param {import('./scope.mjs').Scope} scope
 * @param {(message: string) => void} log
 * @param {readonly string[]} settings
 * @returns {Promise<LocalRedis>}
 */
async function startServer(scope, log, settings) {
  await requireCommand('redis-server', 'redis-server', log);
  for (let attempt = 1; ; attempt++) {
    const [port] = await freePorts(1);
    const folder = await scope.folder('redis');
    const start = () => startOnce(scope, Number(port), folder, settings);
    try {
      let server = await start();
      return {
        url: `redis://127.0.0.1:${port}`,
        stopRedis: () => server.stop(),
        startRedis: async () => {
          if (!server.isRunning()) server = await start();
        },
        freezeRedis: () => void process.kill(server.pid, 'SIGSTOP'),
        thawRedis: () => void process.kill(server.pid, 'SIGCONT'),
      };
    } catch (error) {
      // The likely cause is a port that was taken in the meantime.
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

/**
 * @param {import('./scope.mjs').Scope} scope
 * @param {number} port
 * @param {string} folder
 * @param {readonly string[]} settings
 */
async function startOnce(scope, port, folder, settings) {
  const args = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder, ...settings];
  const child = scope.start('redis-server', args, folder);
  let end = '';
  void child.exited.then((how) => {
    end = how;
  });
  const deadline = Date.now() + READY_PATIENCE_MS;
  while (end === '' && Date.now() < deadline) {
    if (await answersPing(port)) return child;
    await sleep(50);
  }
  await child.stop();
  throw new Error(`Redis did not start: ${end || 'no answer'}`);
}

/** @param {number} port */
function answersPing(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    const answer = (/** @type {boolean} */ isReady) => {
      socket.destroy();
      resolve(isReady);
    };
    socket.setTimeout(1000, () => answer(false));
    socket.once('error', () => answer(false));
    socket.once('data', (bytes) => answer(bytes.toString().startsWith('+PONG')));
  });
}
