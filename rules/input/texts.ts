// Texts that are compared: one canonical form of Unicode (NFC) at the border, where they are written and where they are searched for.

/** Most texts are ASCII, which has one form only. */
export const isAscii = (text: string): boolean => !/[^\0-\x7f]/.test(text)
