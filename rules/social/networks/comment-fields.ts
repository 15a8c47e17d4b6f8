// Parts that the networks' listings of comments have in common.
// Backwards: the authors of comments are those of engagement.
import type { CommentAuthor } from '../../engagement/comment.ts'
import { countIn, type Fields, idIn, objectIn, textIn } from '../answers.ts'
import { nextCursor } from './graph.ts'
import type { PageOf } from './network.ts'
import { type At, readRequest, type SocialRequest } from './request.ts'

export const textMax = 10_000
const cursorMax = 2_048

/** A count, as it is stored: null for one that PostgreSQL's integer does not hold. */
export const intIn = (value: unknown): number | null => {
  const count = countIn(value)
  return count !== null && count < 2 ** 31 ? count : null
}
export const cursorIn = (value: unknown): string | null => textIn(value, cursorMax)
export const graphCursor = (body: Fields): string | null => cursorIn(nextCursor(body))
export const idOf = (value: unknown): string | null => idIn(objectIn(value).id)

/** Null if the network names nothing of the author. */
export const authorOf = (provider_id: unknown, name: unknown, username: unknown): CommentAuthor | null => {
  const author = { provider_id: idIn(provider_id), name: textIn(name, 255), username: textIn(username, 255) }
  return Object.values(author).some((value) => value !== null) ? author : null
}

/** The read of one page. `cursorName`: of the parameter that has the cursor. */
export const pageRequest = (
  at: At,
  query: Record<string, string>,
  cursorName: string,
  { cursor, ...access }: PageOf,
): SocialRequest => readRequest(at, { ...query, ...(cursor === null ? {} : { [cursorName]: cursor }) }, access)
