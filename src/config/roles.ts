/**
 * Role of a process in a service: it reads events, or computes ticks from panes that others read.
 */
export const ROLES = ['read', 'tick'] as const;
export type Role = (typeof ROLES)[number];
