// The ledger of the networks. A second send, or a second visible post, shows here.
import { type Arrival, digestOf, openLedger } from '../sim/ledger.ts'

/**
 * `fields`: of query and body, without the secret of the app; `visible`: it made a post or a comment visible, at
 * `visible_at`, whose id is `visible_id`, and whose text is `text`. `parent_id`: of a comment, the post or comment that
 * it answers. `owner`: the name of the account whose code or token the request has. Times in Unix seconds with
 * fractions.
 */
type OfNetworks = {
  host: string
  owner: string | null
  fields: Record<string, string>
  visible: boolean
  visible_at: number | null
  visible_id: string | null
  parent_id: string | null
  text: string | null
}
export type Entry = Arrival & OfNetworks

const { arrived: add, record, entries } = openLedger<OfNetworks>()

export { record }

const hidden = { visible: false, visible_at: null, visible_id: null, parent_id: null, text: null }

export function arrived(call: Pick<Entry, 'method' | 'host' | 'path' | 'owner' | 'fields'> & { body: Buffer }): Entry {
  const { method, host, path, owner, body } = call
  const { client_secret: _, ...fields } = call.fields
  const digest = digestOf(JSON.stringify(fields), body)
  return add({ method, path, digest }, { host, owner, fields, ...hidden })
}

type Filter = {
  host?: string | undefined
  path?: string | undefined
  owner?: string | undefined
  match?: string | undefined
  text?: string | undefined
}
export const ledger = ({ host, path, owner, match, text }: Filter): Entry[] =>
  entries(
    (entry) =>
      (host === undefined || entry.host === host) &&
      (path === undefined || entry.path.startsWith(path)) &&
      (owner === undefined || entry.owner === owner) &&
      (text === undefined || entry.text === text) &&
      (match === undefined || Object.values(entry.fields).some((value) => value === match)),
  )
