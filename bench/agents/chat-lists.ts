// Every list of a business with 100,000 chats: all, each single filter, words of messages, and a deep page.
import { newId } from '../../entities/kit/ids.ts'
import { fillChats, openSalon } from '../kit/chats.ts'
import type { Measure, Result } from '../kit/path.ts'
import { resultOf, timesOf } from '../kit/report.ts'
import type { Shop } from '../kit/shop.ts'

const count = 100_000
const times = 30
const deepPages = 500

async function cursorAfter({ api, operator }: Shop, path: string, pages: number): Promise<string> {
  let cursor = ''
  for (let n = 0; n < pages; n++) {
    const answer = await fetch(`${api}${path}&cursor=${encodeURIComponent(cursor)}`, { headers: operator })
    cursor = ((await answer.json()) as { cursor: string }).cursor
  }
  return encodeURIComponent(cursor)
}

export const chatLists: Measure = {
  name: 'chat-lists-100000',
  target: { p95_ms: 30, clients: 1 },
  async measure(_, shop) {
    const salon = await openSalon(shop, 'chats')
    const contacts = (await salon.visitors(5_000)).map(({ contact_id }) => contact_id)
    const channel = newId()
    await fillChats(shop, salon, count, contacts, channel)
    const all = `/v1/businesses/${salon.id}/chats?limit=20`
    const filters = [
      '',
      `&agentId=${salon.agent}`,
      '&status=active',
      '&status=resolved',
      '&status=archived',
      '&mode=human',
      `&channelId=${channel}`,
    ]
    const others = [
      `&customerId=${contacts[77]}`,
      '&query=teapot',
      '&query=tea',
      '&query=found',
      '&sortDirection=asc',
      `&createdAtFrom=${Math.floor(Date.now() / 1000) - count / 2}`,
    ]
    const lists = [...[...filters, ...others].map((filter) => `${all}${filter}`), `${salon.at}?limit=20`]
    lists.push(
      `${all}&cursor=${await cursorAfter(shop, all, deepPages)}`,
      `${all}&mode=human&cursor=${await cursorAfter(shop, `${all}&mode=human`, 100)}`,
    )
    const results: { path: string; result: Result }[] = []
    for (const path of lists) {
      const each: number[] = []
      for (let n = -3; n < times; n++) {
        const since = performance.now()
        const answer = await fetch(`${shop.api}${path}`, { headers: shop.operator })
        const { items } = (await answer.json()) as { items?: unknown[] }
        if (!items?.length) throw new Error(`${path}: ${answer.status}, no chats`)
        if (n >= 0) each.push(performance.now() - since)
      }
      results.push({ path, result: resultOf('chat-lists-100000', 1, 0, timesOf(each), null) })
    }
    for (const { path, result } of results)
      process.stderr.write(`  ${result.p50_ms} ms, p95 ${result.p95_ms} ms: ${path.slice(all.length - 9)}\n`)
    return results.reduce((slowest, one) => (one.result.p95_ms > slowest.result.p95_ms ? one : slowest)).result
  },
}
