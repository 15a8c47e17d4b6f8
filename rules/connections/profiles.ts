// Who the account of a token is: the read that says it, and what its answer holds.
import { cut } from '../excerpts.ts'
import { objectIn } from '../social/answers.ts'
import type { NetworkType } from '../social/networks/network-types.ts'
import { networks } from '../social/networks/networks.ts'
import { type Access, readRequest, type SocialRequest } from '../social/networks/request.ts'

/** `granted_by`: the user whose consent the tokens rest on. `access_token`: of a page, which has its own. */
export type Profile = {
  provider_account_id: string
  name: string
  username: string | null
  granted_by: string
  access_token: string | null
}

const idMax = 128
const text = (value: unknown, max: number): string | null => {
  const found = typeof value === 'number' ? String(value) : value
  if (typeof found !== 'string' || found === '' || found.includes('\0') || !found.isWellFormed()) return null
  return cut(found, max)
}

/** `after`: the cursor of the page; null for the first one. */
export function profileRequest(type: NetworkType, access: Access, after: string | null = null): SocialRequest {
  const { query, ...at } = networks[type].accounts.read
  return readRequest(at, { ...query, ...(after === null ? {} : { after }) }, access)
}

/** The read of the user who consented; null where that is the account itself. */
export function grantorRequest(type: NetworkType, access: Access): SocialRequest | null {
  const { grantor } = networks[type].accounts
  return grantor ? readRequest(grantor, grantor.query, access) : null
}
export const grantorOf = (body: unknown): string | null => text(objectIn(body).id, idMax)

/** The accounts of an answer; those without an id, or without the token that they must have, are left out. */
export function profilesOf(type: NetworkType, body: unknown): Profile[] {
  const { accountsIn, own_tokens } = networks[type].accounts
  return accountsIn(objectIn(body)).flatMap((one) => {
    const id = text(one.id, idMax)
    if (id === null) return []
    const username = text(one.username, 255)
    const access_token = own_tokens ? text(one.access_token, 4_096) : null
    if (own_tokens && access_token === null) return []
    return [
      {
        provider_account_id: id,
        name: text(one.name, 255) ?? username ?? id,
        username,
        granted_by: id,
        access_token,
      },
    ]
  })
}

/** The cursor of the next page of accounts; null on the last. */
export const nextPage = (type: NetworkType, body: unknown): string | null =>
  text(networks[type].accounts.nextPage?.(objectIn(body)), 1_024)
