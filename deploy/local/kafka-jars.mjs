import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { requireCommand } from './commands.mjs';

const run = promisify(execFile);
const POM = fileURLToPath(new URL('../kafka/pom.xml', import.meta.url));
const LIST = 'jars.json';

/**
 * The folder with Kafka's own jars, as deploy/kafka/pom.xml pins them; fetched through Maven at
 * the first call and kept in the user's cache.
 *
 * @param {(message: string) => void} log
 * @returns {Promise<string>}
 */
export async function kafkaJars(log) {
  const cache = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'unskew');
  const version = createHash('sha256')
    .update(await readFile(POM))
    .digest('hex')
    .slice(0, 12);
  const folder = join(cache, `kafka-${version}`);
  if (await isComplete(folder)) return folder;
  await requireCommand('mvn', 'maven', log);
  log('fetching the jars of the Kafka broker through Maven (about 50 MB, once)');
  await mkdir(cache, { recursive: true });
  const partial = await mkdtemp(join(cache, 'partial-'));
  try {
    await fetchInto(partial);
    // Two processes may download at once: the first to finish wins, the other uses its folder.
    await rename(partial, folder).catch(async (error) => {
      if (await isComplete(folder)) return;
      await rm(folder, { recursive: true, force: true });
      await rename(partial, folder).catch(() => Promise.reject(error));
    });
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  return folder;
}

/** @param {string} folder */
async function fetchInto(folder) {
  const goal = ['dependency:copy-dependencies', '-DincludeScope=runtime'];
  try {
    await run('mvn', ['-q', '-B', '-f', POM, ...goal, `-DoutputDirectory=${folder}`], {
      maxBuffer: 16 * 1024 * 1024,
    });
  } catch (cause) {
    const { stdout = '', message } = /** @type {{stdout?: string, message: string}} */ (cause);
    const reason = stdout.split('\n').find((line) => line.startsWith('[ERROR]')) ?? message;
    throw new Error(`Maven could not fetch Kafka's jars: ${reason}`, { cause });
  }
  const sizes = await sizesOf(folder);
  if (!Object.keys(sizes).some((name) => name.startsWith('kafka_'))) {
    throw new Error(`Maven left no Kafka broker in ${folder}`);
  }
  await writeFile(join(folder, LIST), JSON.stringify(sizes, undefined, 2));
}

/** @param {string} folder */
async function sizesOf(folder) {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.jar')).sort();
  /** @type {Record<string, number>} */
  const sizes = {};
  for (const name of names) sizes[name] = (await stat(join(folder, name))).size;
  return sizes;
}

/** @param {string} folder */
async function isComplete(folder) {
  try {
    const listed = JSON.parse(await readFile(join(folder, LIST), 'utf8'));
    return JSON.stringify(listed) === JSON.stringify(await sizesOf(folder));
  } catch {
    return false;
  }
}
