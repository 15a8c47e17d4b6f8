// Connects accounts of a network: sends the code of a consent once, and then reads, as often as it takes, which
// accounts it names.
import { unixNow } from '../../adapters/clock.ts'
import { config } from '../../config.ts'
import {
  dropAuthorization,
  finishAuthorization,
  socialConnectEffect,
} from '../../entities/connections/authorizations.ts'
import { SocialAuthorization } from '../../entities/connections/social-authorization.ts'
import { anyTenant, unitOf } from '../../entities/kit/database/orm.ts'
import { encrypt } from '../../entities/kit/encrypted.ts'
import { type Tokens, tokensOf } from '../../rules/automation/oauth.ts'
import {
  grantorOf,
  grantorRequest,
  nextPage,
  type Profile,
  profileRequest,
  profilesOf,
} from '../../rules/connections/profiles.ts'
import { exchangeRequest, extendRequest, type Grant } from '../../rules/connections/requests.ts'
import type { NetworkType } from '../../rules/social/networks/network-types.ts'
import { database, statement, transaction } from '../kit/database.ts'
import { NeverSent, once } from '../kit/once.ts'
import { readSocial, sendSocial } from '../providers/social/client.ts'
import { appOf } from './apps.ts'

type Request = Grant & { type: NetworkType }

export const sendSocialConnect = once({
  row: socialConnectEffect,
  async prepare(id): Promise<Request> {
    const em = unitOf(await database(), null)
    const { type, code, code_verifier, redirect_uri } = await em.findOneOrFail(SocialAuthorization, { id }, anyTenant)
    if (typeof code !== 'string')
      throw new NeverSent({ code: 'no_code', message: 'The network has not sent the browser back.' })
    return { type, code, code_verifier: (code_verifier as string | null | undefined) ?? null, redirect_uri }
  },
  // The app's secret is frozen nowhere.
  unlock: async ({ type, ...grant }: Request) => exchangeRequest(type, grant, appOf(type), config.social.graphVersion),
  async send(request, sending) {
    const { verdict, answer } = await sendSocial(request, sending, (body) => tokensOf(body) !== null)
    if (verdict.kind !== 'succeeded') return verdict
    return { ...verdict, columns: { tokens: encrypt(JSON.stringify(tokensOf(answer?.body))) } }
  },
})

/** The most pages of accounts that are read: cursors may lead in a circle. */
const pagesMax = 20

async function accountsOf(type: NetworkType, token: string): Promise<Profile[]> {
  const access = { token, version: config.social.graphVersion }
  const found = new Map<string, Profile>()
  let after: string | null = null
  for (let pages = 0; pages < pagesMax; pages++) {
    const page = await readSocial(profileRequest(type, access, after))
    for (const profile of profilesOf(type, page)) found.set(profile.provider_account_id, profile)
    after = nextPage(type, page)
    if (after === null) break
  }
  const accounts = [...found.values()]
  const grantor = grantorRequest(type, access)
  if (!grantor) return accounts
  const user = grantorOf(await readSocial(grantor))
  return accounts.map((page) => ({ ...page, granted_by: user ?? page.granted_by }))
}

/**
 * Trades the short token of the exchange for a long one, where the network has two, and connects the accounts.
 * Idempotent.
 */
export async function readSocialAccounts(id: string): Promise<void> {
  const row = await statement((em) => em.findOneOrFail(SocialAuthorization, { id }, anyTenant))
  if (typeof row.tokens !== 'string') return
  const { type } = row
  const shortLived = JSON.parse(row.tokens) as Tokens
  const trade = extendRequest(type, shortLived.access_token, appOf(type), config.social.graphVersion)
  const longer = trade && tokensOf(await readSocial(trade))
  if (trade && !longer) throw new Error('the network answered a read without a token')
  const tokens = longer ? { ...shortLived, ...longer, scopes: longer.scopes ?? shortLived.scopes } : shortLived
  const accounts = await accountsOf(type, tokens.access_token)
  await transaction((em) => finishAuthorization(em, id, tokens, accounts, unixNow()))
}

/** After the last attempt to read. */
export const dropSocialAccounts = async (id: string): Promise<void> => {
  await transaction((em) => dropAuthorization(em, id))
}
