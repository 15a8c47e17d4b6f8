// Reads the pages that a turn of lead research has requested: a GET of each, redirects checked like the first address,
// its text made in a process of its own.
import { ApplicationFailure } from '@temporalio/common'
import { unixNow } from '../../adapters/clock.ts'
import { PageUnreadable, textOfPage } from '../../adapters/page-reader.ts'
import { type PageRead, readingTenant, settlePage, takePage } from '../../entities/research/research-sources.ts'
import { ownerOf } from '../../entities/stores/tenant-owner.ts'
import type { Owner } from '../../rules/fair-queue.ts'
import { isSuccess } from '../../rules/http-verdicts.ts'
import type { SourceError } from '../../rules/research/lead-research.ts'
import { pageAddress } from '../../rules/research/research-addresses.ts'
import { shownLinks } from '../../rules/research/research-tools.ts'
import { statement, transaction } from '../kit/database.ts'
import { beating } from '../kit/heartbeat.ts'
import { draining } from '../kit/once.ts'
import { newPlaces } from '../kit/places.ts'
import { type EgressCode, EgressError } from '../providers/egress-guard.ts'
import { egress, type HttpAnswer } from '../providers/http.ts'

const readMs = 15_000
const hopsMax = 3
/**
 * Turns whose pages a process reads at once, in all, of one store, and of one account. Each holds a slot of the queue,
 * which calls of models and replies to visitors need as well.
 */
const places = newPlaces(100, 8, 25)
/** Then the other work of the queue has its turn: a turn has ten pages, which may hang for 15 s each. */
const readsForMs = 30_000
const noPlace = () =>
  ApplicationFailure.create({ type: 'Busy', message: 'the pages of enough turns are being read', nextRetryDelay: '3s' })

const errors: Record<EgressCode, SourceError> = {
  egress_refused: 'address_refused',
  egress_unresolved: 'name_unresolved',
  egress_not_sent: 'not_reached',
  egress_no_answer: 'no_answer',
  egress_broken_answer: 'no_answer',
  egress_answer_too_large: 'page_too_large',
  egress_too_many_redirects: 'too_many_redirects',
}

const failed = (error: SourceError, final_url: string | null, http_status: number | null = null): PageRead => ({
  status: 'failed',
  error,
  final_url,
  http_status,
})
const headerOf = ({ headers }: HttpAnswer, name: string): string | undefined => [headers[name]].flat()[0]

/** Every hop is a request of its own: its address is checked, and so is the one that it connects to. */
async function answerOf(address: string): Promise<{ url: string; answer: HttpAnswer } | PageRead> {
  const endBy = performance.now() + readMs
  let url = address
  for (let hop = 0; hop <= hopsMax; hop++) {
    try {
      const headers = { accept: 'text/html, application/xhtml+xml, text/plain;q=0.9' }
      const answer = await egress().request({
        url,
        method: 'GET',
        headers,
        timeout_ms: Math.max(1, endBy - performance.now()),
      })
      const location = headerOf(answer, 'location')
      if (![301, 302, 303, 307, 308].includes(answer.status) || location === undefined) return { url, answer }
      const next = URL.canParse(location, url) ? pageAddress(new URL(location, url).href) : null
      if (next === null) return failed('address_refused', url, answer.status)
      url = next
    } catch (error) {
      if (!(error instanceof EgressError)) throw error
      return failed(errors[error.code], url, error.status ?? null)
    }
  }
  return failed('too_many_redirects', url)
}

async function readPage(address: string, owner: Owner): Promise<PageRead> {
  const found = await answerOf(address)
  if ('status' in found) return found
  const { url, answer } = found
  if (!isSuccess(answer.status)) return failed('http_status', url, answer.status)
  const type = headerOf(answer, 'content-type') ?? 'text/html'
  if (typeof answer.body !== 'string' || !/^(text\/(html|plain)|application\/xhtml\+xml)\s*(;|$)/i.test(type))
    return failed('unsupported_type', url, answer.status)
  const isPlain = /^text\/plain/i.test(type)
  try {
    const page = await textOfPage(
      isPlain ? `<pre>${answer.body.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</pre>` : answer.body,
      url,
      owner,
    )
    return {
      status: 'read',
      final_url: url,
      http_status: answer.status,
      title: page.title,
      content: page.text,
      links: shownLinks(page.links),
    }
  } catch (error) {
    if (!(error instanceof PageUnreadable)) throw error
    return failed('unreadable', url, answer.status)
  }
}

/**
 * Reads the pages one after the other, until none is left, the turn has ended, or others should have their turn: then
 * the workflow comes again.
 */
export const readPages = (turnId: string): Promise<void> =>
  beating(async () => {
    const tenantId = await statement((em) => readingTenant(em, turnId))
    if (!tenantId) return
    const owner = await statement((em) => ownerOf(em, tenantId))
    const leave = places.enter(owner)
    if (!leave) throw noPlace()
    try {
      const endBy = performance.now() + readsForMs
      while (performance.now() < endBy) {
        // Another worker continues: a page that was begun is read again.
        if (draining.now) throw new Error('the worker is stopping')
        const page = await transaction((em) => takePage(em, turnId, unixNow()))
        if (!page) return
        const read = await readPage(page.url, owner)
        await statement((em) => settlePage(em, page.tenant_id, page.id, read, unixNow()))
      }
    } finally {
      leave()
    }
  })
