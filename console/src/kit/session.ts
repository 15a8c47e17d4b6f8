// Who is signed in. The refresh token is a cookie that scripts cannot read; the access token is in memory, and tabs
// share it.
import { ApiProblem, client, type Session } from '../../../client/client.ts'
import { messageOf, SignedOut } from './answers.ts'

type Pair = { token: string; id: string }
export type SessionState =
  | { phase: 'starting' | 'unreachable' }
  /** `isOpen`: the server did not answer, so the session may go on there. */
  | { phase: 'signed-out'; isOpen?: boolean }
  /** The API does not serve sessions under this address. */
  | { phase: 'misplaced'; detail: string }
  /** `expired`: what was typed stays, and requests wait until the operator signs in over the page. */
  | ({ phase: 'signed-in' | 'expired' } & Pair)

let state: SessionState = { phase: 'starting' }
let accountId: string | undefined
const listeners = new Set<() => void>()
function become(next: SessionState): void {
  state = next
  for (const listen of [...listeners]) listen()
}
export const session = {
  read: () => state,
  subscribe(listen: () => void) {
    listeners.add(listen)
    return () => void listeners.delete(listen)
  },
  /** Whose data is on the page. An earlier session of the tab may have ended without a sign-out. */
  belongsTo(id: string) {
    accountId = id
    forgetDrafts(session.draftKey(''))
  },
  /** Under which the storage of the tab keeps what this account has typed at a place. */
  draftKey: (place: string) => `${drafts}${accountId} ${place}`,
}

const drafts = 'draft '
/** Nothing that was typed is left to the next account of the tab. `own`: what the keys of its own begin with. */
function forgetDrafts(own?: string): void {
  for (const key of Object.keys(sessionStorage))
    if (key.startsWith(drafts) && !(own && key.startsWith(own))) sessionStorage.removeItem(key)
}

function leave(): void {
  become({ phase: 'signed-out' })
  forgetDrafts()
}

// Without the wrapper that signs requests: these calls make the credential. They carry the cookie.
const call = client({ base: '', fetch: (input, init) => fetch(input, { ...init, credentials: 'same-origin' }) })
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

// A refresh replaces the access token of the session, so a tab gives the new one to the others.
type Message = { type: 'ask' } | { type: 'signed-out' } | ({ type: 'pair' } & Pair)
const tabs = new BroadcastChannel('tillwright-session')
const tell = (message: Message) => tabs.postMessage(message)
tabs.onmessage = ({ data }: MessageEvent<Message>) => {
  if (data.type === 'ask' && state.phase === 'signed-in') tell({ type: 'pair', token: state.token, id: state.id })
  if (data.type === 'pair') void take({ token: data.token, id: data.id }).catch(() => {})
  if (data.type === 'signed-out' && state.phase !== 'signed-out') leave()
}

/** What is on the page belongs to one account: for another one the page is loaded again. */
async function take(pair: Pair): Promise<void> {
  const isOther = !('id' in state) || state.id !== pair.id
  // Before the page is loaded again, which would show the sign-in otherwise.
  mark(true)
  if (isOther && accountId !== undefined) {
    const account = await call('GET /v1/accounts/me', { headers: bearer(pair.token) })
    if (account.id !== accountId) {
      leave()
      return location.reload()
    }
  }
  become({ phase: 'signed-in', ...pair })
}

async function takeOwn({ access_token, id }: Session): Promise<void> {
  await take({ token: access_token, id })
  tell({ type: 'pair', token: access_token, id })
}

// Whether there may be a session: the cookie itself cannot be seen. It spares a first visitor a refused request. A page
// of our own that leads here may have signed in.
const markKey = 'signed-in'
const mark = (isIn: boolean) => (isIn ? localStorage.setItem(markKey, 'yes') : localStorage.removeItem(markKey))

/** A moment for another tab to answer. */
const fromOtherTab = () =>
  new Promise<void>((done) => {
    const timer = setTimeout(finish, 100)
    const stop = session.subscribe(() => state.phase === 'signed-in' && finish())
    function finish() {
      clearTimeout(timer)
      stop()
      done()
    }
    tell({ type: 'ask' })
  })

async function exchange(): Promise<void> {
  const before = 'token' in state ? state.token : undefined
  const work = async () => {
    // Another tab was faster.
    if (state.phase === 'signed-in' && state.token !== before) return
    try {
      const renewed = await call('POST /v1/auth/refresh', { body: {} })
      if (state.phase !== 'signed-out') await takeOwn(renewed)
    } catch (error) {
      if (!(error instanceof ApiProblem && error.status === 401)) throw error
      become('id' in state ? { ...state, phase: 'expired' } : { phase: 'signed-out' })
      mark(false)
    }
  }
  // Locks exist in secure contexts only; the API answers two refreshes within seconds with the same pair anyway.
  if (navigator.locks) await navigator.locks.request('tillwright-refresh', work)
  else await work()
}

let refreshing: Promise<void> | undefined
function refresh(): Promise<void> {
  refreshing ??= exchange().finally(() => {
    refreshing = undefined
  })
  return refreshing
}

/** Takes the session of another tab or of the cookie. */
export async function startSession(): Promise<void> {
  become({ phase: 'starting' })
  await fromOtherTab()
  if (state.phase === 'signed-in') return
  const isLed = document.referrer.startsWith(`${location.origin}/`)
  if (localStorage.getItem(markKey) === null && !isLed) become({ phase: 'signed-out' })
  else
    await refresh().catch((error) => {
      const isForeign = error instanceof ApiProblem && error.code === 'foreign_origin'
      become(isForeign ? { phase: 'misplaced', detail: messageOf(error) } : { phase: 'unreachable' })
    })
}

/** Rejects when the operator signs out: a request that was given up must not be sent by the next sign-in. */
const signedIn = (signal: AbortSignal | undefined | null) =>
  new Promise<void>((done, fail) => {
    const look = () => {
      if (state.phase === 'signed-in') settle(done)
      else if (state.phase === 'signed-out') settle(() => fail(new SignedOut('You have signed out. Nothing was sent.')))
    }
    const stop = session.subscribe(look)
    const abort = () => settle(() => fail(signal?.reason))
    function settle(end: () => void) {
      stop()
      signal?.removeEventListener('abort', abort)
      end()
    }
    signal?.addEventListener('abort', abort)
    if (signal?.aborted) abort()
    else look()
  })

/** The access token; a new one if it was `refused`. Waits while the session is over. */
export async function accessToken(refused?: string, signal?: AbortSignal | null): Promise<string> {
  if (state.phase === 'signed-in' && state.token === refused) await refresh()
  if (state.phase !== 'signed-in') await signedIn(signal)
  return 'token' in state ? state.token : ''
}

export const askCode = (email: string) => call('POST /v1/auth/code', { body: { email } })

let ending: Promise<void> | undefined

/** Throws an ApiProblem for a wrong code. */
export async function signIn(proof: { challenge_id: string; code: string }): Promise<void> {
  // The answer of a logout deletes the cookie, also one that is newer.
  await ending
  await takeOwn(await call('POST /v1/auth/verify', { body: { ...proof, cookie: true } }))
}

/** The page forgets the session at once; the server revokes it, and the page says whether that succeeded. */
export function signOut(): Promise<void> {
  mark(false)
  tell({ type: 'signed-out' })
  leave()
  ending = call('POST /v1/auth/logout', { body: {}, signal: AbortSignal.timeout(10_000) }).then(
    () => {},
    () => void (state.phase === 'signed-out' && become({ phase: 'signed-out', isOpen: true })),
  )
  return ending
}
