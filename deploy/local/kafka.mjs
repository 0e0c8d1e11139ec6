import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import kafkajs from 'kafkajs';
import { requireCommand } from './commands.mjs';
import { kafkaJars } from './kafka-jars.mjs';
import { freePorts } from './ports.mjs';
import { mutualListener, secureListener } from './secure-listener.mjs';

const run = promisify(execFile);
const ATTEMPTS = 3;
const READY_PATIENCE_MS = 60_000;
/** It lives for minutes, and its first seconds are what is waited for. */
const QUICK = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xshare:auto'];

/**
 * @typedef {object} LocalKafka
 * @property {string} brokers
 * @property {string | undefined} secureBrokers The same broker, by TLS and SASL.
 * @property {string | undefined} mutualBrokers The same broker, by certificates of both sides.
 * @property {string} logFolder Where the broker keeps the topics.
 * @property {() => Promise<void>} stopBroker
 * @property {() => Promise<void>} startBroker On the same port and data as before.
 */

/** @param {(message: string) => void} log */
export async function classPathOfKafka(log) {
  return join(await kafkaJars(log), '*');
}

/**
 * One Kafka broker in KRaft mode on a free loopback port, its log in a temporary folder.
 *
 * @param {import('./scope.mjs').Scope} scope
 * @param {(message: string) => void} log
 * @param {import('./secure-listener.mjs').SecureListener} [secure]
 * @param {(port: number) => Promise<number>} [cable] Takes the port of one more listener, returns the
 *   port that clients are sent to instead.
 * @returns {Promise<LocalKafka>}
 */
