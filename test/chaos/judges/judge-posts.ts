// Publications: the public sees each once at most, not before its time, not after its cancellation, and as its record
// says.
import type { History } from '../history.ts'

export const shownTwice = (h: History): string[] =>
  h.posts.flatMap(({ publication, shown }) =>
    shown.length > 1 ? [`publication ${publication} is visible ${shown.length} times`] : [],
  )

export const shownWrongly = (h: History): string[] =>
  h.posts.flatMap(({ publication, due, cancelled, shown: [at] }) => {
    if (at === undefined) return []
    if (cancelled) return [`publication ${publication} was cancelled, and is visible`]
    return at < due ? [`publication ${publication} was visible ${due - at} s before its time`] : []
  })

/** `unknown` says neither. */
export const shownOtherwise = (h: History): string[] =>
  h.posts.flatMap(({ publication, status, shown }) => {
    if (status === 'published' && shown.length === 0)
      return [`publication ${publication} is published, and is not visible`]
    return status !== 'published' && status !== 'unknown' && shown.length > 0
      ? [`publication ${publication} is ${status}, and is visible`]
      : []
  })

export const nothingShown = (h: History): string[] =>
  h.posts.some(({ shown }) => shown.length > 0) ? [] : ['no post became visible']
