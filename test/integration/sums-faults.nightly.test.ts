import { setTimeout as sleep } from 'node:timers/promises';
import type { Admin } from 'kafkajs';
import { afterEach, describe, it } from 'vitest';
import { KafkaSumsLog, sumsTopic } from '../../src/adapters/kafka/sums-log.js';
import { eventually, type RunningService } from '../support/program.js';
import { kafkaBrokers } from '../support/shared/kafka.js';
import { redisUrl } from '../support/shared/redis.js';
import { SumsWatch } from '../support/sums-watch.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { TwinLogs } from '../support/twin-logs.js';

// Two workers of a group bring their sums together by a topic to which something happens, or one of
// them stands still or is cut off; what they give is compared with one worker that nothing happens to.

const PARTITIONS = 3;
const PATIENT = '30s';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

class Shared {
  readonly logs: TwinLogs;
  /** Of each of the two workers to Kafka. */
  readonly cables: readonly TcpProxy[];
  readonly #admin: Admin;

  private constructor(logs: TwinLogs, cables: readonly TcpProxy[], admin: Admin) {
    this.logs = logs;
    this.cables = cables;
    this.#admin = admin;
  }

  /** @param session what a worker may be silent for: long, unless one is to be taken for dead */
  static async start(session = PATIENT): Promise<Shared> {
    const brokers = kafkaBrokers;
    const both = { rough: redisUrl, calm: redisUrl };
    const settings = { UNSKEW_KAFKA_SESSION_TIMEOUT: session };
    const logs = await TwinLogs.start(brokers, both, PARTITIONS, settings);
    cleanups.push(() => logs.stop());
    const admin = logs.rough.topics.kafka.admin();
    await admin.connect();
    cleanups.push(() => admin.disconnect());
    const cables: TcpProxy[] = [];
    for (let n = 0; n < 2; n++) {
      const cable = await TcpProxy.before(`tcp://${brokers}`, true);
      cleanups.push(() => cable.cut());
      cables.push(cable);
      await logs.addWorker({ UNSKEW_KAFKA_BROKERS: cable.address });
    }
    const shared = new Shared(logs, cables, admin);
    await logs.writeNext(1);
    await shared.hasRecords();
    return shared;
  }

  async hasRecords(): Promise<void> {
    await eventually(
      'sums in their topic',
      () => this.#ends(),
      ({ low, high }) => high > low,
    );
  }

  get workers(): readonly RunningService[] {
    return this.logs.rough.world.workers;
  }

  get topic(): string {
    return sumsTopic(this.logs.namespace);
  }

