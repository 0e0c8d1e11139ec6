import { UnskewError } from '../../errors.js';
import type {
  ConcludedPanes,
  PaneExchange,
  PaneRecord,
  PartitionPanes,
  PublishedProgress,
  PublishOutcome,
} from '../../stream/ports.js';
import { bufferOf, RedisConnection, type RedisStoreOptions } from './connection.js';
import { CONCLUDE, NEVER, PROGRESS, PUBLISH, RECORDS, TRIM } from './scripts.js';

const PUBLISHED: Readonly<Record<number, PublishOutcome>> = {
  [-1]: 'lost',
  0: 'fenced',
  1: 'published',
};

type StreamEntries = readonly (readonly [Buffer, readonly Buffer[]])[];

/**
 * Panes in Redis: of each partition a stream whose ids are the panes, and a hash that says how far
 * its owner is. One script compares the epoch that the checkpoints are fenced by, and writes.
 */
export class RedisPaneExchange implements PaneExchange {
  readonly #redis: RedisConnection;
  /** As it was read last. */
  #concluded: { readonly note: string; readonly panes: ConcludedPanes } | undefined;

  constructor(options: RedisStoreOptions) {
    this.#redis = new RedisConnection(options);
  }

  publish(
    partition: number,
    epoch: number,
    before: { readonly from: number; readonly closed: number },
    progress: PublishedProgress,
    records: readonly PaneRecord[],
  ): Promise<PublishOutcome> {
    const { closed, watermark, newest, isIdle } = progress;
    const times = [before.from, before.closed, closed, watermark, newest].map(finite);
    const panes = records.flatMap(({ pane, bytes }) => [pane, bufferOf(bytes)]);
    return this.#redis.told(async (client) => {
      const told = [epoch, ...times, isIdle ? 1 : 0, ...panes];
      const answer = await client.eval(PUBLISH, 3, ...this.#keys(partition), ...told);
      return PUBLISHED[Number(answer)]!;
    });
  }

  trim(partition: number, epoch: number, through: number): Promise<void> {
    return this.#redis.told(async (client) => {
      await client.eval(TRIM, 3, ...this.#keys(partition), epoch, finite(through));
    });
  }

  records(
    partition: number,
    after: number,
    through: number,
  ): Promise<readonly PaneRecord[] | undefined> {
    const keys = this.#keys(partition).slice(1);
    return this.#redis.told(async (client) => {
      const asked = [finite(after), finite(through)];
      const found = await client.callBuffer('EVAL', RECORDS, 2, ...keys, ...asked);
      return (found as StreamEntries | null)?.map(([id, fields]) => ({
        pane: Number.parseInt(id.toString(), 10),
        bytes: fields[1]!,
      }));
    });
  }

  progress(count: number): Promise<readonly (PartitionPanes | undefined)[]> {
    return this.#redis.told(async (client) => {
      const asked = client.pipeline();
      for (let p = 0; p < count; p++) asked.eval(PROGRESS, 2, ...this.#keys(p).slice(1));
      const answers = (await asked.exec()) ?? [];
      return answers.map(([error, fields]) => {
        if (error) throw error;
        return progressOf(fields as readonly string[]);
      });
    });
  }

  concluded(): Promise<ConcludedPanes | undefined> {
    const key = this.#redis.key(0, 'concluded');
    return this.#redis.told(async (client) => {
      // Asked for many times a pane, and what the detectors have learned is long.
      if ((await client.hget(key, 'note')) === this.#concluded?.note) return this.#concluded?.panes;
      const fields = ['note', 'drift', 'withheld', 'decision'];
      const [note, ...learned] = await client.hmget(key, ...fields);
      if (typeof note !== 'string') return undefined;
      this.#concluded = { note, panes: concludedOf(note, learned) };
      return this.#concluded.panes;
    });
  }

  conclude(epoch: number, concluded: ConcludedPanes): Promise<'published' | 'fenced'> {
    const { through, ticked, gamma, drift, withheld, decision } = concluded;
    const text = JSON.stringify({ through: finite(through), ticked: finite(ticked), gamma });
    const keys = [this.#redis.key(0, 'epoch'), this.#redis.key(0, 'concluded')];
    return this.#redis.told(async (client) => {
      const names = withheld === undefined ? '' : JSON.stringify(withheld);
      const learned = [drift ?? '', names, decision ?? ''];
      const answer = await client.eval(CONCLUDE, 2, ...keys, epoch, text, ...learned);
      return answer === 1 ? 'published' : 'fenced';
    });
  }

  async close(): Promise<void> {
    this.#redis.close();
  }

  #keys(partition: number): string[] {
    return ['epoch', 'progress', 'panes'].map((name) => this.#redis.key(partition, name));
  }
}

function finite(value: number): number {
  return value === Number.NEGATIVE_INFINITY ? NEVER : value;
}

function unbounded(value: number): number {
  return value === NEVER ? Number.NEGATIVE_INFINITY : value;
}

/** Names and values in turn. */
function progressOf(answer: readonly string[]): PartitionPanes | undefined {
  const fields: Record<string, string> = {};
  for (let n = 0; n < answer.length; n += 2) fields[answer[n]!] = answer[n + 1]!;
  if (fields['closed'] === undefined) return undefined;
  const at = (name: string) => unbounded(Number(fields[name]));
  return {
    closed: at('closed'),
    from: at('from'),
    watermark: at('watermark'),
    newest: at('newest'),
    isIdle: fields['idle'] === '1',
  };
}

/** @param learned of the detectors, names of what is withheld, of verdicts; empty for none. */
function concludedOf(note: string, learned: readonly (string | null)[]): ConcludedPanes {
  const [drift, withheld, decision] = learned.map((text) => text || undefined);
  try {
    const { through, ticked, gamma } = JSON.parse(note) as ConcludedPanes;
    return {
      ...{ through: unbounded(through), ticked: unbounded(ticked), gamma, drift: drift ?? null },
      ...(withheld && { withheld: JSON.parse(withheld) }),
      ...(decision && { decision }),
    };
  } catch (cause) {
    throw new UnskewError('STATE', 'what is stored as concluded panes is not a note of them', {
      cause,
    });
  }
}
