import { setTimeout as sleep } from 'node:timers/promises';
import type { Admin } from 'kafkajs';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { differences } from '../support/compare.js';
import { withoutReading, withoutWords } from '../support/estimate-lines.js';
import { eventually, type RunningService } from '../support/program.js';
import { IS_LONG } from '../support/repetitions.js';
import { TwinLogs } from '../support/twin-logs.js';

// Two workers of a group bring their sums together by a topic to which something happens, or one of
// them stands still; what they give is compared with one worker that nothing happens to.

const SESSION = IS_LONG ? '20s' : '6s';
const FROZEN_MS = IS_LONG ? 60_000 : 12_000;

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

class Shared {
  readonly logs: TwinLogs;
  readonly #admin: Admin;

  private constructor(logs: TwinLogs, admin: Admin) {
    this.logs = logs;
    this.#admin = admin;
  }

  /** @param session what a worker may be silent for: long, unless one is to be taken for dead */
  static async start(session = '30s'): Promise<Shared> {
    const redisUrl = inject('redisUrl');
    const brokers = inject('kafkaBrokers');
    const both = { rough: redisUrl, calm: redisUrl };
    const settings = { UNSKEW_KAFKA_SESSION_TIMEOUT: session };
    const logs = await TwinLogs.start(brokers, both, undefined, settings);
    cleanups.push(() => logs.stop());
    const admin = logs.rough.topics.kafka.admin();
    await admin.connect();
    cleanups.push(() => admin.disconnect());
    for (let n = 0; n < 2; n++) await logs.addWorker();
    const shared = new Shared(logs, admin);
    await logs.writeNext(3);
    await shared.hasRecords();
    return shared;
  }

  async hasRecords(): Promise<void> {
    await eventually(
      'sums in their topic',
      () => this.#records(),
      (records) => records > 0,
    );
  }

  get workers(): readonly RunningService[] {
    return this.logs.rough.world.workers;
  }

  get #topic(): string {
    return `${this.logs.namespace}.sums`;
  }

  async #records(): Promise<number> {
    const offsets = await this.#admin.fetchTopicOffsets(this.#topic).catch(() => []);
    return offsets.reduce((sum, { high, low }) => sum + Number(high) - Number(low), 0);
  }

  deleteTopic(): Promise<void> {
    return this.#admin.deleteTopics({ topics: [this.#topic] });
  }

  /** How often workers have found that the topic no longer holds what they read of it. */
  async lost(): Promise<number> {
    const series = await this.#scraped();
    const lost = series.filter(
      ({ name, labels }) => name === 'unskew_store_lost_total' && labels['store'] === 'exchange',
    );
    return lost.reduce((sum, { value }) => sum + value, 0);
  }

  async #scraped() {
    try {
      return (await Promise.all(this.workers.map((worker) => worker.scrape()))).flat();
    } catch (cause) {
      throw new Error(this.workers.map(({ output }) => output.slice(-3_000)).join('\n'), { cause });
    }
  }

  async isSaid(line: RegExp): Promise<void> {
    await eventually(
      `a line ${line}`,
      async () => this.workers.map(({ output }) => output),
      (outputs) => outputs.some((output) => line.test(output)),
    );
  }

  async expectSame(): Promise<void> {
    const { found, wanted } = await this.logs.made();
    expect(wanted.lines.length).toBeGreaterThan(20);
    expect(wanted.kept.rows.length).toBeGreaterThan(500);
    expect(found.kept).toEqual(wanted.kept);
    const lines = withoutReading(found.lines);
    expect(differences(lines, withoutReading(wanted.lines), 1e-9)).toEqual([]);
    const replayed = withoutReading(withoutWords(await this.logs.replayed()));
    expect(differences(withoutReading(withoutWords(found.lines)), replayed, 1e-9)).toEqual([]);
  }
}

const LOST = /the topic of sums no longer holds what was read of it: the group is joined again/;

describe('two workers give the panes, rows and lists of an undisturbed one, and of replay', () => {
  it('where one stands still for longer than its session', async () => {
    const shared = await Shared.start(SESSION);
    const { logs, workers } = shared;
    await logs.writeNext(1);
    const [frozen, other] = workers as [RunningService, RunningService];
    frozen.suspend();
    await Promise.all([logs.writeNext(2), sleep(FROZEN_MS)]);
    await eventually(
      'the other to have all partitions',
      async () => other.output,
      (output) => /"partitions":\[0,1,2\]/.test(output),
    );
    frozen.resume();
    await logs.writeSecondHalf();
    await shared.expectSame();
    // It has come back, and says so.
    await eventually(
      'both to have partitions again',
      () => Promise.all(workers.map(async (worker) => (await worker.get('/readyz')).status)),
      (all) => all.every((status) => status === 200),
    );
    expect(frozen.output.match(/partitions assigned/g)!.length).toBeGreaterThan(2);
  }, 900_000);

  it('where the topic of sums is deleted while they read', async () => {
    const shared = await Shared.start();
    const { logs } = shared;
    for (let n = 0; n < 2; n++) {
      await Promise.all([logs.writeNext(2), sleep(500 * n).then(() => shared.deleteTopic())]);
      await eventually(
        'the loss to be counted',
        () => shared.lost(),
        (lost) => lost > n,
      );
      await shared.hasRecords();
    }
    await shared.isSaid(LOST);
    await logs.writeSecondHalf();
    await shared.expectSame();
  }, 900_000);
});
