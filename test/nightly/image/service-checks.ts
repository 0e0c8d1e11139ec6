import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../support/program.js';
import type { TestTopics } from '../../support/topics.js';
import { parseExposition } from '../../unit/prometheus/exposition.js';
import type { ImageConfig } from './buildah.js';
import type { Container } from './container.js';
import { GRACE_MS, userOf } from './deployed.js';

export const TOKEN = 'correct-horse-battery-staple';
/** Nothing listens there. */
const NO_PORT = '1';

export class Service {
  readonly #container: Container;
  readonly #port: number;

  constructor(container: Container, port: number) {
    this.#container = container;
    this.#port = port;
  }

  async #get(path: string, token?: string): Promise<{ status: number; body: string }> {
    assert.ok(!this.#container.hasEnded, `the service has ended: ${this.#container.output}`);
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    return fetch(`http://127.0.0.1:${this.#port}${path}`, { headers }).then(
      async (answer) => ({ status: answer.status, body: await answer.text() }),
      (error: Error) => ({ status: 0, body: `${error.cause}` }),
    );
  }

  async #answers(path: string, token?: string): Promise<void> {
    await eventually(
      `200 at ${path}`,
      () => this.#get(path, token),
      ({ status }) => status === 200,
    );
  }

  /** Health, page, API console, and an event's way from Kafka to Prometheus. */
  async works(topics: TestTopics): Promise<void> {
    for (const path of ['/healthz', '/readyz', '/']) await this.#answers(path);
    for (const path of ['/metrics', '/docs/', '/docs/json']) await this.#answers(path, TOKEN);
    assert.equal((await this.#get('/metrics')).status, 401);
    const list = { id: 'e-1', ts: Date.now(), user: 'u', model: 'm', items: ['a', 'b'] };
    await topics.send('exposures', [{ key: 'u', value: JSON.stringify(list) }]);
    await eventually(
      'the event among what is counted',
      async () => parseExposition((await this.#get('/metrics', TOKEN)).body),
      (series) =>
        series.some(
          ({ name, labels, value }) =>
            name === 'unskew_events_total' && labels['outcome'] === 'accepted' && value === 1,
        ),
    );
  }

  /** Runs the HEALTHCHECK command, and once where it has to fail. */
  isWatched({ Healthcheck }: ImageConfig): void {
    const [kind, ...command] = Healthcheck.Test;
    assert.equal(kind, 'CMD');
    const { status, stderr } = this.#container.exec(command);
    assert.equal(status, 0, `the health check fails beside a service that works: ${stderr}`);
    const wrong = this.#container.exec(command, { UNSKEW_HTTP_PORT: NO_PORT });
    assert.equal(wrong.status, 1, `the health check passes where nothing listens: ${wrong.stderr}`);
  }

  /** It is process 1, unprivileged, and can write nowhere but to shared memory. */
  isConfined(config: ImageConfig): void {
    const { uid, gid } = userOf(config);
    const status = this.#container.status();
    const four = (id: number) => Array(4).fill(id).join('\t');
    assert.equal(status.get('Uid'), four(uid));
    assert.equal(status.get('Gid'), four(gid));
    assert.equal(status.get('NSpid')?.split('\t').at(-1), '1');
    assert.equal(status.get('NoNewPrivs'), '1');
    for (const kind of ['CapEff', 'CapPrm', 'CapBnd']) assert.match(status.get(kind)!, /^0+$/);
    const folders = ['/', '/app', '/app/dist', '/tmp', '/var/tmp', '/home/node', '/dev/shm'];
    const attempt = 'for folder; do touch "$folder/x" 2>/dev/null && echo "$folder"; done; true';
    const tried = this.#container.exec(['sh', '-c', attempt, 'sh', ...folders]);
    assert.equal(tried.stdout, '/dev/shm\n', `what can be written: ${tried.stdout}${tried.stderr}`);
  }

  async ends(): Promise<void> {
    this.#container.signal('TERM');
    const overdue = `no end ${GRACE_MS} ms after SIGTERM`;
    const code = await Promise.race([this.#container.ended, sleep(GRACE_MS, overdue)]);
    assert.equal(code, 0, this.#container.output);
  }
}
