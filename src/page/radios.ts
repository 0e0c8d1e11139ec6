import { byId, make } from './element.js';

/** A row of radio buttons that look like one control. */
export function radios(
  name: string,
  entries: readonly (readonly [value: string, text: string])[],
  chosen: string,
  change: (value: string) => void,
): void {
  const group = byId(`choose-${name}`);
  const focused = group.contains(document.activeElement);
  const buttons = entries.map(([value, text]) => {
    const input = make('input');
    Object.assign(input, { type: 'radio', name, value, checked: value === chosen });
    input.addEventListener('change', () => change(value));
    return make('label', '', input, make('span', '', text));
  });
  group.replaceChildren(...buttons);
  if (focused) group.querySelector<HTMLInputElement>('input:checked')?.focus();
}
