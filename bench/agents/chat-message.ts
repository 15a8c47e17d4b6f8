// A message to an agent, from the request to the model's answer, with a model that answers at once. Each client has a
// chat of its own.
import { openSalon } from '../kit/chats.ts'
import { json, type Path } from '../kit/path.ts'
import type { Buyer } from '../kit/shop.ts'

/** Answers per client, after which its chat has as long a history as a model reads. */
const warm = 10

let before = 0
export const chatMessage: Path = {
  name: 'chat-message',
  floor: 'turn',
  target: { of_floor: 0.6, p50_ms: 150, p95_ms: 400 },
  async lanes(shop, clients) {
    const salon = await openSalon(shop, 'chat')
    const visitors = await salon.visitors(clients)
    const lanes = await Promise.all(
      visitors.map(async ({ headers }: Buyer) => {
        const send = async (more: object) => {
          const answer = await fetch(`${shop.api}${salon.at}/messages`, {
            method: 'POST',
            headers: json(headers),
            body: JSON.stringify({ message: 'Good morning', ...more }),
          })
          const { chatId, status } = (await answer.json()) as { chatId: string; status: string }
          if (status !== 'answered') throw new Error(`no answer: ${answer.status} ${status}`)
          return chatId
        }
        const chatId = await send({})
        for (let n = 1; n < warm; n++) await send({ chatId })
        const body = JSON.stringify({ message: 'Good morning', chatId })
        return [{ method: 'POST' as const, path: `${salon.at}/messages`, headers: json(headers), body }]
      }),
    )
    before = await answeredOf(shop.db)
    return lanes
  },
  async check({ db }, answered) {
    const now = await answeredOf(db)
    if (now - before < answered) throw new Error(`chat-message: ${now - before} of ${answered} messages have an answer`)
  },
}

const answeredOf = async (db: { query(sql: string): Promise<{ rows: { n: number }[] }> }): Promise<number> =>
  (await db.query(`select count(*)::int as n from chat_messages where role = 'user' and status = 'answered'`)).rows[0]
    ?.n ?? 0
