// What the simulated model does in lead research without a script: it reads the first page that it may read, records up

/** An answer that a script, or the rules of this file, names. */
export type Scripted = {
  text?: string
  calls?: { id?: string; name: string; arguments: unknown }[]
  status?: number
  headers?: Record<string, string>
  body?: unknown
  delay_ms?: number
  /** Without the counts of tokens. */
  uncounted?: true
}
// to three sentences with a number as signals, and says so.

const parsed = (text: string): Record<string, unknown> => {
  try {
    return JSON.parse(text.slice(text.indexOf('{'))) as Record<string, unknown>
  } catch {
    return {}
  }
}

/** Sentences of a page that state a number. */
const facts = (text: string): string[] =>
  text
    .split(/\n+|(?<=[.!?])\s+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => /\d/.test(sentence) && sentence.length >= 12 && sentence.length <= 300)
    .slice(0, 3)

/** `said`: what is asked; `result`: of the last tool, if one was used for it; `all`: every text of the request. */
export function research(said: string, result: unknown, all: string): Scripted {
  const member = /member_id":"([0-9a-f-]{36})/.exec(all)?.[1]
  const record = (given: object): Scripted => ({
    calls: [{ name: 'record_insight', arguments: { ...(member ? { member_id: member } : {}), ...given } }],
  })
  if (result !== undefined) {
    const value = (result ?? {}) as Record<string, unknown>
    if ('recorded' in value) return { text: `I have recorded an insight with ${String(value.signals)} signals.` }
    if (typeof value.text !== 'string') return record({ summary: 'No page could be read.', score: 0, signals: [] })
    const quotes = facts(value.text)
    const signals = quotes.map((quote) => ({ text: `The page says: ${quote}`, quote, source_id: value.source_id }))
    return record({
      summary: `${String(value.title ?? 'The page')}: ${quotes.length} facts.`,
      score: 25 * (1 + quotes.length),
      signals,
    })
  }
  const isTask = said.startsWith('Research this lead')
  const { team_addresses = [], start_pages = [] } = parsed(isTask ? said : '') as {
    team_addresses?: string[]
    start_pages?: string[]
  }
  // The state of the run stands before the message.
  const message = said.split('\n\n').at(-1) as string
  const url = isTask ? (team_addresses[0] ?? start_pages[0]) : /https?:\/\/\S+/.exec(message)?.[0]
  if (url) return { calls: [{ name: 'read_page', arguments: { url } }] }
  return isTask
    ? { calls: [{ name: 'ask', arguments: { question: 'Which page is theirs?' } }] }
    : { text: `You said: ${message.slice(0, 500)}` }
}
