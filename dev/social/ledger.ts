// The ledger: every request that arrived at a network, and what it did. A second send, or a second visible post, shows
// here.
import { createHash } from 'node:crypto'
import { part } from '../sim/journal.ts'

/**
 * `fields`: of query and body, without the secret of the app; `effect`: it changed something; `visible`: it made a post
 * or a comment visible, at `visible_at`, whose id is `visible_id`, and whose text is `text`. `parent_id`: of a comment,
 * the post or comment that it answers. `owner`: the name of the account whose code or token the request has. Times in
 * Unix seconds with fractions.
 */
export type Entry = {
  id: number
  time: number
  method: string
  host: string
  path: string
  owner: string | null
  fields: Record<string, string>
  digest: string
  effect: boolean
  visible: boolean
  visible_at: number | null
  visible_id: string | null
  parent_id: string | null
  text: string | null
  fault: string | null
  status: number | null
}

const entries: Entry[] = []
const journal = part<Entry>('ledger', (entry) => {
  entries[entry.id] = entry
})

export function arrived(
  call: Pick<Entry, 'method' | 'host' | 'path' | 'owner'> & { fields: Record<string, string>; body: Buffer },
): Entry {
  const { method, host, path, owner, body } = call
  const { client_secret: _, ...fields } = call.fields
  const digest = createHash('sha256').update(JSON.stringify(fields)).update(body).digest('hex')
  const entry: Entry = {
    id: entries.length,
    time: Date.now() / 1000,
    method,
    host,
    path,
    owner,
    fields,
    digest,
    effect: false,
    visible: false,
    visible_at: null,
    visible_id: null,
    parent_id: null,
    text: null,
    fault: null,
    status: null,
  }
  entries.push(entry)
  return entry
}

/** Written before the response, and again when more is known. The last line of an id counts. */
export const record = (entry: Entry) => journal({ ...entry })

type Filter = {
  host?: string | undefined
  path?: string | undefined
  owner?: string | undefined
  match?: string | undefined
}
export const ledger = ({ host, path, owner, match }: Filter): Entry[] =>
  entries.filter(
    (entry) =>
      (host === undefined || entry.host === host) &&
      (path === undefined || entry.path.startsWith(path)) &&
      (owner === undefined || entry.owner === owner) &&
      (match === undefined || Object.values(entry.fields).some((value) => value === match)),
  )
