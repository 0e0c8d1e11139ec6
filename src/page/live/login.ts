import { byId } from '../element.js';
import { keepToken } from './api.js';

/** Asks for the token; calls back once one is given. */
export class Login {
  readonly #form = byId<HTMLFormElement>('login');
  readonly #field = byId<HTMLInputElement>('token');

  constructor(given: () => void) {
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault();
      keepToken(this.#field.value.trim());
      this.#field.value = '';
      this.#form.hidden = true;
      given();
    });
  }

  ask(wasGiven: boolean): void {
    byId('login-error').textContent = wasGiven ? 'This token was not accepted.' : '';
    this.#form.hidden = false;
    this.#field.focus();
  }
}
