// The open sessions of one mailbox. All pools of a process share its connections, in turns of the accounts and their
// tenants.
import { newTurns, type Owner } from '../../rules/fair-queue.ts'
import { type Connect, SmtpError, type SmtpServer, SmtpSession } from './smtp.ts'

const openMs = 30_000
/** A session without a message for so long is closed. */
const idleMs = 5_000
const againMs = 2_000

/**
 * `count` permits, `each` of one account at most. `acquire` resolves when the tenant has its turn; the result releases
 * it.
 */
export function newPermits(count: number, each = count) {
  let free = count
  const held = new Map<string, number>()
  const of = (account: string) => held.get(account) ?? 0
  const turns = newTurns<() => void>()
  const next = () => {
    if (free === 0) return
    const grant = turns.next((account) => of(account) < each)
    if (!grant) return
    free--
    grant()
  }
  return {
    async acquire(owner: Owner): Promise<() => void> {
      const { promise, resolve } = Promise.withResolvers<void>()
      turns.add(owner, () => {
        held.set(owner.account, of(owner.account) + 1)
        resolve()
      })
      next()
      await promise
      let isHeld = true
      return () => {
        if (!isHeld) return
        isHeld = false
        free++
        if (of(owner.account) > 1) held.set(owner.account, of(owner.account) - 1)
        else held.delete(owner.account)
        next()
      }
    },
    /** Others wait for a permit. */
    isScarce: () => turns.waiting() > 0,
  }
}
type Permits = ReturnType<typeof newPermits>

export type Account = {
  server: SmtpServer
  connect: Connect
  owner: Owner
  connections: number
  messages_per_connection: number
}
type Open = { session: SmtpSession; server: SmtpServer; sent: number; idleSince: number; release: () => void }

type Pool = {
  account: Account
  readonly permits: Permits
  readonly idle: Open[]
  readonly busy: Map<SmtpSession, Open>
  opening: number
  isClosed: boolean
  /** Without a session that was opened, one is tried alone. */
  proved: boolean
  /** Why the latest session could not be opened, and when, by performance.now(). */
  failure: { error: Error; at: number } | null
}

const openedBy = ({ idle, busy }: Pool) => idle.length + busy.size

const isSame = (one: SmtpServer, other: SmtpServer) => JSON.stringify(one) === JSON.stringify(other)

function close({ session, release }: Open): void {
  if (session.isOpen()) session.quit()
  else session.close()
  release()
}

function closeIdle({ idle }: Pool): void {
  for (const one of idle.splice(0)) close(one)
}

/** Closes sessions that the server closed, or that were idle for too long. */
function sweep({ idle }: Pool): void {
  for (let at = idle.length - 1; at >= 0; at--) {
    const one = idle[at] as Open
    if (one.session.isOpen() && performance.now() - one.idleSince < idleMs) continue
    idle.splice(at, 1)
    close(one)
  }
}

/** Opens one session when the account has its turn. A pool that was closed, or whose account changed, keeps none. */
async function open(pool: Pool): Promise<void> {
  const { server, connect, owner } = pool.account
  const release = await pool.permits.acquire(owner)
  if (pool.isClosed) return release()
  try {
    const endBy = performance.now() + openMs
    const session = await SmtpSession.open(server, connect, { firstByteBy: endBy, endBy })
    pool.proved = true
    pool.failure = null
    const one = { session, server, sent: 0, idleSince: performance.now(), release }
    if (pool.isClosed || !isSame(server, pool.account.server)) close(one)
    else pool.idle.push(one)
  } catch (error) {
    release()
    pool.failure = { error: error as Error, at: performance.now() }
  }
}

/** Opens sessions until `count` are open or being opened. */
function openUpTo(pool: Pool, count: number, changed: () => void): void {
  const most = Math.min(count, pool.account.connections, pool.proved ? Number.POSITIVE_INFINITY : 1)
  // After a failure, a pool that still has sessions continues with those for a while.
  if (pool.failure && openedBy(pool) > 0 && performance.now() - pool.failure.at > againMs) pool.failure = null
  while (!pool.isClosed && !pool.failure && openedBy(pool) + pool.opening < most) {
    pool.opening++
    void open(pool).finally(() => {
      pool.opening--
      changed()
    })
  }
}

function giveBack(pool: Pool, session: SmtpSession, sent: boolean): void {
  const one = pool.busy.get(session)
  if (!one) return
  pool.busy.delete(session)
  if (sent) one.sent++
  one.idleSince = performance.now()
  const { account } = pool
  const isUsedUp = !session.isOpen() || one.sent >= account.messages_per_connection
  if (pool.isClosed || isUsedUp || pool.permits.isScarce() || !isSame(one.server, account.server)) close(one)
  else pool.idle.push(one)
}

/** `changed` is called when a session is open or could not be opened. */
export function newPool(permits: Permits, account: Account, changed: () => void) {
  const pool: Pool = {
    account,
    permits,
    idle: [],
    busy: new Map(),
    opening: 0,
    isClosed: false,
    proved: false,
    failure: null,
  }
  const timer = setInterval(sweep, 1_000, pool).unref()
  return {
    use(next: Account): void {
      const before = pool.account
      pool.account = next
      if (!isSame(before.server, next.server)) closeIdle(pool)
    },
    idle(): number {
      sweep(pool)
      return pool.idle.length
    },
    want: (count: number) => openUpTo(pool, count, changed),
    /** An idle session. To be called only if there is one. */
    take(): SmtpSession {
      const one = pool.idle.pop() as Open
      pool.busy.set(one.session, one)
      return one.session
    },
    /** After a message, or without one. */
    giveBack: (session: SmtpSession, sent: boolean) => giveBack(pool, session, sent),
    /** Why no session can be opened, while none is open. */
    error: (): Error | undefined => (openedBy(pool) + pool.opening === 0 ? pool.failure?.error : undefined),
    close(): void {
      pool.isClosed = true
      clearInterval(timer)
      closeIdle(pool)
    },
  }
}
/** The server refuses the credentials: another attempt would have the same result. */
export const refusesCredentials = (error: unknown): boolean =>
  error instanceof SmtpError && error.stage === 'auth' && (error.reply?.code ?? 0) >= 500
