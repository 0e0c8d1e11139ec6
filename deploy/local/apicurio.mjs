import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { requireCommand } from './commands.mjs';
import { freePorts } from './ports.mjs';

const run = promisify(execFile);
const VERSION = '3.0.9';
const ARTIFACT = `io.apicurio:apicurio-registry-app:${VERSION}:tar.gz:all`;
const JAR = `apicurio-registry-app-${VERSION}-runner.jar`;
const READY_PATIENCE_MS = 120_000;
const ATTEMPTS = 3;

/**
 * Apicurio Registry on a free loopback port, what it stores in its memory alone: a schema registry
 * with Confluent's API.
 *
 * @param {import('./scope.mjs').Scope} scope
 * @param {(message: string) => void} log
 * @param {number} [port] A free one without.
 * @returns {Promise<import('../services.d.mts').LocalRegistry>}
 */
export async function startApicurio(scope, log, port) {
  await requireCommand('java', 'default-jre-headless', log);
  const folder = await unpacked(log);
  for (let attempt = 1; ; attempt++) {
    const at = port ?? (await freePorts(1))[0] ?? 0;
    const child = scope.start('java', argumentsOf(at), folder);
    const url = `http://127.0.0.1:${at}/apis/ccompat/v7`;
    try {
      await ready(url, child);
      return { url, port: at, stop: () => child.stop() };
    } catch (error) {
      await child.stop();
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

/** @param {number} port */
function argumentsOf(port) {
  return [
    '-Xms64m',
    '-Xmx256m',
    '-XX:+UseSerialGC',
    '-XX:TieredStopAtLevel=1',
    '-Dquarkus.http.host=127.0.0.1',
    `-Dquarkus.http.port=${port}`,
    '-Dapicurio.storage.kind=sql',
    '-Dapicurio.storage.sql.kind=h2',
    '-Dapicurio.datasource.url=jdbc:h2:mem:registry',
    '-jar',
    JAR,
  ];
}

/**
 * @param {string} url
 * @param {import('./scope.mjs').Child} child
 */
async function ready(url, child) {
  let end = '';
  void child.exited.then((how) => {
    end = how;
  });
  const deadline = Date.now() + READY_PATIENCE_MS;
  for (;;) {
    const isReady = await fetch(`${url}/subjects`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    if (end !== '') throw new Error(`Apicurio did not start: ${end}`);
    if (Date.now() > deadline) throw new Error('Apicurio was not ready in time');
    await sleep(100);
  }
}

/** @param {(message: string) => void} log */
async function unpacked(log) {
  const cache = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'unskew');
  const folder = join(cache, `apicurio-${VERSION}`);
  if (await isThere(join(folder, JAR))) return folder;
  await requireCommand('mvn', 'maven', log);
  log('fetching Apicurio Registry through Maven (about 110 MB, once)');
  await mkdir(cache, { recursive: true });
  const partial = await mkdtemp(join(cache, 'partial-'));
  try {
    const get = ['-q', '-B', 'dependency:get', `-Dartifact=${ARTIFACT}`, '-Dtransitive=false'];
    await run('mvn', get, { maxBuffer: 16 * 1024 * 1024 });
    const copy = ['-q', '-B', 'dependency:copy', `-Dartifact=${ARTIFACT}`];
    await run('mvn', [...copy, `-DoutputDirectory=${partial}`]);
    const packed = `apicurio-registry-app-${VERSION}-all.tar.gz`;
    await run('tar', ['xzf', packed], { cwd: partial });
    await rm(join(partial, packed));
    // Two processes may download at once: the first to finish wins.
    await rename(partial, folder).catch(async (error) => {
      if (!(await isThere(join(folder, JAR)))) throw error;
    });
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  return folder;
}

/** @param {string} path */
function isThere(path) {
  return access(path).then(
    () => true,
    () => false,
  );
}
