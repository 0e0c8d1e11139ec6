import { ratingPlot } from './ratings/calibration-plot.js';

/** Plots of the report, by the name that a section calls them by. */
export const PLOTS = { calibration: ratingPlot };
