import fc from 'fast-check';
import { IS_LONG, repetitions } from './repetitions.js';

/**
 * How often properties are tried. `npm test` tries each on the same few samples in every run, so
 * that what fails there fails again on any machine; the nightly form goes on looking.
 */
fc.configureGlobal({ numRuns: repetitions(12, 80), ...(IS_LONG ? {} : { seed: 20_260_301 }) });
