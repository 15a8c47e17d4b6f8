// Parses mail from outside in processes of their own. A mail that needs more than 600 ms of processor time, twice what
// 10 MiB take, is not read.
import type { Owner } from '../rules/fair-queue.ts'
import type { ParsedMail } from '../rules/inbox/inbound.ts'
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

/** Bytes of the mails of an account's tenants that are being read or wait for it, beside the first one. */
const heldMax = 20 * 1_048_576
const held = new Map<string, number>()

/** Accounts and their tenants take turns. Throws MailUnreadable, ParserBusy. */
export async function parseMail(bytes: Uint8Array, owner: Owner): Promise<ParsedMail> {
  const before = held.get(owner.account) ?? 0
  if (before > 0 && before + bytes.length > heldMax) throw new ParserBusy('other mail of the account is being read')
  held.set(owner.account, before + bytes.length)
  try {
    const reply = await parsers.run(owner, { bytes })
    if ('mail' in reply) return reply.mail
    throw new MailUnreadable(reply.fault)
  } finally {
    const left = (held.get(owner.account) ?? 0) - bytes.length
    if (left > 0) held.set(owner.account, left)
    else held.delete(owner.account)
  }
}
