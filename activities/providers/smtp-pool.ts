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

/** `changed` is called when a session is open or could not be opened. */
export function newPool(permits: Permits, first: Account, changed: () => void) {
  let account = first
  let opening = 0
  let isClosed = false
  /** Without a session that was opened, one is tried alone. */
  let proved = false
  let failed: Error | undefined
  let failedAt = 0
  const idle: Open[] = []
  const busy = new Map<SmtpSession, Open>()

  /** Its account has changed since. */
  const isOld = ({ server }: Open): boolean => JSON.stringify(server) !== JSON.stringify(account.server)

  function close(one: Open): void {
    if (one.session.isOpen()) one.session.quit()
    else one.session.close()
    one.release()
  }

  /** Sessions that the server closed, or that were idle for too long. */
  function sweep(): void {
    for (let at = idle.length - 1; at >= 0; at--) {
      const one = idle[at] as Open
      if (one.session.isOpen() && performance.now() - one.idleSince < idleMs) continue
      idle.splice(at, 1)
      close(one)
    }
  }
  const timer = setInterval(sweep, 1_000).unref()

  async function open(): Promise<void> {
    const { server, connect, owner } = account
    const release = await permits.acquire(owner)
    if (isClosed) return release()
    try {
      const endBy = performance.now() + openMs
      const session = await SmtpSession.open(server, connect, { firstByteBy: endBy, endBy })
      proved = true
      failed = undefined
      const one = { session, server, sent: 0, idleSince: performance.now(), release }
      if (isClosed || isOld(one)) close(one)
      else idle.push(one)
    } catch (error) {
      release()
      failed = error as Error
      failedAt = performance.now()
    }
  }

  return {
    use(next: Account): void {
      const before = account
      account = next
      if (JSON.stringify(before.server) === JSON.stringify(next.server)) return
      for (const one of idle.splice(0)) close(one)
    },
    idle(): number {
      sweep()
      return idle.length
    },
    /** Opens sessions until `count` are open or being opened. */
    want(count: number): void {
      const most = Math.min(count, account.connections, proved ? Number.POSITIVE_INFINITY : 1)
      // After a failure, a pool that still has sessions continues with those for a while.
      if (failed && idle.length + busy.size > 0 && performance.now() - failedAt > againMs) failed = undefined
      while (!isClosed && !failed && idle.length + busy.size + opening < most) {
        opening++
        void open().finally(() => {
          opening--
          changed()
        })
      }
    },
    /** An idle session. To be called only if there is one. */
    take(): SmtpSession {
      const one = idle.pop() as Open
      busy.set(one.session, one)
      return one.session
    },
    /** After a message, or without one. */
    giveBack(session: SmtpSession, sent: boolean): void {
      const one = busy.get(session)
      if (!one) return
      busy.delete(session)
      if (sent) one.sent++
      one.idleSince = performance.now()
      if (
        isClosed ||
        !session.isOpen() ||
        one.sent >= account.messages_per_connection ||
        permits.isScarce() ||
        isOld(one)
      )
        close(one)
      else idle.push(one)
    },
    /** Why no session can be opened, while none is open. */
    error: (): Error | undefined => (idle.length + busy.size + opening === 0 ? failed : undefined),
    close(): void {
      isClosed = true
      clearInterval(timer)
      for (const one of idle.splice(0)) close(one)
    },
  }
}
/** The server refuses the credentials: another attempt would have the same result. */
export const refusesCredentials = (error: unknown): boolean =>
  error instanceof SmtpError && error.stage === 'auth' && (error.reply?.code ?? 0) >= 500
