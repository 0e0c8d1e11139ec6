/** Kinds of marks: a deployment, a change of the configuration, or a note. */
export const MARK_KINDS = ['deploy', 'config', 'note'] as const;
export type MarkKind = (typeof MARK_KINDS)[number];

/** Maximum number of stored marks; the oldest are dropped. */
export const MOST_MARKS = 500;
/** Maximum length of a mark's text, in UTF-16 code units. */
export const LONGEST_MARK_TEXT = 200;

/** A marked time, such as that of a deployment, for time charts and verdicts. */
export interface Mark {
  readonly id: string;
  /** Time of the marked event, ms since the epoch. */
  readonly time: number;
  readonly kind: MarkKind;
  readonly text: string;
  /** Model that the mark is about, if any; the verdicts on this model restart. */
  readonly model?: string;
}

/**
 * Outcome of adding a mark: stored (`kept`); not stored, since the last mark with the same `about`
 * has the same text (`known`); or not stored, since it is older than all stored marks (`too_old`).
 */
export type MarkOutcome = 'kept' | 'known' | 'too_old';

/**
 * Store of marks. A durable one is shared by all workers of a group and survives restarts.
 * Temporary failures are UnskewErrors with code STATE.
 */
export interface MarkStore {
  /** Read all stored marks, ordered by time. */
  all(): Promise<readonly Mark[]>;
  /**
   * Store a mark. @param about subject that several workers may report at once, such as the name of
   * a setting. The mark is not stored if the last mark on the subject has the same text
   */
  add(mark: Mark, about?: string): Promise<MarkOutcome>;
  /** Read the configuration that the last start stored; undefined if there is none. */
  settings(): Promise<StatedSettings | undefined>;
  /** Store the configuration of this start, so that the next start can find what has changed. */
  keepSettings(settings: StatedSettings): Promise<void>;
  close(): Promise<void>;
}

/**
 * A configuration without secrets: the value of each key as text, by the key's path; null for a key
 * without a value.
 */
export type StatedSettings = Readonly<Record<string, string | null>>;

/** A mark as stored, with its subject. */
export interface KeptMark extends Mark {
  readonly about?: string;
}

/**
 * Add a mark to a list of marks, for stores that hold all marks in memory.
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

/** Sort marks by time, and drop their subjects. */
export function byTime(marks: readonly KeptMark[]): Mark[] {
  return [...marks].sort((a, b) => a.time - b.time).map(({ about: _, ...mark }) => mark);
}
