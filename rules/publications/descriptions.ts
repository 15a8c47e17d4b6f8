// What the workflows of publications are called in Temporal's UI, and which call resolves their unknown outcomes.
import { call, type DescribedRow, type Description, root, storeOf } from '../descriptions.ts'
import type { NetworkType } from '../social/networks/network-types.ts'

export type PublicationFacts = DescribedRow & { type: NetworkType; connection_id: string }

export function describePublication(publication: PublicationFacts): Description {
  const { id, type, connection_id } = publication
  const summary = `publication ${id} at ${type}, ${storeOf(publication)}`
  const at = `${root(publication)}/social-publications/${id}`
  const details = [
    `A ${summary}, on the connection \`${connection_id}\`: its parts are made ahead, and one call shows it.`,
    '**If it is `unknown`**, the network did not say whether the post is visible, and no read proves it. Read the network once more, as an admin of the store:',
    call(`POST ${at}/check`),
    'If it stays `unknown`, look for the post in the account, and record what you found, as an owner. The outcome is `published` or `failed`; after `failed` it can be scheduled again:',
    call(`POST ${at}/resolve`, { outcome: 'published or failed', note: 'what you found' }),
  ]
  return { summary, details: details.join('\n\n') }
}
