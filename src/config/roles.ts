/** What a process does of the work of a service: it reads events, or ticks over panes that others read. */
export const ROLES = ['read', 'tick'] as const;
export type Role = (typeof ROLES)[number];
