import type { Manifest } from '../export/manifest.js';

/** A manifest before its files are known: the report is one of them. */
export type ReportedSet = Omit<Manifest, 'files'>;
