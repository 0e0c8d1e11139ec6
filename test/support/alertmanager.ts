import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { parse } from 'yaml';
import { requireCommand } from '../../deploy/services.mjs';
import { Daemon } from './prometheus.js';

const EXAMPLE = new URL('../../deploy/alertmanager/alertmanager.yml', import.meta.url);

export interface Notification {
  readonly receiver: string;
  readonly status: string;
  readonly alerts: readonly {
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  }[];
}

export interface AlertmanagerAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly status: { readonly state: string; readonly inhibitedBy: readonly string[] };
}

/**
 * A real Alertmanager with the routes and inhibitions of the example; all its receivers are one
 * web hook, which keeps what it is sent. It waits a second where the example waits for more.
 */
export class Alertmanager {
  readonly notifications: Notification[] = [];
  readonly #daemon: Daemon;
  readonly #hook: Server;

  private constructor(daemon: Daemon, hook: Server, notifications: Notification[]) {
    this.#daemon = daemon;
    this.#hook = hook;
    this.notifications = notifications;
  }

  static async start(): Promise<Alertmanager> {
    await requireCommand('prometheus-alertmanager', 'prometheus-alertmanager', () => {});
    const notifications: Notification[] = [];
    const hook = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        notifications.push(JSON.parse(body) as Notification);
        response.end();
      });
    });
    await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/`;
    const example = parse(readFileSync(EXAMPLE, 'utf8')) as {
      route: object;
      receivers: { name: string }[];
    };
    const config = {
      ...example,
      route: { ...example.route, group_wait: '1s', group_interval: '1s' },
      receivers: example.receivers.map(({ name }) => ({ name, webhook_configs: [{ url }] })),
    };
    const daemon = await Daemon.start('prometheus-alertmanager', config, (place) => [
      `--config.file=${place.config}`,
      `--storage.path=${join(place.folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${place.port}`,
      '--cluster.listen-address=',
    ]);
    return new Alertmanager(daemon, hook, notifications);
  }

  /** `host:port`. */
  get address(): string {
    return this.#daemon.address;
  }

  async alerts(): Promise<readonly AlertmanagerAlert[]> {
    return (await this.#daemon.get('/api/v2/alerts')) as AlertmanagerAlert[];
  }

  /** Raises an alert, as Prometheus does. */
  async raise(labels: Readonly<Record<string, string>>): Promise<void> {
    const answer = await fetch(`http://${this.address}/api/v2/alerts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify([{ labels }]),
    });
    if (!answer.ok) throw new Error(await answer.text());
  }

  async stop(): Promise<void> {
    await this.#daemon.stop();
    this.#hook.close();
    this.#hook.closeAllConnections();
  }
}