export async function startKafka(scope, log, secure, cable) {
  await requireCommand('java', 'default-jre-headless', log);
  const classPath = await classPathOfKafka(log);
  for (let attempt = 1; ; attempt++) {
    const [port, controllerPort, securePort, cablePort, mutualPort] = await freePorts(5);
    const folder = await scope.folder('kafka');
    const secured = secure && secureListener(secure, securePort);
    const mutual =
      secure?.clients && mutualListener(secure.certificate, secure.clients, mutualPort);
    const cabled = cable && { port: cablePort, seenAs: await cable(cablePort) };
    await formatStorage(
      classPath,
      folder,
      port,
      controllerPort,
      secured,
      cabled,
      mutual || undefined,
    );
    const brokers = `127.0.0.1:${port}`;
    const { classes, javaOptions } = secure?.tokens ?? {};
    const withClasses = classes ? `${classPath}:${classes}` : classPath;
    const start = () => startBroker(scope, withClasses, folder, brokers, javaOptions);
    try {
      let broker = await start();
      return {
        brokers,
        secureBrokers: secured?.brokers,
        mutualBrokers: mutual ? mutual.brokers : undefined,
        logFolder: join(folder, 'log'),
        stopBroker: () => broker.stop(),
        startBroker: async () => {
          if (!broker.isRunning()) broker = await start();
        },
      };
    } catch (error) {
      // The likely cause is a port that was taken in the meantime.
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

/**
 * @param {import('./scope.mjs').Scope} scope
 * @param {string} classPath
 * @param {string} folder
 * @param {string} brokers
 * @param {readonly string[]} [javaOptions]
 */
export async function startBroker(scope, classPath, folder, brokers, javaOptions = []) {
  const heap = ['-Xms256m', '-Xmx512m'];
  const args = [
    ...QUICK,
    ...heap,
    ...javaOptions,
    '-cp',
    classPath,
    'kafka.Kafka',
    'server.properties',
  ];
  const child = scope.start('java', args, folder);
  let end = '';
  void child.exited.then((how) => {
    end = how;
  });
  const deadline = Date.now() + READY_PATIENCE_MS;
  while (!(await isReady(brokers))) {
    if (end !== '') throw new Error(`the Kafka broker did not start: ${end}`);
    if (Date.now() > deadline) {
      await child.stop();
      throw new Error(`the Kafka broker was not ready after ${READY_PATIENCE_MS / 1000} s`);
    }
    await sleep(150);
  }
  return child;
}

/**
 * Ready means registered with its controller and with a coordinator for groups, not merely
 * listening.
 *
 * @param {string} brokers
 */
async function isReady(brokers) {
  const client = new kafkajs.Kafka({
    brokers: [brokers],
    logLevel: kafkajs.logLevel.NOTHING,
    connectionTimeout: 1000,
    requestTimeout: 3000,
    retry: { retries: 0 },
  });
  const admin = client.admin();
  try {
    await admin.connect();
    if ((await admin.describeCluster()).brokers.length === 0) return false;
    // The first request for a coordinator creates it. A group that joins before is rejected.
    await admin.fetchOffsets({ groupId: 'readiness', topics: [] });
    return true;
  } catch {
    return false;
  } finally {
    await admin.disconnect();
  }
}

/**
 * @param {string} classPath
 * @param {string} folder
 * @param {number} port
 * @param {number} controllerPort
 * @param {ReturnType<typeof secureListener>} [secured]
 * @param {{ port: number, seenAs: number }} [cabled]
 * @param {ReturnType<typeof mutualListener>} [mutual]
 * @param {Readonly<Record<string, string | number>>} [others] Properties of a node of several.
 * @param {string} [clusterId] The same for all nodes.
 */
export async function formatStorage(
  classPath,
  folder,
  port,
  controllerPort,
  secured,
  cabled,
  mutual,
  others = {},
  clusterId = newClusterId(),
) {
  const plain = `PLAINTEXT://127.0.0.1:${port}`;
  const own = [
    plain,
    ...(secured ? [`SECURE://${secured.brokers}`] : []),
    ...(mutual ? [`MUTUAL://${mutual.brokers}`] : []),
  ].join();
  const by = (/** @type {number} */ cable) => `${own},CABLE://127.0.0.1:${cable}`;
  const listeners = cabled ? by(cabled.port) : own;
  const properties = {
    'process.roles': 'broker,controller',
    'node.id': 1,
    'controller.quorum.voters': `1@127.0.0.1:${controllerPort}`,
    listeners: `${listeners},CONTROLLER://127.0.0.1:${controllerPort}`,
    'advertised.listeners': cabled ? by(cabled.seenAs) : own,
    'controller.listener.names': 'CONTROLLER',
    'inter.broker.listener.name': 'PLAINTEXT',
    'listener.security.protocol.map':
      'PLAINTEXT:PLAINTEXT,CABLE:PLAINTEXT,CONTROLLER:PLAINTEXT,SECURE:SASL_SSL,MUTUAL:SSL',
    'log.dirs': join(folder, 'log'),
    'offsets.topic.replication.factor': 1,
    'offsets.topic.num.partitions': 5,
    'transaction.state.log.replication.factor': 1,
    'transaction.state.log.min.isr': 1,
    'share.coordinator.state.topic.replication.factor': 1,
    'share.coordinator.state.topic.min.isr': 1,
    'group.initial.rebalance.delay.ms': 0,
    'group.min.session.timeout.ms': 1000,
    'auto.create.topics.enable': false,
    ...secured?.properties,
    ...mutual?.properties,
    ...others,
  };
  const lines = Object.entries(properties).map(([name, value]) => `${name}=${value}\n`);
  const file = join(folder, 'server.properties');
  await writeFile(file, lines.join(''));
  const tool = ['-cp', classPath, 'kafka.tools.StorageTool', 'format', '-t', clusterId, '-c', file];
  await run('java', [...QUICK, ...tool, ...(secured?.formatOptions ?? [])]);
}

/** Sixteen bytes as text; the first is fixed, because a leading dash would be taken for an option. */
export function newClusterId() {
  return Buffer.concat([Buffer.of(1), randomBytes(15)]).toString('base64url');
}