  async #ends() {
    const [ends] = await this.#admin.fetchTopicOffsets(this.topic).catch(() => []);
    return { low: Number(ends?.low ?? 0), high: Number(ends?.high ?? 0) };
  }

  async deleteTopic(): Promise<void> {
    await this.#admin.deleteTopics({ topics: [this.topic] });
  }

  /** All that is in the topic goes. */
  async trimTopic(): Promise<void> {
    const partitions = [{ partition: 0, offset: '-1' }];
    await this.#admin.deleteTopicRecords({ topic: this.topic, partitions });
  }

  /** The topic goes as it is written, and the workers find that out. */
  async loseTopic(): Promise<void> {
    const lost = await this.lost();
    await Promise.all([this.logs.writeNext(2), this.deleteTopic()]);
    await this.#expectLost(lost);
  }

  /** The topic is trimmed beyond what one of them has read, which stands still for a moment. */
  async trimUnread(): Promise<void> {
    const lost = await this.lost();
    const brokers = kafkaBrokers.split(',');
    const log = new KafkaSumsLog({ brokers, clientId: 'test' }, this.topic);
    const [still] = this.workers;
    still!.suspend();
    try {
      await this.logs.writeNext(1);
      // Whatever others say meanwhile, and what is nobody's: the first answers a fetch under way.
      for (let n = 0; n < 2; n++) await log.append([Uint8Array.of(0)]);
      await this.trimTopic();
    } finally {
      still!.resume();
      await log.close();
    }
    await this.#expectLost(lost);
  }

  async #expectLost(before: number): Promise<void> {
    await eventually(
      'the loss to be counted',
      () => this.lost(),
      (lost) => lost > before,
    );
    await this.isSaid(LOST);
    await this.hasRecords();
  }

  /** One of them stands still for longer than its session, and comes back. */
  async freeze(ms: number): Promise<void> {
    const [frozen, other] = this.workers as [RunningService, RunningService];
    const said = other.output.length;
    const assigned = frozen.output.match(ASSIGNED)!.length;
    frozen.suspend();
    await Promise.all([this.logs.writeNext(2), sleep(ms)]);
    await eventually(
      'the other to have all partitions',
      async () => other.output.slice(said),
      (output) => /"partitions":\[0,1,2\]/.test(output),
    );
    frozen.resume();
    await eventually(
      'the one that stood still to be given its partitions again',
      async () => frozen.output.match(ASSIGNED)!.length,
      (count) => count > assigned,
    );
  }

  /** A connection ends while a tick is in its rounds, or nothing passes through it for a while. */
  async cut(n: number, cutMs: number, isFelt: boolean): Promise<void> {
    const watch = new SumsWatch(kafkaBrokers, this.topic, PARTITIONS);
    const cable = this.cables[n % 2]!;
    const cutting = watch.inRounds().then(async () => {
      if (isFelt) await cable.cut();
      else cable.freeze('both');
      await sleep(cutMs);
      if (isFelt) await cable.restore();
      else cable.thaw();
    });
    await Promise.all([this.logs.writeNext(1), cutting]);
    await watch.close();
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
    await this.logs.writeSecondHalf();
    await this.logs.expectSame();
    // All have partitions, and say that they are well.
    await eventually(
      'both to be ready',
      () => Promise.all(this.workers.map(async (worker) => (await worker.get('/readyz')).status)),
      (all) => all.every((status) => status === 200),
    );
  }
}

const LOST = /the topic of sums no longer holds what was read of it: the group is joined again/;
const ASSIGNED = /partitions assigned/g;

describe('two workers give the panes, rows and lists of an undisturbed one, and of replay', () => {
  it('where the topic of sums is deleted while they write to it', async () => {
    const shared = await Shared.start();
    await shared.loseTopic();
    await shared.expectSame();
  }, 900_000);
});

describe('they do so', () => {
  it('where one stands still for longer than its session', async () => {
    const shared = await Shared.start('6s');
    await shared.freeze(8_000);
    await shared.expectSame();
  });

  it('where one stands still for a minute, three times as long as its session', async () => {
    const shared = await Shared.start('20s');
    await shared.logs.writeNext(1);
    await shared.freeze(60_000);
    await shared.expectSame();
  });

  it('where the topic is deleted again and again', async () => {
    const shared = await Shared.start();
    for (let n = 0; n < 3; n++) await shared.loseTopic();
    await shared.expectSame();
  });

  it('where it is trimmed again and again', async () => {
    // A worker that stands still for a moment is to find what it lost, and not to be taken for dead.
    const shared = await Shared.start();
    for (let n = 0; n < 3; n++) await shared.trimUnread();
    await shared.expectSame();
  });

  it('where it is trimmed without a pause, beyond what anybody may have read', async () => {
    const shared = await Shared.start();
    let isOver = false;
    const trimming = (async () => {
      for (; !isOver; await sleep(100)) await shared.trimTopic();
    })();
    await shared.logs.writeNext(6);
    isOver = true;
    await trimming;
    await shared.expectSame();
  });

  it('where all of them die, and it is trimmed before they are back', async () => {
    const shared = await Shared.start('6s');
    const { logs, cables } = shared;
    await logs.writeNext(3);
    await logs.rough.world.endAll();
    await shared.trimTopic();
    await logs.writeNext(2);
    for (const { address } of cables) await logs.addWorker({ UNSKEW_KAFKA_BROKERS: address });
    await shared.expectSame();
  });

  it.each([true, false])(
    'where a connection to Kafka is cut while a tick is in its rounds (felt at once: %s)',
    async (isFelt) => {
      const shared = await Shared.start('6s');
      // Shorter and longer than a session.
      for (const [n, ms] of [300, 2_000, 9_000, 500, 9_000].entries()) {
        await shared.cut(n, ms, isFelt);
      }
      await shared.expectSame();
    },
  );
});
