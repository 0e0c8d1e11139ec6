import { randomUUID } from 'node:crypto';
import { KafkaWriter } from '../../src/adapters/kafka/writer.js';
import { Patience } from '../../src/stream/patience.js';
import { eventually, RunningService } from '../support/program.js';
import { createTopics, TestTopics } from '../support/topics.js';
import { generator } from './decode.js';
import type { BenchResult } from './result.js';

const START_TS = 1_750_000_000_000;
const RECORDS = 200_000;
const USERS = 10_000;
const PARTITIONS = 4;
const BLOCK = 10_000;
const ROUNDS = 4;
/** From here to the end it is measured: what is before is the start of a process. */
const WARM = 0.2;
const MOST = 1.15;
const PSEUDONYMS = JSON.stringify([{ key: 'the key of a measurement, no secret at all' }]);
const MAPPING = {
  interaction: {
    id: '/uuid',
    ts: '/time',
    user: '/user/id',
    item: '/sku',
    action: '/event',
    exposure: '/rid',
  },
};

/**
 * The whole intake, from a topic of a local broker to topics that are keyed by user, with pseudonyms
 * and without, in turns; the processor's time of its process, best of each.
 */
export async function benchIntakeOnKafka(brokers: string): Promise<BenchResult[]> {
  const topics = await TestTopics.create(brokers, PARTITIONS);
  const source = `${topics.name}.clicks`;
  const admin = topics.kafka.admin();
  await admin.connect();
  try {
    await createTopics(admin, [{ topic: source, numPartitions: PARTITIONS }]);
    await fill(brokers, source);
    const settings = {
      ...topics.settings,
      UNSKEW_INTAKE_SOURCES: JSON.stringify([
        { topic: source, events: 'interactions', mapping: MAPPING },
      ]),
    };
    const plain: Spent[] = [];
    const named: Spent[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      plain.push(await spent(settings));
      named.push(await spent({ ...settings, UNSKEW_EVENTS_PSEUDONYMS: PSEUDONYMS }));
    }
    const best = (of: readonly Spent[], what: keyof Spent) =>
      Math.min(...of.map((each) => each[what]));
    const value = best(named, 'cpuUs') / best(plain, 'cpuUs');
    const figures = ([of, name]: readonly [readonly Spent[], string]) =>
      `${best(of, 'cpuUs').toFixed(1)} µs of the processor a record and ${Math.round(1e6 / best(of, 'wallUs')).toLocaleString('en')} records/s ${name}`;
    return [
      {
        id: 'intake.pseudonyms_on_kafka',
        value,
        unit: 'ratio',
        target: `<= ${MOST}`,
        ok: value <= MOST,
        detail: `${figures([plain, 'without'])}, ${figures([named, 'with pseudonyms'])}; JSON, ${USERS} users`,
      },
    ];
  } finally {
    await admin.deleteTopics({ topics: [source] });
    await admin.disconnect();
    await topics.delete();
  }
}

/** Of a record. */
interface Spent {
  readonly cpuUs: number;
  readonly wallUs: number;
}

/** Reads the topic from its beginning, in a group of its own. */
async function spent(settings: Readonly<Record<string, string>>): Promise<Spent> {
  const own = { ...settings, UNSKEW_KAFKA_GROUP_ID: randomUUID() };
  const service = await RunningService.start(['intake'], own);
  const until = async (records: number) => {
    const look = async () => {
      const seen = await service.scrape();
      const of = (name: string, outcome?: string) =>
        seen
          .filter((each) => each.name === name && each.labels['outcome'] === outcome)
          .reduce((sum, each) => sum + each.value, 0);
      return {
        records: of('unskew_intake_records_total', 'written'),
        cpu: of('process_cpu_seconds_total'),
        at: performance.now(),
      };
    };
    return eventually(`${records} records`, look, (seen) => seen.records >= records, 120_000);
  };
  try {
    const first = await until(WARM * RECORDS);
    const last = await until(RECORDS);
    const records = last.records - first.records;
    return {
      cpuUs: ((last.cpu - first.cpu) * 1e6) / records,
      wallUs: ((last.at - first.at) * 1000) / records,
    };
  } finally {
    await service.stop();
  }
}

async function fill(brokers: string, topic: string): Promise<void> {
  const random = generator(9);
  const writer = new KafkaWriter(
    { brokers: brokers.split(','), clientId: 'bench' },
    new Patience(),
  );
  for (let from = 0; from < RECORDS; from += BLOCK) {
    const records = Array.from({ length: BLOCK }, (_, i) => {
      const n = from + i;
      const user = `user-${String(Math.floor(random() ** 2 * USERS)).padStart(12, '0')}`;
      const value = JSON.stringify({
        event: 'click',
        uuid: `evt-${n.toString(16).padStart(16, '0')}`,
        time: START_TS + n,
        user: { id: user, plan: 'free' },
        sku: `item-${n % 5000}`,
        rid: `r-${n >> 3}`,
      });
      return { key: `session-${n >> 2}`, value };
    });
    await writer.send(topic, records);
  }
  await writer.close();
}
