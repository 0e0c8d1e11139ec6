/** What a service keeps where it is not told; the README says how much memory that is. */
export const SERVICE_LIMITS = {
  rows: 20_000_000,
  listEntries: 80_000_000,
  users: 5_000_000,
} as const;
