/** Colours are a blue and an orange that differ in lightness too; no meaning rests on colour alone. */
export const PAGE_STYLE = `:root {
  color-scheme: light dark;
  --ground: #f6f7f9; --card: #ffffff; --ink: #17202b; --muted: #566273; --line: #d9dee5;
  --head: #eef1f5; --accent: #1f4e79; --up: #8a4b00; --down: #1a5a96; --tint: #e8f0f8;
  --warn-ground: #fff3e0; --warn-ink: #7a3e00;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #10151b; --card: #182029; --ink: #e8edf3; --muted: #a0acba; --line: #2f3a47;
    --head: #1f2933; --accent: #8fbfec; --up: #f0ad5b; --down: #86bdf0; --tint: #1c2d3d;
    --warn-ground: #3a2a12; --warn-ink: #ffcf8f;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--ground); color: var(--ink);
  font: 15px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  font-variant-numeric: tabular-nums;
}
.top, main, footer { max-width: 1440px; margin: 0 auto; padding: 0 clamp(12px, 3vw, 32px); }
.top { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 16px; padding-top: 18px; padding-bottom: 14px; }
h1 { display: flex; align-items: center; gap: 10px; margin: 0; font-size: 22px; letter-spacing: -0.01em; }
h2 { margin: 0; font-size: 16px; }
.tagline { margin: 0; color: var(--muted); }
.status { margin: 0 0 0 auto; padding: 3px 12px; border: 1px solid var(--line); border-radius: 999px; background: var(--card); }
.status::before { content: "○ "; }
.status[data-state="live"]::before { content: "● "; color: var(--down); }
.status[data-state="lost"] { background: var(--warn-ground); color: var(--warn-ink); border-color: currentColor; font-weight: 600; }
.status[data-state="lost"]::before { content: "▲ "; }
.notice { padding: 16px; border: 1px solid var(--line); border-radius: 10px; background: var(--card); }
.summary { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 10px; margin: 0 0 18px; }
.summary > div { padding: 10px 14px; background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
.summary dt { color: var(--muted); font-size: 13px; }
.summary dd { margin: 0; font-size: 20px; font-weight: 600; }
.summary dd small { display: block; font-size: 13px; font-weight: 400; color: var(--muted); }
section { margin: 0 0 18px; background: var(--card); border: 1px solid var(--line); border-radius: 10px; overflow: hidden; }
section > header { display: flex; flex-wrap: wrap; align-items: baseline; gap: 2px 14px; padding: 12px 14px; }
section > header p { margin: 0; color: var(--muted); font-size: 14px; }
.box { overflow-x: auto; border-top: 1px solid var(--line); }
.box:focus-visible, a:focus-visible { outline: 3px solid var(--accent); outline-offset: -3px; }
table { border-collapse: separate; border-spacing: 0; width: 100%; }
th, td { padding: 5px 9px; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--line); vertical-align: top; }
tr:last-child > *, tbody:last-child tr:last-child > * { border-bottom: 0; }
thead th { background: var(--head); font-weight: 600; font-size: 13px; }
thead tr:first-child th[colspan] { text-align: center; }
tbody th { text-align: left; font-weight: 500; }
th:first-child { padding-left: 14px; position: sticky; left: 0; background: var(--card); z-index: 1; text-align: left; }
thead th:first-child { background: var(--head); }
.group { border-left: 1px solid var(--line); }
tr.model > th { position: static; background: var(--tint); padding: 0; }
tr.model .label { position: sticky; left: 0; display: inline-block; max-width: min(100vw - 28px, 100%); padding: 7px 14px; white-space: normal; overflow-wrap: anywhere; font-weight: 600; }
tr.model small { font-weight: 400; color: var(--muted); font-size: 13px; margin-left: 8px; }
td small { display: block; color: var(--muted); font-size: 12px; line-height: 1.35; }
td small.up, td small.down { font-size: 12px; }
.up { color: var(--up); } .down { color: var(--down); }
td small.up { color: var(--up); } td small.down { color: var(--down); }
.far { font-weight: 700; border-radius: 4px; padding: 0 4px; background: var(--tint); box-shadow: inset 0 0 0 1px currentColor; }
td small.far { display: inline-block; margin-right: -4px; }
.nearest { text-decoration: underline double; text-underline-offset: 3px; font-weight: 700; }
.low { color: var(--warn-ink); background: var(--warn-ground); border-radius: 4px; padding: 0 4px; }
td.true { font-weight: 600; background: var(--tint); }
tr.size td, tr.size th { color: var(--muted); font-size: 13px; }
.below { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 460px), 1fr)); gap: 0 18px; align-items: start; }
.below tbody th { min-width: 7em; max-width: 18em; white-space: normal; overflow-wrap: break-word; }
.legend { margin: 0 0 18px; padding: 10px 14px; background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
.legend summary { cursor: pointer; font-weight: 600; }
.legend summary:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; }
.legend ul { margin: 8px 0 0; padding-left: 20px; color: var(--muted); max-width: 95ch; }
.legend li { margin: 3px 0; }
.legend b { color: var(--ink); font-weight: 600; }
footer { padding-bottom: 28px; color: var(--muted); }
footer a { margin-right: 16px; }
a { color: var(--accent); }
[hidden] { display: none !important; }
@media (max-width: 640px) {
  .status { margin-left: 0; }
  .summary { grid-template-columns: 1fr 1fr; }
  .summary dd { font-size: 17px; }
  th, td { padding: 5px 8px; }
}
`;
