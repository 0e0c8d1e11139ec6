import { type LineWriter, openLineWriter } from '../../adapters/files/line-writer.js';
import { type ExposureEvent, encodeEvent, type InteractionEvent } from '../../events/encode.js';

/** Part of a data set: `train` is for popularity and fits, `events` is evaluated. */
export type Part = 'train' | 'events';

/**
 * Writers for the two parts of a data set, which may share one file. Each file appears complete or
 * not at all.
 */
export class EventFiles {
  readonly counts: Record<Part, number> = {
    train: 0,
    events: 0,
  };

  private constructor(private readonly writers: ReadonlyMap<Part, LineWriter>) {}

  /**
   * Open the files, run `fill` with them, and complete them; if it fails, remove them.
   *
   * @param trainPath file of the train part; `eventsPath` by default
   * @throws UnskewError FILE if a file cannot be written
   */
  static async fill<Result>(
    eventsPath: string,
    trainPath: string | undefined,
    fill: (files: EventFiles) => Promise<Result>,
  ): Promise<Result> {
    const events = await openLineWriter(eventsPath);
    const open = [events];
    try {
      const train = trainPath === undefined ? events : await openLineWriter(trainPath);
      if (train !== events) {
        open.push(train);
      }
      const result = await fill(
        new EventFiles(
          new Map([
            ['events', events],
            ['train', train],
          ]),
        ),
      );
      for (const writer of open) {
        await writer.close();
      }
      return result;
    } catch (error) {
      for (const writer of open) {
        await writer.abort();
      }
      throw error;
    }
  }

  /** Write an event; await a returned promise before the next call. */
  write(part: Part, event: ExposureEvent | InteractionEvent): Promise<void> | void {
    this.counts[part]++;
    return (this.writers.get(part) as LineWriter).write(encodeEvent(event));
  }
}
