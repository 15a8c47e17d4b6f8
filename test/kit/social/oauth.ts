// An authorization server in a process of its own, which accepts the codes that a test gives it.
//   const oauth = await startOauth(dir)
//   await shop.asOperator('POST', '/integrations', { key, provider: oauth.client })
//   await shop.asOperator('POST', '/oauth/connect', { provider: 'calendar', ...(await oauth.code()) })
import path from 'node:path'
import { script } from '../../../dev/parts.ts'
import { freePort } from '../../../dev/ports.ts'
import { unique } from '../shop.ts'

type Request = { path: string; fields: Record<string, string>; status: number; tokens: string[] }

export async function startOauth(dir: string) {
  const port = await freePort()
  const env = { ...process.env, OAUTH_PORT: String(port), OAUTH_CLIENT: 'our-client:our-secret' }
  const child = script('dev/oauth.ts', [], { name: 'oauth', env, log: path.join(dir, 'oauth.log') })
  await child.said(/listening/)
  const url = `http://127.0.0.1:${port}`
  const control = async (at: string, body?: unknown) =>
    (await fetch(`${url}/_sim/${at}`, body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) })).json()
  return {
    /** The provider of an integration. */
    client: { type: 'identity_oauth', client_id: 'our-client', client_secret: 'our-secret', base_url: url },
    /** A code that it accepts once, as it is sent to `oauth/connect`. */
    async code(more: { challenge?: string; refresh?: boolean } = {}) {
      const given = { code: `code-${unique()}`, redirect_uri: 'https://app.example/return' }
      await control('codes', { ...given, ...more })
      return given
    },
    /** A code of the test's own. */
    accept: ({ code, redirect_uri }: { code: string; redirect_uri: string }) =>
      control('codes', { code, redirect_uri }),
    fault: (fault: { path: string; answer?: object; reset?: true }) => control('faults', fault),
    ledger: (): Promise<{ requests: Request[]; revoked: string[] }> => control('ledger') as never,
    stop: () => child.stop(),
  }
}
