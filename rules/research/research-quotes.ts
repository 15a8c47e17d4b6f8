// A signal counts only with its quote: text that stands in the source that it names, but for white space, case and
// typographic marks.

const marks: readonly (readonly [RegExp, string])[] = [
  // Soft hyphens and characters without width.
  [/[\u00ad\u200b-\u200f\u2060\ufeff]/g, ''],
  [/[\u2018\u2019\u201a\u201b\u2032\u00b4`]/g, "'"],
  [/[\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb]/g, '"'],
  [/[\u2010-\u2015\u2212]/g, '-'],
  [/\s+/g, ' '],
]

/** The form in which a quote is looked up in a text. */
export const quotable = (text: string): string =>
  marks
    .reduce((plain, [from, to]) => plain.replace(from, to), text.normalize('NFKC'))
    .toLowerCase()
    .trim()

/** Fewer characters prove nothing: they stand in any text. */
export const QUOTE_MIN = 8

export type GivenSignal = { text: string; quote: string; source_id: string }
export type Signal = GivenSignal & { url: string }
export type DropReason = 'source_unknown' | 'quote_too_short' | 'quote_not_in_source'

/** `content`: what `quotable` made of the text of the page. */
export type QuotedSource = { url: string; content: string }

/** The signals whose quote stands in their source, and why the others are dropped, by their place in the list. */
export function provedSignals(
  given: readonly GivenSignal[],
  sources: ReadonlyMap<string, QuotedSource>,
): { signals: Signal[]; dropped: { signal: number; reason: DropReason }[] } {
  const signals: Signal[] = []
  const dropped: { signal: number; reason: DropReason }[] = []
  for (const [signal, one] of given.entries()) {
    const source = sources.get(one.source_id.toLowerCase())
    const quote = quotable(one.quote)
    const reason: DropReason | null = !source
      ? 'source_unknown'
      : quote.length < QUOTE_MIN
        ? 'quote_too_short'
        : source.content.includes(quote)
          ? null
          : 'quote_not_in_source'
    if (reason || !source) dropped.push({ signal, reason: reason ?? 'source_unknown' })
    else signals.push({ ...one, source_id: one.source_id.toLowerCase(), url: source.url })
  }
  return { signals, dropped }
}
