// What a person does about posts whose publication cannot be proved.
import { type EffectFacts, type ItemText, mending, outcomeItem } from '../attention.ts'
import { root } from '../descriptions.ts'
import { shortened } from '../excerpts.ts'
import { isolated } from '../isolated.ts'
import { networks } from '../social/networks/networks.ts'
import type { PublicationFacts } from './descriptions.ts'

/** `name`: of the account; null if it is gone. */
export type RevealItemFacts = EffectFacts &
  PublicationFacts & { publication_id: string; name: string | null; caption: string | null }

const captionMax = 60
/** The beginning of what a post says, in quotation marks. */
function quoted(caption: string | null): string {
  const line = caption?.replaceAll(/\s+/g, ' ').trim()
  if (!line) return ''
  return ` “${isolated(shortened(line, captionMax))}”`
}

export const revealItem = (row: RevealItemFacts): ItemText => {
  const at = `/social-publications/${row.publication_id}`
  return outcomeItem({
    row,
    whether: `the post${quoted(row.caption)} of ${isolated(row.name ?? 'an account')} is visible at ${networks[row.type].name}`,
    subject: { type: 'social_publication', id: row.publication_id, label: row.name },
    what_to_do:
      'Have the network read once more, which ends the item if the post is there. Otherwise look at the account, and record what you found. If you record that it was not published, it can be scheduled again: do so only if the account does not show the post.',
    mend: mending(row, 'POST', `${at}/check`),
    ids: { publication_id: row.publication_id, social_connection_id: row.connection_id },
    effect: 'social_reveal',
    resolve: { path: `${root(row)}${at}/resolve`, role: 'owner', choices: ['published', 'failed'] },
  })
}
