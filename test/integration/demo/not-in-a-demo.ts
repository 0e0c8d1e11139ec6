/** What a demonstration has no values of, and why. */
export const NOT_IN_A_DEMO: Readonly<Record<string, string>> = {
  unskew_checkpoint_age_seconds: 'a demonstration keeps no checkpoints',
  unskew_gap_records_total: 'its first series comes with the first record that is lost',
  unskew_export_overdue_seconds: 'a demonstration makes no sets',
  unskew_export_runs_total: 'a demonstration makes no sets',
};
