/** What a demonstration has no values of, and why. */
export const NOT_IN_A_DEMO: Readonly<Record<string, string>> = {
  unskew_checkpoint_age_seconds: 'a demonstration keeps no checkpoints',
  unskew_checkpoints_total: 'a demonstration keeps no checkpoints',
  unskew_store_lost_total: 'a demonstration keeps no checkpoints',
  unskew_store_may_evict: 'a demonstration keeps no checkpoints',
  unskew_store_errors_total: 'a demonstration keeps no checkpoints',
  unskew_estimate_withheld: 'nothing is withheld in a demonstration that is well',
  unskew_value_proved: 'a plain demonstration names no requests',
  unskew_value_served_requests: 'a plain demonstration names no requests',
  unskew_sample_ratio_p: 'a plain demonstration names no requests',
  unskew_propensity_file_age_seconds: 'a demonstration has no ratings',
  unskew_propensity_margin_distance: 'a demonstration has no ratings',
  unskew_propensity_margin_chance: 'a demonstration has no ratings',
  unskew_propensity_file_refused: 'a demonstration has no ratings',
  unskew_export_overdue_seconds: 'a demonstration makes no sets',
  unskew_export_runs_total: 'a demonstration makes no sets',
};
