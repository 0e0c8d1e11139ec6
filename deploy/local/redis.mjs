import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { requireCommand } from './commands.mjs';
import { freePorts } from './ports.mjs';

const ATTEMPTS = 3;
const READY_PATIENCE_MS = 15_000;

/**
 * A Redis server on a free loopback port that keeps nothing on the disk.
 *
 * @param {import('./scope.mjs').Scope} scope
 * @param {(message: string) => void} log
 * @returns {Promise<string>} Its URL.
 */
export async function startRedis(scope, log) {
  await requireCommand('redis-server', 'redis-server', log);
  for (let attempt = 1; ; attempt++) {
    const [port] = await freePorts(1);
    const child = scope.start(
      'redis-server',
      ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
      await scope.folder('redis'),
    );
    let end = '';
    void child.exited.then((how) => {
      end = how;
    });
    const deadline = Date.now() + READY_PATIENCE_MS;
    while (end === '' && Date.now() < deadline) {
      if (await answersPing(port)) return `redis://127.0.0.1:${port}`;
      await sleep(50);
    }
    await child.stop();
    if (attempt === ATTEMPTS) throw new Error(`Redis did not start: ${end || 'no answer'}`);
  }
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
