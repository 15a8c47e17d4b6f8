// What the simulated networks know: accounts, consents, tokens and their families. All of it is in the journal.
import { createHash, randomBytes } from 'node:crypto'
import type { NetworkType, networkLetters } from '../../rules/social/networks/network-types.ts'
import { part } from '../sim/journal.ts'

/** The letter of a network. */
export type Letter = Lowercase<(typeof networkLetters)[NetworkType]>

/** `pages`: empty where the accounts of the network own none. */
export type Account = {
  network: Letter
  id: string
  name: string
  username: string
  pages: { id: string; name: string; username: string }[]
}
export type Code = {
  code: string
  network: Letter
  account: string
  redirect_uri: string
  challenge: string | null
  used: boolean
  family: string
}
/** `kind` short: an hour, before it is traded. `page`: of the page that it belongs to. Expires in Unix seconds. */
export type Token = {
  token: string
  kind: 'access' | 'short' | 'refresh'
  network: Letter
  account: string
  family: string
  page: string | null
  expires_at: number | null
  used: boolean
}

/** `groupOf`: what rows are looked up by besides their key; it never changes. */
export const keyed = <T>(name: string, keyOf: (one: T) => string, groupOf?: (one: T) => string) => {
  const all = new Map<string, T>()
  const groups = new Map<string, Set<string>>()
  const keep = (one: T) => {
    const key = keyOf(one)
    if (groupOf && !all.has(key)) groups.set(groupOf(one), (groups.get(groupOf(one)) ?? new Set()).add(key))
    all.set(key, one)
  }
  const write = part<T>(name, keep)
  return {
    get: (key: string) => all.get(key),
    all: () => [...all.values()],
    group: (of: string): T[] => [...(groups.get(of) ?? [])].map((key) => all.get(key) as T),
    save(one: T): T {
      keep(one)
      write(structuredClone(one))
      return one
    },
  }
}

export const accounts = keyed<Account>('account', ({ network, id }) => `${network} ${id}`)
export const codes = keyed<Code>('code', ({ code }) => code)
export const tokens = keyed<Token>('token', ({ token }) => token)
const revoked = keyed<{ family: string; why: string }>('revoked', ({ family }) => family)

export const revoke = (family: string, why: string) => revoked.save({ family, why })
export const isRevoked = (family: string): boolean => revoked.get(family) !== undefined
export const revocations = () => revoked.all()

export const now = (): number => Date.now() / 1000
/** Recognisable, so that the scan of a run's logs and rows finds one that leaked. */
export const secret = (kind: 'at' | 'rt' | 'code'): string =>
  `till_sim_${kind}_${randomBytes(24).toString('base64url')}`

const digits = (text: string): string =>
  BigInt(`0x${createHash('sha256').update(text).digest('hex').slice(0, 14)}`).toString()

/** What the accounts of a network have. */
type OfNetwork = { letter: Letter; accountId?(name: string): string; pages?: true }

/** The account of this name; made at the first use. `pages`: how many it owns at least. */
export function accountNamed({ letter, accountId, pages: owns }: OfNetwork, name: string, pages = 1): Account {
  const id = accountId?.(name) ?? digits(`${letter} ${name}`)
  const found = accounts.get(`${letter} ${id}`)
  if (found && found.pages.length >= pages) return found
  const page = (_: unknown, n: number) => ({
    id: digits(`page ${name} ${n}`),
    name: n === 0 ? name : `${name} ${n + 1}`,
    username: `${name}${n + 1}`,
  })
  return accounts.save({
    network: letter,
    id,
    name,
    username: name.toLowerCase().replaceAll(/\W/g, ''),
    pages: owns ? Array.from({ length: pages }, page) : [],
  })
}

export const newToken = (given: Omit<Token, 'token' | 'used'>): Token =>
  tokens.save({ ...given, token: secret(given.kind === 'refresh' ? 'rt' : 'at'), used: false })
