// Rewrites regular expressions into a subset that other languages read in the same way: without Unicode properties.

/**
 * The Unicode classes that our shapes use, expanded for the basic plane. Surrogates are left out, as they are not
 * characters in most languages.
 */
const classes: Record<string, string> = {
  Cc: '\\u0000-\\u001f\\u007f-\\u009f',
  Cf: '\\u00ad\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890-\\u0891\\u08e2\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u2064\\u2066-\\u206f\\ufeff\\ufff9-\\ufffb',
  Cs: '',
  Zl: '\\u2028',
  Zp: '\\u2029',
}

/** The pattern for ECMA 262 without the flag `u`, Python and Java. */
export const portable = (pattern: string): string =>
  pattern
    .replaceAll(/\\p\{(\w+)\}/g, (whole, name: string) => classes[name] ?? whole)
    .replaceAll(/\\0(?!\d)/g, '\\u0000')
