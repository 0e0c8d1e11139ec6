/**
 * Roles of a process in a divided service: `read` processes read events and close panes, `tick`
 * processes compute ticks from those panes.
 */
export const ROLES = ['read', 'tick'] as const;
export type Role = (typeof ROLES)[number];
