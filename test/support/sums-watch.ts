import { KafkaSumsLog } from '../../src/adapters/kafka/sums-log.js';
import type { SumsPosition } from '../../src/stream/ports.js';
import { Fold } from '../../src/stream/sums/fold.js';
import { decodeSums } from '../../src/stream/sums/record.js';
import { eventually } from './program.js';

const WAIT_MS = 50;

/** Reads the topic of sums as workers do, to know when a tick of theirs is in its rounds. */
export class SumsWatch {
  readonly #log: KafkaSumsLog;
  readonly #fold: Fold;
  #at: SumsPosition | undefined;

  constructor(brokers: string, topic: string, partitions: number) {
    this.#log = new KafkaSumsLog({ brokers: brokers.split(','), clientId: 'test' }, topic);
    this.#fold = new Fold(partitions, { offset: 0, generation: 0, phase: 'none', pane: 0 });
  }

  /** Waits until a tick is in its rounds: a partition has closed the pane, and it is not concluded. */
  async inRounds(): Promise<void> {
    await eventually(
      'a tick in its rounds',
      () => this.#isInRounds(),
      (isIn) => isIn,
    );
  }

  async #isInRounds(): Promise<boolean> {
    this.#at ??= (await this.#log.ends()).first;
    const found = await this.#log.read(this.#at, WAIT_MS);
    if (found === 'gone') throw new Error('the topic of sums has lost what was read of it');
    for (const { bytes, at, next } of found) {
      this.#at = next;
      this.#fold.take(decodeSums(bytes)!, at);
    }
    return this.#fold.phase === 'rounds' && this.#fold.isBegun;
  }

  close(): Promise<void> {
    return this.#log.close();
  }
}
