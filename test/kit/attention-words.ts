// What the words of an item for people must not have: routes, methods, code, and values and fields of the API.
const ofTheApi =
  /`|\/v1\/|[{}]|\b(GET|POST|PUT|DELETE)\b|\b[a-z]+_[a-z_]+\b|\b(succeeded|rejected|accepted|force|replaces)\b/

type Words = { title: string; what_to_do: string; subject: { label: string | null } }

/** What is wrong with the words of an item; null for nothing. */
export function faultIn({ title, what_to_do, subject }: Words): string | null {
  for (const text of [title, what_to_do, subject.label ?? '']) {
    const found = ofTheApi.exec(text)
    if (found) return `${found[0]} in: ${text}`
  }
  if (!/^[A-Z0-9].*\.$/.test(title)) return `no sentence: ${title}`
  return /^[A-Z].{20,}\.$/.test(what_to_do) ? null : `no sentences: ${what_to_do}`
}

/** Whether a text of others changes the direction of the sentence that it is in: it is not isolated from it. */
export const turns = (sentence: string): boolean =>
  /[\p{Bidi_Control}]/u.test(sentence.replaceAll(/\u2068[^\u2066-\u2069]*\u2069/g, ''))
