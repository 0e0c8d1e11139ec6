import { describe, expect, it } from 'vitest';
import { html, Markup, named } from '../../../src/outputs/report/markup.js';

describe('a template', () => {
  it('writes every piece as text, in elements and in attributes', () => {
    const hostile = `<script>"'&`;
    expect(html`<p title="${hostile}">${hostile}</p>`.text).toBe(
      '<p title="&lt;script&gt;&quot;&#39;&amp;">&lt;script&gt;&quot;&#39;&amp;</p>',
    );
  });

  it('takes markup as it is, alone and in lists', () => {
    const items = ['<a>', 'b'].map((name) => html`<li>${name}</li>`);
    expect(html`<ul>${items}${null}${2}</ul>`.text).toBe('<ul><li>&lt;a&gt;</li><li>b</li>2</ul>');
    expect(html`${new Markup('<br>')}`.text).toBe('<br>');
  });

  it('lets no control character and no half of a surrogate through', () => {
    expect(html`${'a\u0000b\u009bc\ud800d'}`.text).toBe('a\ufffdb\ufffdc\ufffdd');
    expect(html`${'😀'}`.text).toBe('😀');
  });

  it('keeps the direction of a name to itself', () => {
    expect(named('\u202e<b>').text).toBe('<bdi class="name">\u202e&lt;b&gt;</bdi>');
  });
});
