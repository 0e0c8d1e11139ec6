import type { Config } from '../../config.js';
import { type ErrorCode, UnskewError } from '../../errors.js';
import type { MonitorOptions } from '../../stream/options.js';
import type { TopicRole } from '../../stream/ports.js';
import { type TickCall, type Ticks, ticksBy } from '../../stream/ticks.js';
import type { PackedFile } from '../propensities/used-file.js';
import { AskedThread } from './asked-thread.js';

type ModelMarks = ReturnType<NonNullable<MonitorOptions['modelMarks']>>;

/** Data that the tick thread gets at its start. */
export interface TickThreadData {
  readonly config: Config;
  readonly topics: Readonly<Record<TopicRole, string>>;
}

/**
 * A call of the tick thread. Propensities and marks are included only if they have changed since
 * the last call.
 */
export interface TickQuestion {
  readonly name: TickCall;
  readonly asked: readonly unknown[];
  readonly propensities?: PackedFile | undefined;
  readonly modelMarks?: ModelMarks | undefined;
}

export type TickAnswer =
  | {
      readonly kind: 'answer';
      readonly value: unknown;
    }
  | {
      readonly kind: 'refused';
      readonly code: ErrorCode;
      readonly message: string;
    };

/**
 * Current inputs of ticks that do not come from the log: propensities and marks that name models.
 */
export interface TickSources {
  propensities(): PackedFile | undefined;
  modelMarks(): ModelMarks;
}

/** Run ticks in a separate thread, so that reading and serving never wait for one. */
export function threadedTicks(data: TickThreadData, sources: TickSources): Ticks {
  const script = new URL('./tick-thread.js', import.meta.url);
  const thread = new AskedThread<TickQuestion, TickAnswer>(script, data);
  let propensities: PackedFile | undefined;
  let modelMarks: ModelMarks | undefined;
  const ask = async (name: TickCall, asked: readonly unknown[]): Promise<unknown> => {
    const now = {
      propensities: sources.propensities(),
      modelMarks: sources.modelMarks(),
    };
    // The bytes may be part of a buffer that is still in use, so a copy is transferred.
    const copies = asked.map((each) => (each instanceof Uint8Array ? each.slice() : each));
    const question = {
      name,
      asked: copies,
      propensities: now.propensities === propensities ? undefined : now.propensities,
      modelMarks: now.modelMarks === modelMarks ? undefined : now.modelMarks,
    };
    propensities = now.propensities;
    modelMarks = now.modelMarks;
    const bytes = copies.filter((each) => each instanceof Uint8Array);
    const answer = await thread.ask(question, bytes);
    if (answer.kind === 'refused') throw new UnskewError(answer.code, answer.message);
    return answer.value;
  };
  return ticksBy(ask, () => thread.close());
}
