/** Kinds of marks. */
export const MARK_KINDS = ['deploy', 'config', 'note'] as const;
export type MarkKind = (typeof MARK_KINDS)[number];

/** Most marks that are kept; the oldest are dropped. */
export const MOST_MARKS = 500;
/** Longest text of a mark, in UTF-16 code units. */
export const LONGEST_MARK_TEXT = 200;

/** An event outside the numbers, such as a deploy. */
export interface Mark {
  readonly id: string;
  /** ms since the epoch. */
  readonly time: number;
  readonly kind: MarkKind;
  readonly text: string;
  /** Model that the mark is about, if any: the verdicts on this model start again. */
  readonly model?: string;
}

/**
 * Outcome of adding a mark: it is kept; the last mark on its subject has the same text; or it is
 * older than all kept marks.
 */
export type MarkOutcome = 'kept' | 'known' | 'too_old';

/**
 * Stores marks for restarts and other workers. Temporary failures are UnskewErrors with code STATE.
 */
export interface MarkStore {
  /** Read all stored marks, ordered by time. */
  all(): Promise<readonly Mark[]>;
  /**
   * Store a mark. @param about subject that several workers may report at once, such as the name of
   * a setting: a text equal to the last one on that subject is not stored again
   */
  add(mark: Mark, about?: string): Promise<MarkOutcome>;
  /** Read the configuration stored last; undefined if there is none. */
  settings(): Promise<StatedSettings | undefined>;
  /** Store a configuration, so that the next start can find what has changed. */
  keepSettings(settings: StatedSettings): Promise<void>;
  close(): Promise<void>;
}

/** A configuration without secrets: value of each key as text, by path; null if it has none. */
export type StatedSettings = Readonly<Record<string, string | null>>;

/** A mark in the form that stores keep. */
export interface KeptMark extends Mark {
  readonly about?: string;
}

/**
 * Add a mark to the others, for stores that have all marks in memory.
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

/** Sort marks by time, for display. */
export function byTime(marks: readonly KeptMark[]): Mark[] {
  return [...marks].sort((a, b) => a.time - b.time).map(({ about: _, ...mark }) => mark);
}
