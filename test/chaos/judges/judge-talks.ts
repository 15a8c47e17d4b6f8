// Comments: each is stored once and as its network lists it, and a reply that succeeded is one of them.
import type { History } from '../history.ts'

const twice = (ids: readonly string[]) =>
  [...Map.groupBy(ids, (id) => id)].flatMap(([id, all]) => (all.length > 1 ? [id] : []))

export const storedTwice = (h: History): string[] =>
  h.talks.flatMap(({ publication, stored }) =>
    twice(stored).map((id) => `comment ${id} of ${publication} is stored more than once`),
  )

/** After a sync that read the listing to its end. */
export const unread = (h: History): string[] =>
  h.talks.flatMap(({ publication, status, more, made, stored }) => {
    if (status !== 'done' || more) return []
    const known = new Set(stored)
    return made
      .filter((id) => !known.has(id))
      .map((id) => `comment ${id} of ${publication} was listed, and is not stored`)
  })

export const unlistedReplies = (h: History): string[] =>
  h.talks.flatMap(({ publication, stored, replies }) =>
    replies.flatMap(({ id, comment }) =>
      comment === null || stored.includes(comment)
        ? []
        : [`reply ${id} of ${publication} succeeded, and is no comment`],
    ),
  )
