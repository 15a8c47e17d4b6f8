// One attempt to send a form. After a lost answer the same request is sent again, never another one: its ids, its key
// and the version that it is based on change only if the API proved that nothing was done, or if a person says so.
import type { ApiProblem } from '../../../../client/client.ts'
import { isMissing, isRefusal, SignedOut } from '../answers.ts'
import type { Operation } from '../document/operations.ts'
import type { Schemas } from '../document/schema.ts'
import type { Item } from '../document/tree.ts'
import { type Draft, newIds } from './draft.ts'
import {
  type Body,
  changesOf,
  cleaned,
  type Faults,
  holdsDelta,
  isSame,
  pointerTo,
  redactedIn,
  valuesOf,
  withExpected,
} from './model.ts'

/**
 * `faulty`: the form itself cannot send it. `lost`: nothing is known of it. `stale`: the record changed meanwhile;
 * `isOwn`: perhaps by an earlier attempt. `doubt`: the record changed, and an earlier attempt may have done what
 * another one would do twice. `refused`: the API said no, and nothing was done by this attempt.
 */
export type Outcome =
  | { kind: 'open' }
  | { kind: 'sending' }
  | { kind: 'faulty'; faults: Faults }
  | { kind: 'lost'; error: unknown }
  | { kind: 'stale'; fields: readonly string[]; record: Item; isOwn: boolean }
  | { kind: 'doubt'; record: Item }
  | { kind: 'refused'; error: unknown }
  | { kind: 'done'; answer: unknown }

export type Request = { body?: unknown; headers?: Record<string, string> }
export type Sending = {
  operation: Operation
  body: Body | undefined
  schemas: Schemas
  /** Whether it changes the record at its place: then only the fields that differ are sent. */
  isChange: boolean
  ask(request: Request): Promise<unknown>
  /** Reads what the request is based on as it is now. */
  readNow: (() => Promise<Item>) | undefined
}
export type Drafts = { read(): Draft; change(part: Partial<Draft>): void }

/** The fields that are sent, as they were typed. */
function sentOf({ body, isChange }: Sending, { value, initial }: Draft): Item {
  if (!isChange || !body) return value
  const changed = changesOf(initial, value)
  return Object.fromEntries(
    Object.entries(value).filter(([name]) => changed.includes(name) || body.required.includes(name)),
  )
}

function requestOf(sending: Sending, draft: Draft): unknown {
  const { body, schemas } = sending
  if (!body) return undefined
  const rows = Array.isArray(draft.before?.items) ? (draft.before.items as Item[]) : undefined
  const sent = rows ? withExpected(sentOf(sending, draft), body, rows, schemas) : sentOf(sending, draft)
  const version = body.takesVersion ? draft.before?.version : undefined
  return cleaned({ ...sent, ...draft.ids, ...(version === undefined ? {} : { version }) })
}

/** Sent again, such a request does nothing twice. */
export function isRepeatable(sending: Sending, draft: Draft): boolean {
  const { operation, body } = sending
  if (operation.takesKey || (body?.callersIds.length ?? 0) > 0) return true
  if (operation.method === 'POST') return body?.takesVersion === true && draft.before?.version !== undefined
  return !holdsDelta(requestOf(sending, draft), true)
}

/** What cannot be sent as it is shown. */
function faultsBefore(sending: Sending, draft: Draft): Faults {
  const { value, initial } = draft
  const emptied = sending.isChange ? changesOf(initial, value).filter((name) => value[name] === undefined) : []
  return new Map([
    ...emptied.map((name): [string, string] => [pointerTo('', name), 'This cannot be left empty.']),
    ...redactedIn(sentOf(sending, draft)).map((at): [string, string] => [
      at,
      'The stored value is hidden: type it again, or remove the entry.',
    ]),
  ])
}

/** What another operator changed of the fields that are sent, unless it is what is sent. */
async function meanwhile({ isChange, readNow, body, schemas }: Sending, draft: Draft, sent: Item) {
  const { before, isSent } = draft
  if (!isChange || !before || !readNow || !body || body.takesVersion) return undefined
  const record = await readNow()
  const now = valuesOf(body, record, schemas)
  const fields = Object.keys(sent).filter(
    (name) => !isSame(before[name], record[name]) && !isSame(now[name], sent[name]),
  )
  return fields.length > 0 ? { kind: 'stale' as const, fields, record, isOwn: isSent } : undefined
}

const isStale = ({ code }: ApiProblem) => code === 'stale_version' || code === 'available_changed'

/** What was refused because the record is no longer the one that the request is based on. */
async function staleOutcome({ operation, readNow, ...sending }: Sending, draft: Draft): Promise<Outcome | undefined> {
  const record = await readNow?.().catch(() => undefined)
  if (!record) return undefined
  const isTwice = operation.method === 'POST' || holdsDelta(sentOf({ operation, readNow, ...sending }, draft), false)
  if (draft.isSent && isTwice) return { kind: 'doubt', record }
  const fields = draft.before && !draft.before.items ? changesOf(draft.before, record) : []
  return {
    kind: 'stale',
    fields: fields.filter((name) => !/^(version|updated_?at)$/i.test(name)),
    record,
    isOwn: draft.isSent,
  }
}

export async function attempt(sending: Sending, drafts: Drafts): Promise<Outcome> {
  const { operation } = sending
  const draft = drafts.read()
  const faults = faultsBefore(sending, draft)
  if (faults.size > 0) return { kind: 'faulty', faults }
  const stale = await meanwhile(sending, draft, sentOf(sending, draft))
  if (stale) return stale
  drafts.change({ isSent: true })
  try {
    const headers = operation.takesKey ? { headers: { 'Idempotency-Key': draft.key } } : {}
    return { kind: 'done', answer: await sending.ask({ body: requestOf(sending, draft), ...headers }) }
  } catch (error) {
    if (error instanceof SignedOut) return { kind: 'refused', error }
    // What a repeated request did not find was removed by the first one.
    if (operation.method === 'DELETE' && draft.isSent && isMissing(error)) return { kind: 'done', answer: undefined }
    if (!isRefusal(error)) return { kind: 'lost', error }
    // A conflict is about an earlier request with these ids, which was recorded. So may be an attempt without an
    // answer.
    if (!draft.isSent && error.code !== 'idempotency_conflict') drafts.change({ ...newIds(draft), isSent: false })
    return (isStale(error) && (await staleOutcome(sending, draft))) || { kind: 'refused', error }
  }
}

/** Goes on with the record as it is now: the fields that were typed stay, the others are those of the record. */
export function rebased({ body, isChange, schemas }: Sending, draft: Draft, record: Item): Partial<Draft> {
  if (!isChange || !body) return { before: record }
  const now = valuesOf(body, record, schemas)
  const typed = changesOf(draft.initial, draft.value).map((name) => [name, draft.value[name]])
  return { before: record, initial: now, value: { ...now, ...Object.fromEntries(typed) } }
}
