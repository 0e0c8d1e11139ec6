import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { fileProgress, startProgress } from '../../../src/outputs/text/progress.js';

function terminal(): { stream: NodeJS.WritableStream; text: () => string } {
  const stream = new PassThrough();
  let text = '';
  stream.on('data', (chunk) => {
    text += String(chunk);
  });
  return { stream: Object.assign(stream, { isTTY: true, columns: 80 }), text: () => text };
}

it('writes nothing without a terminal', () => {
  const { stream, text } = terminal();
  const progress = startProgress('reading', { isTerminal: false }, stream);
  progress.update(1, 2);
  progress.stop();
  expect(text()).toBe('');
});

it('draws a bar with label and share on a terminal', () => {
  const { stream, text } = terminal();
  const progress = startProgress('simulating', { isTerminal: true }, stream);
  progress.update(25, 100);
  progress.stop();
  expect(text()).toMatch(/simulating .*25 %/);
});

it('sums up the progress of several files', () => {
  const { stream, text } = terminal();
  const progress = fileProgress({ isTerminal: true }, ['/no/such/a', '/no/such/b'], stream);
  progress.update('/no/such/a', 50, 100);
  progress.update('/no/such/a', 100, 100);
  progress.update('/no/such/b', 100, 300);
  progress.stop();
  expect(text()).toMatch(/ 50 %/);
});
