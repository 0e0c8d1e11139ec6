import { html, Markup } from './markup.js';
import { REPORT_STYLE } from './style.js';

/** Nothing but the file's own style: a browser that reads it asks no one for anything. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'";

/** What a report says, from its head to its foot. */
export interface ReportPage {
  readonly title: string;
  readonly heading: string;
  readonly tagline: string;
  readonly figures: Markup | null;
  readonly sections: readonly (Markup | null)[];
  readonly foot: string;
}

/** A page that stands by itself: no script, no other file, no network. */
export function reportPage({
  title,
  heading,
  tagline,
  figures,
  sections,
  foot,
}: ReportPage): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>unskew: ${title}</title>
<style>
${new Markup(REPORT_STYLE)}</style>
</head>
<body>
<header>
<h1>${heading}</h1>
<p class="tagline">${tagline}</p>
${figures}</header>
<main>
${sections}</main>
<footer><p>${foot}</p></footer>
</body>
</html>
`.text;
}
