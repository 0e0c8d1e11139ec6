/**
 * What the mean over users takes of a user. `plain`: the weighted mean of the gains; `corrected`: that
 * without the bias that a ratio of few rows has. It makes a difference to snips (rules/corrected-user-form.ts).
 */
export const USER_FORMS = ['plain', 'corrected'] as const;
export type UserForm = (typeof USER_FORMS)[number];
