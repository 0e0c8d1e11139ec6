import type { Snapshot } from '../../stream/snapshot.js';
import type { ReportedReading } from './coverage-findings.js';
import { differencesSection } from './differences-section.js';
import { estimatesSection } from './estimates-section.js';
import { exposureSection } from './exposure-section.js';
import { html, Markup } from './markup.js';
import { rankingSection } from './ranking-section.js';
import { REPORT_STYLE } from './style.js';
import { findingsSection, keyFigures } from './summary-section.js';
import { weightsSection } from './weights-section.js';

/** Nothing but the file's own style: a browser that reads it asks no one for anything. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'";

/**
 * One window of a snapshot as a page that stands by itself: no script, no other file, no network.
 * Names from the events are text wherever they stand.
 */
export function reportHtml(
  snapshot: Snapshot,
  windowIndex: number,
  reading: ReportedReading,
): string {
  const window = snapshot.windows[windowIndex];
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>unskew: debiased evaluation</title>
<style>
${new Markup(REPORT_STYLE)}</style>
</head>
<body>
<header>
<h1>Debiased evaluation</h1>
<p class="tagline">Offline metrics of recommender models, plain and corrected for popularity bias.</p>
${keyFigures(snapshot, window)}</header>
<main>
${findingsSection(snapshot, window, reading)}${rankingSection(window)}${estimatesSection(snapshot, window)}${differencesSection(snapshot, window)}${exposureSection(snapshot)}${weightsSection(window)}</main>
<footer><p>Written by unskew.</p></footer>
</body>
</html>
`.text;
}
