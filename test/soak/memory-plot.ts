const WIDTH = 720;
const HEIGHT = 280;
const MARGIN = 48;

/** Resident memory over time, as SVG. */
export function memoryPlot(
  samples: readonly { readonly seconds: number; readonly residentBytes: number }[],
): string {
  const lastSecond = samples.at(-1)!.seconds;
  const most = Math.max(...samples.map(({ residentBytes }) => residentBytes));
  const x = (seconds: number) => MARGIN + (seconds / lastSecond) * (WIDTH - 2 * MARGIN);
  const y = (bytes: number) => HEIGHT - MARGIN - (bytes / most) * (HEIGHT - 2 * MARGIN);
  const points = samples.map(
    ({ seconds, residentBytes }) => `${x(seconds).toFixed(1)},${y(residentBytes).toFixed(1)}`,
  );
  const axis = `M${MARGIN},${MARGIN} V${HEIGHT - MARGIN} H${WIDTH - MARGIN}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<title>Resident memory</title>`,
    `<path d="${axis}" fill="none" stroke="#888"/>`,
    `<polyline points="${points.join(' ')}" fill="none" stroke="#1f6feb" stroke-width="1.5"/>`,
    `<text x="${MARGIN}" y="${MARGIN - 12}">${Math.round(most / 2 ** 20)} MiB</text>`,
    `<text x="${WIDTH - MARGIN}" y="${HEIGHT - MARGIN + 20}" text-anchor="end">${lastSecond} s</text>`,
    '</svg>\n',
  ].join('\n');
}
