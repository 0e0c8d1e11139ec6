/** The page's frame. Numbers and names come from the API by the script, as text and never as markup. */
export const PAGE_HTML = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>unskew: debiased metrics, live</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/page.css">
<script src="/page.js" defer></script>
</head>
<body>
<header class="top">
  <h1><img src="/icon.svg" alt="" width="28" height="28"> unskew</h1>
  <p class="tagline">Offline metrics without popularity bias, live</p>
  <p id="status" class="status" role="status" data-state="connecting">Connecting…</p>
</header>
<main>
  <p id="waiting" class="notice" hidden>Waiting for the first pane to close. Estimates appear as soon as event time
  has passed the end of a pane.</p>
  <dl id="summary" class="summary" aria-label="Summary" hidden></dl>
  <details id="legend" class="legend" hidden>
    <summary>How to read this</summary>
    <ul>
      <li>Each cell gives the estimate, its standard error after ±, and below it how far it is from
        <b>naive</b>: <span class="up">▲ above</span> or <span class="down">▼ below</span>. A boxed mark
        (<span class="far down">▼</span>) says that naive lies outside the estimate’s 95 % interval.</li>
      <li><b>naive</b> counts every interaction alike and so favours models that show popular items.
        <b>snips</b>, <b>gs</b>, <b>skew</b> and <b>wtd_h</b> weight interactions against popularity.</li>
      <li><b>Mean over users</b> gives each user the same say. A user with one event has nothing to be
        reweighted, so where most users have one, look at <b>over all events</b>.</li>
      <li><b>Effective users</b> is how many equally weighted users the estimate is worth; below 30
        (marked <span class="low">low</span>) it should decide nothing.</li>
      <li id="legend-truth" hidden><b>true</b> is known because this traffic is simulated;
        <span class="nearest">nearest</span> marks the estimate that comes closest to it.</li>
    </ul>
  </details>
  <div id="windows"></div>
  <div id="below" class="below"></div>
  <noscript><p class="notice">This page needs JavaScript. The same numbers are at
  <a href="/api/v1/estimates">/api/v1/estimates</a> and <a href="/metrics">/metrics</a>.</p></noscript>
</main>
<footer><a href="/metrics">Metrics</a> <a href="/api/v1/estimates">Estimates as JSON</a>
<a href="/readyz">Readiness</a></footer>
</body>
</html>
`;

/** A skewed bar chart that is set upright. */
export const PAGE_ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="7" fill="#1f4e79"/>
<path d="M8 25V8M16 25V14M24 25V19" stroke="#fff" stroke-width="4" stroke-linecap="round"/>
<path d="M6 5.5 26 16" stroke="#f4a340" stroke-width="2.5" stroke-linecap="round"/>
</svg>
`;
