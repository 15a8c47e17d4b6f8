// Errors in Stripe's format: callers decide by status, type, code and param.

type Extra = { code?: string; param?: string; type?: string; stored?: boolean }

export class Refusal extends Error {
  readonly status: number
  readonly type: string
  readonly code: string | undefined
  readonly param: string | undefined
  /**
   * Stripe stores a response under its idempotency key only once the endpoint has begun: a refused parameter can be
   * corrected under the same key.
   */
  readonly stored: boolean
  constructor(status: number, message: string, extra: Extra = {}) {
    super(message)
    this.status = status
    this.type = extra.type ?? typeOf(status)
    this.code = extra.code
    this.param = extra.param
    this.stored = extra.stored ?? true
  }
}

export function typeOf(status: number): string {
  if (status >= 500) return 'api_error'
  return status === 402 ? 'card_error' : 'invalid_request_error'
}

export function errorBody(
  error: { type: string; message: string; code?: string | undefined; param?: string | undefined },
  request: string,
): string {
  const { type, message, code, param } = error
  const doc_url = code && `https://stripe.com/docs/error-codes/${code.replaceAll('_', '-')}`
  return JSON.stringify({
    error: {
      code,
      doc_url,
      message,
      param,
      request_log_url: `https://dashboard.stripe.com/test/logs/${request}`,
      type,
    },
  })
}

export const refused = (message: string, extra?: Extra) => new Refusal(400, message, extra)

export const invalid = (message: string, param: string, code?: string) =>
  new Refusal(400, message, { param, stored: false, ...(code && { code }) })

export const missing = (what: string, id: string, param: string, status = 404) =>
  new Refusal(status, `No such ${what}: '${id}'`, { code: 'resource_missing', param })
