/** One model whose lists were served to some users and held back from others. */
export interface ServedArm {
  readonly model: string;
  /** Positive rows that name no list, while its list was the one served, and while another's was. */
  readonly shownRows: number;
  readonly hiddenRows: number;
  /** (h_shown − h_hidden) / (1 − h_hidden). */
  readonly caused: number;
}

/** An arm with its sums. */
export interface CountedArm extends ServedArm {
  /** Its column in the parts, and how deep its lists are looked at. */
  readonly column: number;
  readonly depth: number;
  /** Rows whose item stands in its list. */
  readonly shownHits: number;
  readonly hiddenHits: number;
}
