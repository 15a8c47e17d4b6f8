// What an error of the database says about it: that it cannot be reached, or that the transaction can be repeated.

/** The state that PostgreSQL gave (SQLSTATE), or the code of the system's error; undefined for other errors. */
export const sqlState = (error: unknown): string | undefined => {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const { code } = at as { code?: unknown }
    if (typeof code === 'string') return code
  }
  return undefined
}

const unreachable = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  '57P01',
  '57P02',
  '57P03',
  '53300',
  '08006',
  '08001',
  '08003',
])
const outage =
  /timeout exceeded when trying to connect|Connection terminated|terminating connection|Client has encountered a connection error|Cannot use a pool after/i

/** Whether the database cannot be reached, or ended the connection. */
export function databaseIsAway(error: unknown): boolean {
  const text =
    error instanceof Error ? `${error.message} ${error.cause instanceof Error ? error.cause.message : ''}` : ''
  return unreachable.has(sqlState(error) ?? '') || outage.test(text)
}

/** Serialization failure, deadlock or lock timeout: the transaction was rolled back and can be retried. */
export const isContention = (error: unknown): boolean => ['40001', '40P01', '55P03'].includes(sqlState(error) ?? '')
