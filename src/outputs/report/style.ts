/**
 * Style sheet of the report. Colours are after Okabe and Ito, darker on a light background and
 * lighter on a dark one. Markers and dashes differ in shape too, so that readers need not
 * distinguish colours.
 */
export const REPORT_STYLE = `:root {
  color-scheme: light dark;
  --ground: #f6f7f9; --card: #fff; --ink: #17202b; --muted: #566273; --line: #d9dee5; --head: #eef1f5;
  --naive: #b35900; --debiased: #1a5a96; --randomized: #00705a; --tint: #e8f0f8;
  --warn-ground: #fff3e0; --warn-ink: #7a3e00;
  --s0: #17202b; --s1: #0072b2; --s2: #c25100; --s3: #007a5a; --s4: #a8487d; --s5: #7a6a00;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #10151b; --card: #182029; --ink: #e8edf3; --muted: #a0acba; --line: #33404e; --head: #1f2933;
    --naive: #f0ad5b; --debiased: #86bdf0; --randomized: #5fd3b4; --tint: #1c2d3d;
    --warn-ground: #3a2a12; --warn-ink: #ffcf8f;
    --s0: #e8edf3; --s1: #56b4e9; --s2: #f0934a; --s3: #4bc9a0; --s4: #e19ac4; --s5: #e5d860;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--ground); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  font-variant-numeric: tabular-nums;
}
header, main, footer { max-width: 1180px; margin: 0 auto; padding: 0 clamp(12px, 3vw, 32px); }
header { padding-top: 26px; }
h1 { margin: 0; font-size: 26px; line-height: 1.2; letter-spacing: -0.015em; }
h2 { margin: 0 0 10px; font-size: 19px; letter-spacing: -0.01em; }
h3 { margin: 22px 0 6px; font-size: 15px; }
.columns h3:first-child { margin-top: 0; }
h4 { margin: 0 0 2px; font-size: 13px; font-weight: 500; color: var(--muted); }
h3 small { font-weight: 400; color: var(--muted); margin-left: 6px; }
p { margin: 0 0 10px; }
.tagline, .lead { color: var(--muted); max-width: 85ch; }
.lead b { color: var(--ink); font-weight: 600; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(165px, 1fr)); gap: 10px; margin: 18px 0; }
.figures > div, section { background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
.figures > div { padding: 10px 14px; }
.figures dt { color: var(--muted); font-size: 13px; }
.figures dd { margin: 0; font-size: 18px; font-weight: 600; }
.figures dd small { display: block; font-size: 13px; font-weight: 400; color: var(--muted); }
section { margin: 0 0 18px; padding: 18px clamp(12px, 2vw, 22px); }
.name { overflow-wrap: break-word; }
.group .name, .lead .name, .findings .name, .legend .name { overflow-wrap: anywhere; }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 440px), 1fr)); gap: 14px 32px; align-items: start; }
.columns > * { min-width: 0; }
.findings { list-style: none; margin: 0; padding: 0; }
.findings li { display: flex; gap: 12px; padding: 8px 12px; border-left: 4px solid var(--line); margin: 6px 0; background: var(--head); border-radius: 0 6px 6px 0; }
.findings li b { flex: none; width: 4.4em; font-weight: 600; color: var(--muted); }
.findings li > span { max-width: 85ch; min-width: 0; }
.findings .problem, .findings .caution { border-color: currentColor; background: var(--warn-ground); color: var(--warn-ink); }
.findings .problem b, .findings .caution b { color: inherit; }
.key { white-space: nowrap; margin-right: 10px; color: var(--ink); }
.key svg { vertical-align: -2px; }
.group { margin: 8px 0 0; font-weight: 600; font-size: 14px; }
.group small { font-weight: 400; color: var(--muted); }
.row { display: grid; grid-template-columns: 4.6rem minmax(0, 1fr) 4rem; gap: 8px; align-items: center; height: 20px; }
.row .label { font-size: 13px; color: var(--muted); }
.row .value { font-size: 13px; text-align: right; }
.verdict { font-size: 20px; line-height: 1.35; font-weight: 600; letter-spacing: -0.01em; max-width: 60ch; }
.line { display: grid; grid-template-columns: minmax(5rem, 13rem) minmax(0, 1fr) 4.6rem 5.6rem 4rem; gap: 12px; align-items: center; min-height: 24px; font-size: 14px; }
.line .label { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.line > :nth-child(n + 3) { text-align: right; }
.line small { color: var(--muted); }
.line.head { color: var(--muted); font-size: 13px; }
.dumbbells { margin: 0 0 10px; color: var(--debiased); }
.dumbbells .line { color: var(--ink); }
.dumbbells .strip { color: var(--debiased); }
.dumbbells .before { color: var(--naive); }
.moved { stroke: var(--muted); stroke-width: 1; stroke-dasharray: 2 3; }
.strip { display: block; overflow: visible; }
svg text { font-size: 12px; fill: var(--muted); }
svg .axis-title { fill: var(--ink); }
.grid { stroke: var(--line); stroke-width: 1; }
.reference { stroke: var(--naive); stroke-width: 1; stroke-dasharray: 3 3; }
.whisker { stroke: currentColor; stroke-width: 2; }
.mark { fill: currentColor; }
.uncorrected .strip, .uncorrected svg { color: var(--naive); }
.debiased .strip, .debiased svg { color: var(--debiased); }
.randomized .strip, .randomized svg { color: var(--randomized); }
.plot { display: block; width: 100%; max-width: 520px; height: auto; }
.series { fill: none; stroke-width: 2; stroke-linejoin: round; }
.even { fill: none; stroke: var(--muted); stroke-dasharray: 2 4; }
.s0 { stroke: var(--s0); } .s1 { stroke: var(--s1); stroke-dasharray: 9 4; } .s2 { stroke: var(--s2); stroke-dasharray: 3 3; }
.s3 { stroke: var(--s3); stroke-dasharray: 12 3 3 3; } .s4 { stroke: var(--s4); stroke-dasharray: 6 2; } .s5 { stroke: var(--s5); stroke-dasharray: 1 3; stroke-linecap: round; }
.level { fill: var(--card); stroke: var(--ink); stroke-width: 1.6; }
.rated { fill: var(--card); stroke: var(--naive); stroke-width: 1.8; } .corrected { fill: var(--debiased); stroke: var(--debiased); stroke-width: 1.8; }
.joined { fill: none; stroke-width: 1.2; } .joined.rated { stroke-dasharray: 4 3; }
.bar.rows { fill: var(--naive); } .bar.weight { fill: var(--debiased); }
.legend { display: flex; flex-wrap: wrap; gap: 2px 18px; list-style: none; margin: 4px 0 12px; padding: 0; font-size: 13px; }
.legend svg { vertical-align: -1px; }
.box { overflow-x: auto; margin: 4px 0 12px; border: 1px solid var(--line); border-radius: 8px; }
.box:focus-visible { outline: 3px solid var(--debiased); }
table { border-collapse: collapse; width: 100%; font-size: 13.5px; }
caption { text-align: left; padding: 7px 10px; font-weight: 600; overflow-wrap: anywhere; }
th, td { padding: 5px 8px; text-align: right; white-space: nowrap; border-top: 1px solid var(--line); vertical-align: top; }
thead th { background: var(--head); font-weight: 600; }
th:first-child { text-align: left; }
tbody th { font-weight: 500; min-width: 5.5em; max-width: 18em; white-space: normal; }
td .name, th .name { display: inline-block; max-width: 16em; white-space: normal; }
td small, th small { color: var(--muted); font-weight: 400; }
td small, th small { display: block; font-size: 12px; line-height: 1.35; }
.words td { text-align: left; white-space: normal; min-width: 7em; }
.words th { text-align: left; }
details { margin: 6px 0 14px; }
summary { cursor: pointer; color: var(--muted); font-size: 13.5px; padding: 3px 0; }
summary:focus-visible { outline: 3px solid var(--debiased); outline-offset: 2px; }
.appendix > summary { margin: 8px 0 18px; font-size: 17px; font-weight: 600; color: var(--ink); }
.source { color: var(--muted); overflow-wrap: anywhere; }
.changed { padding: 1px 6px; border-radius: 4px; background: var(--tint); color: var(--debiased); font-weight: 600; box-shadow: inset 0 0 0 1px currentColor; }
.low { padding: 0 4px; border-radius: 4px; background: var(--warn-ground); color: var(--warn-ink); }
.up { color: var(--debiased); } .down { color: var(--naive); }
a { color: var(--debiased); }
.empty { color: var(--muted); padding: 14px; border: 1px dashed var(--line); border-radius: 8px; }
h1 .environment { padding: 1px 10px; font-size: 14px; font-weight: 600; vertical-align: 4px; border: 1px solid currentColor; border-radius: 99px; }
.terms { columns: 2 340px; column-gap: 32px; margin: 0; }
.terms > div { break-inside: avoid; margin: 0 0 6px; }
.terms dt { font-weight: 600; }
.terms dd { margin: 0; color: var(--muted); }
footer { padding-bottom: 30px; color: var(--muted); font-size: 13px; }
@media (max-width: 640px) {
  .line { grid-template-columns: minmax(3rem, 7rem) minmax(0, 1fr) 3.4rem; gap: 6px; font-size: 13px; }
  .line > :nth-child(n + 4) { display: none; }
  .verdict { font-size: 17px; }
  .figures { grid-template-columns: 1fr 1fr; }
  .figures dd { font-size: 16px; }
  .findings li { display: block; }
  .findings li b { display: block; }
}
@page { size: A4; margin: 12mm; }
@media print {
  :root { color-scheme: light; }
  body { font-size: 11px; background: none; }
  section, .figures > div { border: 0; padding: 0; }
  section { margin-bottom: 24px; }
  .first table { font-size: 11px; }
  .first th, .first td { padding: 2px 6px; }
  .first caption { display: none; }
  .first .box { margin: 0; }
  .tagline { display: none; }
  footer { display: none; }
  .appendix { break-before: page; }
  .appendix:not([open]) { display: none; }
  .figures { grid-template-columns: repeat(5, 1fr); margin: 8px 0; }
  .figures dd { font-size: 14px; }
  .line { font-size: 11px; min-height: 20px; }
  .first section { margin-bottom: 8px; }
  .first p { margin-bottom: 4px; max-width: none; }
  .first h2 { margin-bottom: 4px; font-size: 16px; }
  .first h3 { margin-top: 6px; }
  .first .findings li > span { max-width: none; }
  .first .findings li { padding: 3px 8px; margin: 3px 0; }
  .verdict { font-size: 16px; }
  header, main, footer { padding: 0; }
  .box { overflow: visible; }
  details::details-content { content-visibility: visible; block-size: auto; }
  summary { list-style: none; }
  .panel, .plot, tr, .findings li { break-inside: avoid; }
  h2, h3, h4, .group { break-after: avoid; }
  * { print-color-adjust: exact; }
}
`;
