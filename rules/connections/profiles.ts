// Who the account of a token is: the read that says it, and what its answer holds.
import type { NetworkType } from '../social/networks.ts'
import { type SocialRequest, versioned } from './requests.ts'

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
  return [...found].slice(0, max).join('')
}
const object = (value: unknown): Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? { ...value } : {}
const list = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value.map(object) : [])

export function profileRequest(
  type: NetworkType,
  token: string,
  version: string,
  after: string | null = null,
): SocialRequest {
  const get = (host: string, path: string, query: Record<string, string>): SocialRequest => ({
    ...{ method: 'GET', host, path: versioned(path, version), token },
    query: { ...query, ...(after === null ? {} : { after }) },
  })
  switch (type) {
    case 'network_a_page':
      return get('graph.facebook.com', '/{v}/me/accounts', { fields: 'id,name,username,access_token', limit: '100' })
    case 'network_b_business':
      return get('graph.instagram.com', '/{v}/me', { fields: 'user_id,username,name' })
    case 'network_c_channel':
      return get('www.googleapis.com', '/youtube/v3/channels', { part: 'snippet', mine: 'true' })
    case 'network_d_account':
      return get('api.x.com', '/2/users/me', {})
    case 'network_e_account':
      return get('graph.threads.net', '/v1.0/me', { fields: 'id,username,name' })
  }
}

/** The user behind a page's token: a second read of network a. */
export const grantorRequest = (token: string, version: string): SocialRequest => ({
  ...{ method: 'GET', host: 'graph.facebook.com', path: versioned('/{v}/me', version), query: { fields: 'id' }, token },
})
export const grantorOf = (body: unknown): string | null => text(object(body).id, idMax)

const accountsIn = (type: NetworkType, body: unknown): Record<string, unknown>[] => {
  const whole = object(body)
  if (type === 'network_a_page') return list(whole.data)
  if (type === 'network_c_channel')
    return list(whole.items).map(({ id, snippet }) => ({
      id,
      name: object(snippet).title,
      username: object(snippet).customUrl,
    }))
  return [type === 'network_d_account' ? object(whole.data) : whole]
}

/** The accounts of an answer; those without an id are left out. */
export function profilesOf(type: NetworkType, body: unknown): Profile[] {
  return accountsIn(type, body).flatMap((one) => {
    const id = text(one.user_id ?? one.id, idMax)
    if (id === null) return []
    const username = text(one.username, 255)
    const page = type === 'network_a_page' ? text(one.access_token, 4_096) : null
    if (type === 'network_a_page' && page === null) return []
    return [
      {
        provider_account_id: id,
        name: text(one.name, 255) ?? username ?? id,
        username,
        granted_by: id,
        access_token: page,
      },
    ]
  })
}

/** The cursor of the next page of a user's pages; null on the last. `paging.next` is not followed: it holds the token. */
export function nextPages(body: unknown): string | null {
  const paging = object(object(body).paging)
  return typeof paging.next === 'string' ? text(object(paging.cursors).after, 1_024) : null
}
