import { describe, expect, it } from 'vitest';
import { html, Markup, named } from '../../../src/outputs/report/markup.js';

describe('a template', () => {
  it('escapes every piece in elements and attributes', () => {
    const hostile = `<script>"'&`;
    expect(html`<p title="${hostile}">${hostile}</p>`.text).toBe(
      '<p title="&lt;script&gt;&quot;&#39;&amp;">&lt;script&gt;&quot;&#39;&amp;</p>',
    );
  });

  it('inserts markup unescaped, alone and in lists', () => {
    const items = ['<a>', 'b'].map((name) => html`<li>${name}</li>`);
    expect(html`<ul>${items}${null}${2}</ul>`.text).toBe('<ul><li>&lt;a&gt;</li><li>b</li>2</ul>');
    expect(html`${new Markup('<br>')}`.text).toBe('<br>');
  });

  it('replaces control characters and lone surrogates', () => {
    expect(html`${'a\u0000b\u009bc\ud800d'}`.text).toBe('a\ufffdb\ufffdc\ufffdd');
    expect(html`${'😀'}`.text).toBe('😀');
  });

  it('isolates the text direction of a name', () => {
    expect(named('\u202e<b>').text).toBe('<bdi class="name">\u202e&lt;b&gt;</bdi>');
  });
});
