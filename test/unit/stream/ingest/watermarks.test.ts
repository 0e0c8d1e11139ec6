import { describe, expect, it } from 'vitest';
import { Watermarks } from '../../../../src/stream/watermarks.js';

describe('the watermark', () => {
  it('is unknown until every expected topic-partition has delivered', () => {
    const marks = new Watermarks(5, 10);
    marks.expect('exposures', 0);
    marks.expect('interactions', 0);
    expect(marks.value()).toBe(Number.NEGATIVE_INFINITY);
    marks.advance('interactions', 0, 100);
    expect(marks.value()).toBe(Number.NEGATIVE_INFINITY);
    marks.advance('exposures', 0, 60);
    expect(marks.value()).toBe(55);
  });

  it('is the slowest partition less the lateness, and never goes back', () => {
    const marks = new Watermarks(5, 10);
    marks.advance('interactions', 0, 100);
    marks.advance('interactions', 1, 80);
    expect(marks.value()).toBe(75);
    marks.advance('interactions', 1, 40);
    expect(marks.newest('interactions', 1)).toBe(80);
    expect(marks.value()).toBe(75);
  });

  it('does not wait for an idle partition, and waits again once it delivers', () => {
    const marks = new Watermarks(5, 10);
    marks.advance('interactions', 0, 100);
    marks.expect('exposures', 0);
    marks.setIdle('exposures', 0);
    expect(marks.value()).toBe(95);
    marks.advance('exposures', 0, 50);
    expect(marks.value()).toBe(45);
  });

  it('stands at the end of the newest pane when all are idle', () => {
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
