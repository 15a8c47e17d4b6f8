// E-mails that a stranger's input directs are counted by network, recipient, account and tenant, over all processes.
// Each kind has an allowance of its own at a recipient, so that no other mail uses up the codes with which operators
// sign in.
import { createHash } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { config } from '../../config.ts'
import { countAll, countInWindow, type Window } from '../accounts/rate-windows.ts'
import { ownerOf } from '../stores/tenant-owner.ts'

/** Windows are keyed by digests: the table needs no addresses. */
export const digestOfAddress = (email: string): string => createHash('sha256').update(email).digest('base64url')

type To = {
  to: string
  /** An IPv4 address or the /64 of an IPv6 address; null for a mail that no request queues. */
  network: string | null
  /** Null for a sign-in to the installation. */
  tenant_id: string | null
}

export type DirectedMail = To &
  (
    | {
        kind: 'code'
        /** Whose allowance it is: rules/accounts/challenges.ts. */
        subject: string
        /**
         * The address has signed in from this network before: it has an allowance there that strangers cannot use up.
         */
        known: boolean
      }
    | { kind: 'confirmation'; own_sender: boolean }
    | { kind: 'invitation'; account_id: string }
    | { kind: 'handover'; agent_id: string }
  )

const dayS = 86_400
/** E-mails of an agent in an hour: visitors can make it hand chats over. */
const handoversPerHour = 30
/** E-mails to invited addresses, of a business and of an account. */
export const INVITATIONS_PER_DAY = 100

/** The account that a mail counts for: its caller's, or the one that created the tenant; null without a tenant. */
async function accountOf(em: EntityManager, { tenant_id, ...mail }: DirectedMail): Promise<string | null> {
  if ('account_id' in mail) return mail.account_id
  return tenant_id === null ? null : (await ownerOf(em, tenant_id)).account
}

/** A window, and whether a mail is refused beyond it. Otherwise it is counted only. */
type Binding = Window & { binds: boolean }

/** The windows that a mail counts in, after those of its network and of its recipient. */
function windowsOf(mail: DirectedMail, account: string | null): Binding[] {
  const { codesWindowS, codesPerTenant, mailsPerEmail, mailsPerTenant, mailsPerAccount, tenantsPerAccount } =
    config.rate
  const isCode = mail.kind === 'code'
  // Codes of operators count against their own allowance alone, through a store too: other mail to an address or to
  // a store's visitors keeps no operator from signing in.
  const address = { key: `mails:to:${digestOfAddress(mail.to)}`, most: mailsPerEmail, windowS: codesWindowS }
  const isVisitors = isCode && mail.subject.startsWith('visitor:')
  const all = [{ ...address, binds: !isCode || (isVisitors && !mail.known) }]
  if ((isCode && !isVisitors) || (mail.kind === 'confirmation' && !mail.own_sender)) return all
  const [ofAccount, ofTenant] = isCode
    ? [
        // One store alone does not use up the codes of the account's other stores.
        { most: codesPerTenant * tenantsPerAccount, windowS: codesWindowS, binds: !mail.known },
        { most: codesPerTenant, windowS: codesWindowS, binds: !mail.known },
      ]
    : [
        { most: mailsPerAccount, windowS: dayS, binds: true },
        { most: mailsPerTenant, windowS: dayS, binds: true },
      ]
  const kind = isCode ? 'codes' : 'mails'
  if (account !== null) all.push({ key: `${kind}:account:${account}`, ...ofAccount })
  if (mail.tenant_id !== null) all.push({ key: `${kind}:tenant:${mail.tenant_id}`, ...ofTenant })
  if (mail.kind !== 'invitation') return all
  const invitations = { most: INVITATIONS_PER_DAY, windowS: dayS, binds: true }
  return [
    ...all,
    { key: `invitations:account:${account}`, ...invitations },
    { key: `invitations:${mail.tenant_id}`, ...invitations },
  ]
}

/** Networks of one IPv6 /48 that may send as much as one each. */
const networksPerSite = 10

/**
 * The windows of the network, of all mails together. One from which the address has signed in before is counted, and
 * refuses nothing: others may have used it up, in an office or behind the same NAT.
 */
function networksOf(mail: DirectedMail): Binding[] {
  if (mail.network === null) return []
  const { codesPerIp, codesWindowS } = config.rate
  const same = { windowS: codesWindowS, binds: mail.kind !== 'code' || !mail.known }
  const network = { ...same, key: `codes:network:${mail.network}`, most: codesPerIp }
  const groups = mail.network.split(':')
  return groups.length === 1
    ? [network]
    : [network, { ...same, key: `codes:site:${groups.slice(0, 3).join(':')}`, most: networksPerSite * codesPerIp }]
}

/** The allowance of a kind at a recipient. */
function allowanceOf(mail: DirectedMail): Window {
  const { codesPerEmail: most, codesWindowS: windowS } = config.rate
  switch (mail.kind) {
    case 'code':
      return {
        key: mail.known ? `codes:known:${mail.subject}:${mail.network}` : `codes:${mail.subject}`,
        most,
        windowS,
      }
    case 'handover':
      return { key: `handover:${mail.agent_id}`, most: handoversPerHour, windowS: 3_600 }
    default:
      return { key: `${mail.kind}s:to:${digestOfAddress(mail.to)}`, most, windowS }
  }
}

/**
 * Counts a mail. Returns when the first limit that it exceeds ends, in Unix seconds; null if it may be sent. A mail
 * that its network or its recipient refuses is not counted further: otherwise a stranger's refused requests would use
 * up the limits of others. At most five statements.
 */
export async function countMail(em: EntityManager, mail: DirectedMail, now: number): Promise<number | null> {
  for (const { key, most, windowS, binds } of [...networksOf(mail), { ...allowanceOf(mail), binds: true }]) {
    const { count, ends_at } = await countInWindow(em, key, windowS, now)
    if (binds && count > most) return ends_at
  }
  const windows = windowsOf(mail, await accountOf(em, mail))
  const counted = await countAll(em, windows, now)
  const exceeded = windows.flatMap(({ key, most, binds }) => {
    const found = counted.get(key)
    return binds && found && found.count > most ? [found.ends_at] : []
  })
  return exceeded.length > 0 ? Math.max(...exceeded) : null
}
