// What a person does about posts whose publication cannot be proved.
import { type EffectFacts, type ItemText, outcomeItem } from '../attention.ts'
import { root } from '../descriptions.ts'
import type { PublicationFacts } from './descriptions.ts'

/** `name`: of the account; null if it is gone. */
export type RevealItemFacts = EffectFacts & PublicationFacts & { publication_id: string; name: string | null }

export const revealItem = (row: RevealItemFacts): ItemText => {
  const at = `${root(row)}/social-publications/${row.publication_id}`
  return outcomeItem({
    row,
    whether: `a post of ${row.name ?? 'an account'} is visible at ${row.type}`,
    subject: { type: 'social_publication', id: row.publication_id, label: row.name },
    what_to_do: `Read the network once more (\`POST ${at}/check\`), which ends the item if the post is there. Otherwise look at the account, and record what you found: \`published\` or \`failed\`. After \`failed\` it can be scheduled again: record it only if the account does not show the post.`,
    ids: { publication_id: row.publication_id, social_connection_id: row.connection_id },
    process: 'publication',
    resolve: { path: `${at}/resolve`, role: 'owner', choices: ['published', 'failed'] },
  })
}
