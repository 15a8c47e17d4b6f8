// What a person does about replies to comments and questions to a model about them that cannot be proved.
import { type EffectFacts, type ItemText, mending, outcomeItem, recorded } from '../attention.ts'
import { root } from '../descriptions.ts'
import { isolated } from '../isolated.ts'
import { networks } from '../social/networks/networks.ts'
import type { ReplyFacts } from './descriptions.ts'

export const socialReplyItem = (row: EffectFacts & ReplyFacts): ItemText => {
  const comment = `/social-publications/${row.publication_id}/comments/${row.comment_id}`
  return outcomeItem({
    row,
    whether: `a reply to a comment is visible at ${networks[row.type].name}`,
    subject: { type: 'social_publication', id: row.publication_id, label: null },
    what_to_do:
      'Open the thread of the comment, which ends the item if the reply is there. Otherwise look at the post in the account, and record what you found.',
    mend: mending(row, 'GET', `${comment}/thread`),
    ids: { reply_id: row.reply_id, publication_id: row.publication_id, comment_id: row.comment_id },
    effect: 'social_reply',
    resolve: {
      path: `${root(row)}${comment}/replies/${row.reply_id}/resolve`,
      role: 'owner',
      choices: ['succeeded', 'rejected'],
    },
  })
}

export type ClassificationFacts = EffectFacts & { publication_id: string; comments: number; model: string }

export const classificationItem = (row: ClassificationFacts): ItemText =>
  outcomeItem({
    row,
    whether: `the model ${isolated(row.model)} answered for ${row.comments === 1 ? 'a comment' : `${row.comments} comments`}`,
    subject: { type: 'social_publication', id: row.publication_id, label: null },
    what_to_do:
      'Its tokens count as used. Have the comments classified once more, which ends the item. Or record that it was not carried out: they can be classified as if they never were.',
    mend: mending(row, 'POST', '/social-publications/comments/classify'),
    ids: { publication_id: row.publication_id },
    effect: 'social_classification',
    resolve: recorded(row, ['rejected']),
  })
