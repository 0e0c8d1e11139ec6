/** What a mark may be about. */
export const MARK_KINDS = ['deploy', 'config', 'note'] as const;
export type MarkKind = (typeof MARK_KINDS)[number];

/** More are not kept: the oldest go. */
export const MOST_MARKS = 500;
/** In UTF-16 code units. */
export const LONGEST_MARK_TEXT = 200;

/** Something that happened beside the numbers, such as a deploy. */
export interface Mark {
  readonly id: string;
  /** ms since the epoch. */
  readonly time: number;
  readonly kind: MarkKind;
  readonly text: string;
  /** Model that it is about, where it is about one: its verdicts begin again. */
  readonly model?: string;
}

/**
 * What became of a mark: it is kept; what it is about was said by that very text last; or it is older
 * than all of as many as are kept.
 */
export type MarkOutcome = 'kept' | 'known' | 'too_old';

/**
 * Where marks are kept, so that a restart and other workers know them. Failures that may pass are
 * UnskewErrors with code STATE.
 */
export interface MarkStore {
  /** All that are kept, by time. */
  all(): Promise<readonly Mark[]>;
  /**
   * @param about what several workers may say at once, such as the name of a setting: a text that
   *   was the last one about it is not kept again
   */
  add(mark: Mark, about?: string): Promise<MarkOutcome>;
  /** The configuration that was kept last; undefined where none was. */
  settings(): Promise<StatedSettings | undefined>;
  /** Keeps a configuration, that the next start knows what has changed. */
  keepSettings(settings: StatedSettings): Promise<void>;
  close(): Promise<void>;
}

/** A configuration without its secrets: keys by path, each with its value in words; null where it has none. */
export type StatedSettings = Readonly<Record<string, string | null>>;

/** A mark as a store keeps it. */
export interface KeptMark extends Mark {
  readonly about?: string;
}

/**
 * The marks with one more, for stores that have them all in their hands.
 *
 * @param marks in the order in which they were added @param about see `MarkStore.add`
 */
export function withMark(
  marks: readonly KeptMark[],
  added: Mark,
  about: string | undefined,
): {
  readonly marks: readonly KeptMark[];
  readonly outcome: MarkOutcome;
} {
  const mark: KeptMark =
    about === undefined
      ? added
      : {
          ...added,
          about,
        };
  const last = marks.findLast((own) => about !== undefined && own.about === about);
  if (last?.text === mark.text) {
    return {
      marks,
      outcome: 'known',
    };
  }
  const more = [...marks, mark];
  if (more.length <= MOST_MARKS) {
    return {
      marks: more,
      outcome: 'kept',
    };
  }
  const oldest = more.reduce((least, each) => (each.time < least.time ? each : least));
  const outcome = oldest === mark ? 'too_old' : 'kept';
  return {
    marks: more.filter((each) => each !== oldest),
    outcome,
  };
}

/** As they are shown. */
export function byTime(marks: readonly KeptMark[]): Mark[] {
  return [...marks].sort((a, b) => a.time - b.time).map(({ about: _, ...mark }) => mark);
}
