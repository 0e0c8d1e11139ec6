import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { rewriteLines } from '../../adapters/files/rewritten-lines.js';
import { SetFolder } from '../../adapters/files/set-folder.js';
import type { Config } from '../../config.js';
import { UnskewError } from '../../errors.js';
import { Pseudonyms } from '../../events/pseudonyms.js';
import { counted, whole } from '../../rows/figures.js';
import { type ForgottenUsers, forgottenToo } from '../../state/ids/forgotten-users.js';
import { type WithoutNames, withoutNames } from '../../stream/checkpoint/forget.js';
import { runSliced } from '../../stream/sliced.js';
import type { LoggedIo } from '../cli/io.js';
import { statePlace } from '../service/state-stores.js';
import { wholeCheckpoints } from './export-state.js';
import { refuseWhileServed } from './import-state.js';
import { forgottenUsers, type KeptState, TURNS, withState } from './stored-checkpoints.js';

export interface ForgetOptions {
  readonly config: Config;
  readonly user: string;
}

/**
 * `unskew forget`: delete a user from all stored state and files of a service, under every
 * pseudonym key, and reject the user's later events. Prints what was deleted, and where else the
 * user's data may be. If the command is interrupted, run it again.
 */
export async function forget({ config, user }: ForgetOptions, io: LoggedIo): Promise<void> {
  if (user === '') throw new UnskewError('USAGE', 'expected the id of a user, found an empty one');
  const keys = config.events.pseudonyms;
  const names = [...new Set([user, ...(keys ? new Pseudonyms(keys).every(user) : [])])];
  const before = (await forgottenUsers(config)) ?? {
    salt: randomBytes(16).toString('hex'),
    users: [],
  };
  const forgotten = forgottenToo(names, before);
  await refuseWhileServed(config, io, 'forget');
  const done: string[] = [];
  for (const role of [undefined, 'tick'] as const) {
    await withState({ config, role }, async (kept) => {
      const { partitions, found } = await takeOut(kept, names, forgotten, io);
      if (partitions === 0) return;
      const knew = `the user was in ${whole(found)} of them`;
      done.push(
        `${kept.place}: rewrote the checkpoints of ${counted(partitions, 'partition')}; ${knew}`,
      );
    });
  }
  if (done.length === 0) {
    throw new UnskewError('STATE', `${statePlace(config)}: no state is stored`);
  }
  // A service that started before its partitions were fenced still has the user in memory.
  await refuseWhileServed(config, io, 'forget');
  const { deadLetters, estimatesFile } = config;
  const files = [
    {
      path: deadLetters.to,
      what: 'dead letters removed',
      change: withoutLetters(names),
    },
    {
      path: estimatesFile,
      what: 'lines rewritten without the id',
      change: withoutUser(names),
    },
  ];
  for (const { path, what, change } of files) {
    if (path === undefined || path === 'topic' || path === 'none') continue;
    const told = await rewriteLines(path, change);
    if (told) {
      done.push(`${path}: ${whole(told.changed)} of ${whole(told.of)} ${what}`);
    }
  }
  const { out } = config.export;
  if (out !== undefined && !out.startsWith('s3://')) {
    const removed = await new SetFolder(out).discard();
    done.push(`${out}: ${counted(removed, 'unfinished set')} removed`);
  }
  io.stdout(
    `${[...done, ...AFTERWARDS, '', 'This command does not change:', ...elsewhere(config)].join('\n')}\n`,
  );
}

const AFTERWARDS = [
  'from now on, events of the user are rejected and counted as unskew_events_total{outcome="forgotten"}',
  'past interactions of the user count without an id until they leave the windows and popularity.horizon',
];

/** List, as text, the places that may have the user's data and that this command cannot change. */
function elsewhere(config: Config): string[] {
  const { kafka, deadLetters, export: sets, events, intake, panes } = config;
  const { exposures, interactions, deadLetter } = kafka.topics;
  const topics = [exposures, interactions, ...intake.sources.flatMap((source) => source.topics)];
  if (deadLetters.to === 'topic') {
    topics.push(deadLetter);
  }
  return [
    `  Kafka: ${[...new Set(topics)].join(', ')}, which hold the user until their retention ends; serve and export reject these events`,
    `  Kafka: ${panes.topic}, until its retention ends, if you use readers and tickers`,
    ...(sets.out === undefined ? [] : [`  ${sets.out}: complete test sets`]),
    '  files of `unskew state export`: importing one brings the user back',
    '  event files, tables of rows and popularity, earlier log lines and API answers',
    ...(events.pseudonyms
      ? ['  a new pseudonym key gives the user a new id: run forget again after you add one']
      : []),
  ];
}

/**
 * Create a filter that drops a dead letter if it contains one of the names of a user: as a word in
 * text, or anywhere in other bytes.
 */
export function withoutLetters(names: readonly string[]): (line: string) => string | undefined {
  const words = wordsOf(names);
  return (line) => {
    const { detail, value } = JSON.parse(line) as {
      detail: string;
      value: string;
    };
    const event = Buffer.from(value, 'base64');
    const isFound = isUtf8(event)
      ? words.test(event.toString())
      : names.some((name) => event.includes(name));
    return isFound || words.test(detail) ? undefined : line;
  };
}

/**
 * Create a function that removes a user from a line of estimates. Such lines name users who have
 * far more interactions than all others.
 */
export function withoutUser(names: readonly string[]): (line: string) => string {
  const words = wordsOf(names, 'g');
  return (line) => {
    if (!names.some((name) => line.includes(JSON.stringify(name)))) return line;
    const told = JSON.parse(line) as { heavyUsers?: { named?: { user: string }[] } };
    if (!told.heavyUsers?.named?.some(({ user }) => names.includes(user))) return line;
    return JSON.stringify(told, (_, value: unknown) =>
      typeof value === 'string' ? value.replace(words, 'forgotten') : value,
    );
  };
}

function wordsOf(names: readonly string[], flags?: string): RegExp {
  const words = names.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`(?<![\\w-])(${words.join('|')})(?![\\w-])`, flags);
}

async function takeOut(
  kept: KeptState,
  names: readonly string[],
  forgotten: ForgottenUsers,
  io: LoggedIo,
): Promise<{
  partitions: number;
  found: number;
}> {
  const { store, place } = kept;
  const told = {
    partitions: 0,
    found: 0,
  };
  for await (const { partition, bytes } of wholeCheckpoints(kept, io)) {
    // Taking a new epoch fences any service that has started meanwhile.
    const epoch = await store.takeEpoch(partition);
    const work: Generator<void, WithoutNames> = withoutNames(bytes, names, forgotten, letters);
    const { chunks, found } = await runSliced(work, TURNS);
    if ((await store.replace(partition, epoch, chunks)) !== 'saved') {
      throw new UnskewError(
        'STATE',
        `${place}: a service has taken over partition ${partition}: stop it, and run forget again`,
      );
    }
    told.partitions++;
    if (found > 0) {
      told.found++;
    }
  }
  return told;
}

function letters(count: number): string {
  return randomBytes(count).toString('hex').slice(0, count);
}
