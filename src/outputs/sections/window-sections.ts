import { type FeatureOutput, sectionsOf } from '../../features/output.js';
import { allOutputs } from '../../features/outputs.js';
import { whole } from '../../rows/figures.js';
import { LEADING_NUMBERS, type LeadingNumbers } from '../../rows/leading-numbers.js';
import { isGiven } from '../../rows/reading.js';
import type { Section } from '../../rows/table.js';
import type { Snapshot, WindowSnapshot } from '../../stream/tick/snapshot.js';
import { differencesSection, estimatesSection, sensitivitySection } from './estimates.js';
import { exposureSection } from './exposure.js';
import { rankingSection } from './ranking.js';
import { controlSection, drawnSection, weightsSection } from './weights.js';

const ESTIMATES = {
  name: 'estimates',
  title: 'Estimates',
  lead: [],
};

type Sections = readonly (Section | null)[];

/** Build all sections of a window in order, with the leading numbers first. */
export function windowSections(snapshot: Snapshot, window: WindowSnapshot): Section[] {
  const { baseline } = snapshot;
  const { leads = 'estimates' } = window;
  const given = givenOf(window);
  const blocks: Readonly<Partial<Record<LeadingNumbers, Sections>>> = {
    estimates: [rankingSection(given), estimatesSection(window.results, baseline, ESTIMATES)],
    uncaused: [uncausedOf(snapshot, window)],
  };
  const others = LEADING_NUMBERS.filter((name) => name !== leads);
  const sections: Sections = [
    ...[leads, ...others].flatMap((name) => blocks[name] ?? sectionsOf(thatLead(name), window)),
    ...sectionsOf(thatLead(undefined), window),
    differencesSection(window.differences, window.againstBaseline, baseline),
    sensitivitySection(window.sensitivity),
    exposureSection(snapshot),
    weightsSection(window),
    drawnSection(window),
    controlSection(window.controlVariates),
  ];
  return sections.filter((section) => section !== null);
}

/**
 * Features whose numbers lead a window when `leads` has this name. For undefined: features whose
 * numbers never lead.
 */
function thatLead(name: LeadingNumbers | undefined): FeatureOutput[] {
  return allOutputs().filter(({ leading }) => leading?.as === name);
}

/** Remove numbers that are not reported from a window; findings explain why. */
function givenOf(window: WindowSnapshot): WindowSnapshot {
  return {
    ...window,
    results: window.results.filter(isGiven),
    differences: window.differences.filter(isGiven),
  };
}

/**
 * Build the section of estimates over organic interactions. Null if there are none, or if
 * interactions driven by recommendations are not identified.
 */
function uncausedOf({ baseline }: Snapshot, { feedback }: WindowSnapshot): Section | null {
  const uncaused = feedback?.uncaused ?? null;
  if (uncaused === null) return null;
  const { rows, users, results } = uncaused;
  const lead = `Estimates from the ${whole(rows)} organic positive pairs of ${whole(users)} users, which no served list drove.`;
  const words = {
    name: 'uncaused',
    title: 'Organic interactions',
    lead: [lead],
  };
  return estimatesSection(results, baseline, words);
}
