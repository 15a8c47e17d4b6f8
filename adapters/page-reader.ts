// Makes text of web pages in processes of their own. A page that needs more than a second of processor time is not
// read.
import type { Owner } from '../rules/fair-queue.ts'
import { newContainedPool } from './contained-process.ts'
import type { PageReply, PageTask, PageText } from './page-reader-process.ts'

/** The page cannot be read, and could not be later. */
export class PageUnreadable extends Error {}
/** The machine is too busy to read the page: it may succeed when it is repeated. */
class ReaderBusy extends Error {}

const readers = newContainedPool<PageTask, PageReply>('page-reader-process.ts', 'the page reader', {
  cpuMs: 1_000,
  wallMs: 10_000,
  errors: {
    time: () => new PageUnreadable('it takes too long to read'),
    busy: () => new ReaderBusy('the machine is too busy to read the page'),
    memory: () => new PageUnreadable('it takes too much memory to read'),
  },
})

/** Accounts and their tenants take turns. Throws PageUnreadable, or another error if it may succeed later. */
export async function textOfPage(html: string, base: string, owner: Owner): Promise<PageText> {
  const reply = await readers.run(owner, { html, base })
  if ('page' in reply) return reply.page
  throw new PageUnreadable(reply.fault)
}
