import { Kafka, logLevel } from 'kafkajs';

/** Reads so many records of a topic, calls JSON.parse and nothing else, and prints the CPU of it all, ms. */
const [brokers, topic, count] = process.argv.slice(2);
const kafka = new Kafka({
  brokers: brokers.split(','),
  clientId: 'bench',
  logLevel: logLevel.NOTHING,
});
const consumer = kafka.consumer({ groupId: `${topic}.bare.${process.pid}` });
let seen = 0;

await consumer.connect();
await consumer.subscribe({ topic, fromBeginning: true });
await consumer.run({
  autoCommit: false,
  eachBatch: async ({ batch }) => {
    for (const { value } of batch.messages) JSON.parse(String(value));
    seen += batch.messages.length;
    if (seen < Number(count)) return;
    const { user, system } = process.cpuUsage();
    process.stdout.write(`${(user + system) / 1000}\n`, () => process.exit());
  },
});
