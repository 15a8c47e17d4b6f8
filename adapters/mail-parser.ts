// Parses mail from outside in processes of their own. A mail that needs more than 600 ms of processor time, twice what 10 MiB take, is not read.
import type { ParsedMail } from '../rules/campaigns/inbound.ts'
import { newContainedPool } from './contained-process.ts'
import type { ParserReply, ParserTask } from './mail-parser-process.ts'

/** The mail cannot be read, and could not be later. */
export class MailUnreadable extends Error {}
/** The machine is too busy to read the mail: it may succeed when it is repeated. */
export class ParserBusy extends Error {}

const parsers = newContainedPool<ParserTask, ParserReply>('mail-parser-process.ts', 'the mail parser', {
  cpuMs: 600,
  wallMs: 10_000,
  errors: {
    time: () => new MailUnreadable('it takes too long to read'),
    busy: () => new ParserBusy('the machine is too busy to read the mail'),
    memory: () => new MailUnreadable('it takes too much memory to read'),
  },
})

/** Bytes of a tenant's mails that are being read or wait for it, beside the first one. */
const heldMax = 20 * 1_048_576
const held = new Map<string, number>()

/** Tenants take turns. Throws MailUnreadable, ParserBusy. */
export async function parseMail(bytes: Uint8Array, tenantId: string): Promise<ParsedMail> {
  const before = held.get(tenantId) ?? 0
  if (before > 0 && before + bytes.length > heldMax) throw new ParserBusy('other mail of the store is being read')
  held.set(tenantId, before + bytes.length)
  try {
    const reply = await parsers.run(tenantId, { bytes })
    if ('mail' in reply) return reply.mail
    throw new MailUnreadable(reply.fault)
  } finally {
    const left = (held.get(tenantId) ?? 0) - bytes.length
    if (left > 0) held.set(tenantId, left)
    else held.delete(tenantId)
  }
}
