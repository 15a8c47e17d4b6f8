// The messages that the catcher received, and the ledger of all that it ever received.
import { closeSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'

export type Message = {
  id: string
  time: number
  from: string
  to: string[]
  subject: string
  text: string
  html: string
  headers: Record<string, string>
}
/**
 * Received completely, with the final dot. `accepted`: the server's decision. `answered`: whether the response was
 * sent.
 */
export type Entry = {
  id: string
  time: number
  message_id: string | null
  from: string
  to: string[]
  subject: string
  digest: string
  accepted: boolean
  answered: boolean
}

const keepMax = 1000

let messages: Message[] = []
let waiting: (() => void)[] = []

export const { ledger, record } = openLedger(process.env.MAIL_DIR)

function openLedger(dir: string | undefined): { ledger: Entry[]; record: (entry: Entry) => void } {
  if (!dir) {
    const ledger: Entry[] = []
    return { ledger, record: (entry) => ledger.push(entry) }
  }
  mkdirSync(dir, { recursive: true })
  const path = join(dir, 'mail.jsonl')
  closeSync(openSync(path, 'a'))
  const text = readFileSync(path, 'utf8')
  const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n')
  const ledger = lines.filter(Boolean).map((line) => JSON.parse(line) as Entry)
  const file = openSync(path, 'a')
  const record = (entry: Entry) => {
    ledger.push(entry)
    writeSync(file, `${JSON.stringify(entry)}\n`)
  }
  return { ledger, record }
}

export function keep(message: Message): void {
  messages = [message, ...messages].slice(0, keepMax)
  const awake = waiting
  waiting = []
  for (const wake of awake) wake()
}

export const forgetAll = (): void => {
  messages = []
}

/** The newest first. */
export const all = (): readonly Message[] => messages
export const sentTo = (to: string | null): Message[] =>
  messages.filter((message) => !to || message.to.includes(to.toLowerCase()))

const number = (id: string) => Number(id.slice(1))

/** `after`: the id of a message, or the number of messages to skip. */
function newer(to: string | null, after: string): Message[] {
  const found = sentTo(to)
  return after.startsWith('m')
    ? found.filter((message) => number(message.id) > number(after))
    : found.slice(0, Math.max(0, found.length - Number(after)))
}

export async function waitFor(query: URLSearchParams): Promise<Message[] | undefined> {
  const until = Date.now() + Number(query.get('timeout_ms') ?? 10_000)
  for (;;) {
    const found = newer(query.get('to'), query.get('after') ?? '0')
    if (found.length) return found
    const left = until - Date.now()
    if (left <= 0) return undefined
    await new Promise<void>((resolve) => {
      waiting.push(resolve)
      setTimeout(resolve, left)
    })
  }
}
