// A session ends at once, leaves nothing to the next account of the tab, and sends nothing that was given up.
import { beforeEach, expect, test } from '@jest/globals'

class Storage {
  [key: string]: unknown
  getItem(key: string) {
    return Object.hasOwn(this, key) ? (this[key] as string) : null
  }
  setItem(key: string, value: string) {
    this[key] = value
  }
  removeItem(key: string) {
    delete this[key]
  }
}

type Answer = { status: number; body: object } | 'lost'
let answers: Record<string, Answer> = {}
let posted: unknown[] = []
let sessionStorage = new Storage()
let localStorage = new Storage()
/** What the storage of the tab had at each time that the page was loaded again. */
let reloads: string[][] = []

beforeEach(() => {
  sessionStorage = new Storage()
  localStorage = new Storage()
  localStorage.setItem('signed-in', 'yes')
  posted = []
  reloads = []
  answers = {
    'POST /v1/auth/refresh': { status: 200, body: { access_token: 'till_at_1', id: 's1' } },
    'POST /v1/auth/logout': { status: 200, body: { success: true } },
  }
  const page = {
    sessionStorage,
    localStorage,
    document: { referrer: '' },
    location: {
      origin: 'https://shop.example',
      reload: () => void reloads.push(Object.keys(sessionStorage)),
    },
    BroadcastChannel: class {
      postMessage = (message: unknown) => void posted.push(message)
    },
    async fetch(input: string, { method = 'GET' } = {}) {
      const answer = answers[`${method} ${input}`]
      if (!answer || answer === 'lost') throw new TypeError('connection reset')
      return new Response(JSON.stringify(answer.body), { status: answer.status })
    },
    navigator: {},
  }
  for (const [name, value] of Object.entries(page))
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true })
})

type Session = {
  session: { read(): { phase: string }; belongsTo(id: string): void; draftKey(place: string): string }
  startSession(): Promise<void>
  signIn(proof: { challenge_id: string; code: string }): Promise<void>
  signOut(): Promise<void>
  accessToken(refused?: string): Promise<string>
}
let tabs = 0
/** The module of another tab, signed in by its cookie. */
async function signedIn(): Promise<Session> {
  const made: Session = await import(`../../console/src/kit/session.ts?tab=${++tabs}`)
  await made.startSession()
  made.session.belongsTo('account-1')
  return made
}

const refused = { status: 401, body: { code: 'unauthorized' } }

test('A request that waits for a sign-in is given up when the operator signs out', async () => {
  const { accessToken, session, signOut } = await signedIn()
  answers['POST /v1/auth/refresh'] = refused
  const waiting = accessToken('till_at_1').then(
    () => 'sent',
    (error: Error) => error.name,
  )
  while (session.read().phase !== 'expired') await new Promise(setImmediate)
  await signOut()
  expect([await waiting, await accessToken().catch((error: Error) => error.name)]).toEqual(['SignedOut', 'SignedOut'])
})

test('Signing out forgets the token at once, and says so if the server was not reached', async () => {
  const { session, signOut } = await signedIn()
  sessionStorage.setItem(session.draftKey('a form'), '{}')
  sessionStorage.setItem('other', 'stays')
  answers['POST /v1/auth/logout'] = 'lost'
  const ended = signOut()
  expect([session.read(), localStorage.getItem('signed-in'), Object.keys(sessionStorage)]).toEqual([
    { phase: 'signed-out' },
    null,
    ['other'],
  ])
  expect(posted).toContainEqual({ type: 'signed-out' })
  await ended
  expect(session.read()).toEqual({ phase: 'signed-out', isOpen: true })
  answers['POST /v1/auth/logout'] = { status: 200, body: { success: true } }
  await signOut()
  expect(session.read()).toEqual({ phase: 'signed-out' })
})

test('A refresh that ends after the operator has signed out signs nobody in', async () => {
  const { accessToken, session, signOut } = await signedIn()
  const renewed = accessToken('till_at_1').catch((error: Error) => error.name)
  await signOut()
  expect([await renewed, session.read().phase]).toEqual(['SignedOut', 'signed-out'])
})

test('An address that the API does not serve sessions under is said, not called unreachable', async () => {
  const detail =
    'The cookie of a session is used by pages of https://shop.example alone. Programs send `refresh_token`.'
  answers['POST /v1/auth/refresh'] = { status: 403, body: { code: 'foreign_origin', detail } }
  const { session } = await signedIn()
  expect(session.read()).toEqual({ phase: 'misplaced', detail: detail.replaceAll('`', '') })
  answers['POST /v1/auth/refresh'] = 'lost'
  expect((await signedIn()).session.read()).toEqual({ phase: 'unreachable' })
})

test('An account that signs in after the session of another one expired finds no drafts of it', async () => {
  const { accessToken, session, signIn } = await signedIn()
  sessionStorage.setItem(session.draftKey('a form'), '{}')
  sessionStorage.setItem('other', 'stays')
  answers['POST /v1/auth/refresh'] = refused
  const waiting = accessToken('till_at_1').catch((error: Error) => error.name)
  while (session.read().phase !== 'expired') await new Promise(setImmediate)
  expect(Object.keys(sessionStorage)).toHaveLength(2)
  answers['POST /v1/auth/verify'] = { status: 200, body: { access_token: 'till_at_2', id: 's2' } }
  answers['GET /v1/accounts/me'] = { status: 200, body: { id: 'account-2' } }
  await signIn({ challenge_id: 'c', code: '123456' })
  expect([reloads, await waiting]).toEqual([[['other']], 'SignedOut'])
})

test('Drafts stay for the account that signs in again, and are forgotten for another one', async () => {
  const { session } = await signedIn()
  const own = session.draftKey('a form')
  sessionStorage.setItem(own, '{}')
  sessionStorage.setItem('other', 'stays')
  // The session ended, and the tab was loaded again.
  const again = await signedIn()
  expect(Object.keys(sessionStorage).sort()).toEqual([own, 'other'].sort())
  again.session.belongsTo('account-2')
  expect(Object.keys(sessionStorage)).toEqual(['other'])
})

test('Drafts of two accounts have different places', async () => {
  const { session } = await signedIn()
  const first = session.draftKey('a form')
  session.belongsTo('account-2')
  expect(session.draftKey('a form')).not.toBe(first)
})
