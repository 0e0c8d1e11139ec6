import { describe, expect, it } from 'vitest';
import { Watermarks } from '../../../../src/stream/panes/watermarks.js';

describe('the watermark', () => {
  it('stands at the end of the newest pane when all partitions are idle', () => {
    const marks = new Watermarks(5, 10);
    marks.expect('exposures', 0);
    marks.setIdle('exposures', 0);
    expect(marks.value()).toBe(Number.NEGATIVE_INFINITY);
    marks.advance('interactions', 0, 101);
    marks.setIdle('interactions', 0);
    expect(marks.value()).toBe(110);
    marks.advance('interactions', 0, 120);
    marks.setIdle('interactions', 0);
    expect(marks.value()).toBe(130);
  });
});
