// What a reply of an operator looks like where the operator did not say: its subject, and its body as HTML.
import { cut } from '../excerpts.ts'

const prefix = /^\s*(re|aw|sv|fwd?)\s*(\[\d+\])?:\s*/i

/** `Re: ` before the subject of the thread, once. */
export function replySubject(subject: string): string {
  let bare = subject.trim()
  while (prefix.test(bare)) bare = bare.replace(prefix, '')
  return cut(`Re: ${bare}`.trim(), 500)
}

const marks: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Plain text as a page that keeps its line breaks. */
export const htmlOf = (body: string): string =>
  `<div style="white-space:pre-wrap">${body.replace(/[&<>"]/g, (mark) => marks[mark] as string)}</div>`
