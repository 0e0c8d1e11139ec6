// A Kafka broker and a Redis server on free loopback ports, without Docker.
//
//   node deploy/services.mjs                  starts them, prints their addresses, runs until Ctrl-C
//   node deploy/services.mjs -- command …     runs the command with KAFKA_BROKERS and REDIS_URL set
//
// If KAFKA_BROKERS or REDIS_URL is already set, that service is used instead.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { pathToFileURL } from 'node:url';
import { startApicurio } from './local/apicurio.mjs';
import { classPathOfKafka, startKafka } from './local/kafka.mjs';
import { startKafkaCluster } from './local/kafka-cluster.mjs';
import { startLastingRedis, startRedis } from './local/redis.mjs';
import { Scope } from './local/scope.mjs';

export { requireCommand } from './local/commands.mjs';

const silent = () => {};

/** The class path of Kafka's own jars, for classes that a broker is given. */
export const kafkaClassPath = () => classPathOfKafka(silent);

/**
 * @param {(message: string) => void} [log] Called for what takes long, such as a download.
 * @returns {Promise<import('./services.d.mts').Services>}
 */
export async function startServices(log = silent) {
  const { KAFKA_BROKERS, REDIS_URL } = process.env;
  const scope = new Scope();
  try {
    const starting = /** @type {const} */ ([
      KAFKA_BROKERS ? foreignKafka(KAFKA_BROKERS) : startKafka(scope, log),
      REDIS_URL ?? startRedis(scope, log),
    ]);
    // If one fails, wait for the other, so that nothing starts after the scope is closed.
    await Promise.allSettled(starting);
    const [kafka, redisUrl] = await Promise.all(starting);
    return { kafkaBrokers: kafka.brokers, redisUrl, kafka, stop: () => scope.close() };
  } catch (error) {
    await scope.close();
    throw error;
  }
}

/**
 * A broker of one's own, whatever the environment says, for tests that stop and start it.
 *
 * @param {(message: string) => void} [log]
 * @param {import('./services.d.mts').SecureListener} [secure]
 * @param {(port: number) => Promise<number>} [cable]
 * @returns {Promise<import('./services.d.mts').OwnBroker>}
 */
export async function startOwnBroker(log = silent, secure, cable) {
  const scope = new Scope();
  try {
    return { ...(await startKafka(scope, log, secure, cable)), stop: () => scope.close() };
  } catch (error) {
    await scope.close();
    throw error;
  }
}

/**
 * Several brokers of one's own that are one cluster, for tests that restart one after the other.
 *
 * @param {number} count
 * @param {(message: string) => void} [log]
 * @returns {Promise<import('./services.d.mts').OwnCluster>}
 */
export async function startOwnCluster(count, log = silent) {
  const scope = new Scope();
  try {
    return { ...(await startKafkaCluster(scope, log, count)), stop: () => scope.close() };
  } catch (error) {
    await scope.close();
    throw error;
  }
}

/**
 * A Redis of one's own that keeps everything on the disk, for tests that stop and start it.
 *
 * @param {(message: string) => void} [log]
 * @returns {Promise<import('./services.d.mts').OwnRedis>}
 */
export async function startOwnRedis(log = silent) {
  const scope = new Scope();
  try {
    return { ...(await startLastingRedis(scope, log)), stop: () => scope.close() };
  } catch (error) {
    await scope.close();
    throw error;
  }
}

/**
 * A schema registry of one's own, for tests of framed events.
 *
 * @param {(message: string) => void} [log]
 * @param {number} [port] Where one is to be that was stopped before; it has forgotten everything.
 * @returns {Promise<import('./services.d.mts').OwnRegistry>}
 */
export async function startOwnRegistry(log = silent, port) {
  const scope = new Scope();
  try {
    const { url, port: at } = await startApicurio(scope, log, port);
    return { url, port: at, stop: () => scope.close() };
  } catch (error) {
    await scope.close();
    throw error;
  }
}

/** @param {string} brokers */
function foreignKafka(brokers) {
  const refuse = async () => {
    throw new Error('the broker of KAFKA_BROKERS was not started here and is left alone');
  };
  return { brokers, stopBroker: refuse, startBroker: refuse };
}

/** @param {readonly string[]} command */
async function main(command) {
  const say = (/** @type {string} */ line) => process.stderr.write(`${line}\n`);
  const stopping = new Promise((resolve) => {
    for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
      process.on(signal, () => resolve(128 + constants.signals[signal]));
    }
  });
  const services = await startServices(say);
  const variables = { KAFKA_BROKERS: services.kafkaBrokers, REDIS_URL: services.redisUrl };
  try {
    if (command.length > 0) return await runCommand(command, variables, stopping);
    for (const [name, value] of Object.entries(variables)) {
      process.stdout.write(`${name}=${value}\n`);
    }
    say('running until Ctrl-C');
    // The signal listeners alone do not keep the process alive.
    const alive = setInterval(silent, 60_000);
    await stopping;
    clearInterval(alive);
    return 0;
  } finally {
    await services.stop();
  }
}

/**
 * @param {readonly string[]} command
 * @param {Record<string, string>} variables
 * @param {Promise<number>} stopping
 * @returns {Promise<number>}
 */
function runCommand([file, ...args], variables, stopping) {
  const env = { ...process.env, ...variables };
  const child = spawn(/** @type {string} */ (file), args, { stdio: 'inherit', env });
  void stopping.then(() => child.kill('SIGTERM'));
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new Error(`cannot run ${file}: ${error.message}`)));
    child.once('exit', (code, signal) =>
      resolve(signal === null ? (code ?? 1) : 128 + constants.signals[signal]),
    );
  });
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const args = process.argv.slice(2);
  if (args.length > 0 && (args[0] !== '--' || args.length === 1)) {
    process.stderr.write('usage: node deploy/services.mjs [-- command argument…]\n');
    process.exitCode = 2;
  } else {
    main(args.slice(1)).then(
      (code) => {
        process.exitCode = code;
      },
      (error) => {
        process.stderr.write(`${error.message}\n`);
        process.exitCode = 1;
      },
    );
  }
}
