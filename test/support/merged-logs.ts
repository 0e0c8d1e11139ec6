import { readFile, writeFile } from 'node:fs/promises';

const NAMES = ['id', 'user', 'request', 'exposure'] as const;

/**
 * Writes the events of several logs as one, in the order of their time. Users, lists and requests of
 * each have names of their own; items and models are the same.
 */
export async function mergeLogs(paths: readonly string[], into: string): Promise<void> {
  const logs = await Promise.all(paths.map((path) => readFile(path, 'utf8')));
  const events = logs.flatMap((log, n) =>
    log
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => renamed(JSON.parse(line) as Record<string, unknown>, n)),
  );
  events.sort((a, b) => Number(a['ts']) - Number(b['ts']));
  await writeFile(into, events.map((event) => `${JSON.stringify(event)}\n`).join(''));
}

function renamed(event: Record<string, unknown>, log: number): Record<string, unknown> {
  const own = NAMES.filter((name) => event[name] !== undefined);
  return { ...event, ...Object.fromEntries(own.map((name) => [name, `${log}-${event[name]}`])) };
}
