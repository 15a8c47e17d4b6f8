// Text of others within a sentence: its direction ends with it, so that it cannot reorder the words around it.

/** Characters of another direction, and those that control directions. */
const turning = /[\p{Bidi_Control}\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u
/** They would end the isolation, or begin another one. */
const isolates = /[\u2066-\u2069]/g

/** A name, a key or a message as a part of a sentence. Text that has one direction alone stays as it is. */
export const isolated = (text: string): string =>
  turning.test(text) ? `\u2068${text.replace(isolates, '')}\u2069` : text
