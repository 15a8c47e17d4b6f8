// What a person does about replies to comments and questions to a model about them that cannot be proved.
import { type EffectFacts, type ItemText, outcomeItem, recorded } from '../attention.ts'
import { root } from '../descriptions.ts'
import type { ReplyFacts } from './descriptions.ts'

export const socialReplyItem = (row: EffectFacts & ReplyFacts): ItemText => {
  const comment = `${root(row)}/social-publications/${row.publication_id}/comments/${row.comment_id}`
  return outcomeItem({
    row,
    whether: `a reply to a comment is visible at ${row.type}`,
    subject: { type: 'social_publication', id: row.publication_id, label: null },
    what_to_do: `Open the thread (\`GET ${comment}/thread\`), which ends the item if the reply is there. Otherwise look at the post in the account, and record what you found: \`succeeded\` or \`rejected\`.`,
    ids: { reply_id: row.reply_id, publication_id: row.publication_id, comment_id: row.comment_id },
    process: 'social_reply',
    resolve: {
      path: `${comment}/replies/${row.reply_id}/resolve`,
      role: 'owner',
      choices: ['succeeded', 'rejected'],
    },
  })
}

export type ClassificationFacts = EffectFacts & { publication_id: string; comments: number; model: string }

export const classificationItem = (row: ClassificationFacts): ItemText =>
  outcomeItem({
    row,
    whether: `the model ${row.model} answered for ${row.comments === 1 ? 'a comment' : `${row.comments} comments`}`,
    subject: { type: 'social_publication', id: row.publication_id, label: null },
    what_to_do: `Its tokens count as used. Ask again for the comments (\`POST ${root(row)}/social-publications/comments/classify\` with \`force\`), which ends the item. Or record \`rejected\`: the comments can be asked about as if they never were.`,
    ids: { publication_id: row.publication_id },
    process: 'social_classification',
    resolve: recorded(row, ['rejected']),
  })
