// The part of `npm run demo` about what people think of a product: marks, stars, a comment that waits for its
// moderator, and reactions that follow a sign-in.
import { client } from '../../client/client.ts'
import { reactedKey } from '../seed/reactions.ts'
import { type Callers, say } from './steps.ts'

type Stack = { api: string; mail: string; business_id: string }

/** Signs the visitor in with the code that the mail catcher received. */
async function signIn(visitor: ReturnType<typeof client>, mail: string, email: string): Promise<void> {
  const { challenge_id } = await visitor('POST /v1/storefront/account/code', { body: { email } })
  const answer = await fetch(`${mail}/messages/wait?to=${encodeURIComponent(email)}&timeout_ms=20000`)
  const [message] = (await answer.json()) as { text: string }[]
  const code = /\b\d{6}\b/.exec(message?.text ?? '')?.[0]
  if (!code) throw new Error('The e-mail has no sign-in code.')
  await visitor('POST /v1/storefront/account/verify', { body: { challenge_id, code } })
}

export async function showReactions(
  { operator }: Callers,
  { api, mail, business_id: businessId }: Stack,
): Promise<void> {
  const path = { businessId }
  const { publishableKey } = await operator('GET /v1/businesses/{businessId}', { path })
  const { items } = await operator('GET /v1/businesses/{businessId}/products', { path, query: { query: reactedKey } })
  const product = items.find(({ key }) => key === reactedKey)
  if (!product) throw new Error(`The business has no product \`${reactedKey}\`.`)
  const target = { type: 'product' as const, id: product.id }
  const visitor = client({ base: api, publishableKey })
  const react = (kind: string, text?: string) =>
    visitor('POST /v1/businesses/{businessId}/reactions', {
      path,
      body: { target, kind, ...(text ? { blocks: [{ key: 'text', type: 'text', value: text }] } : {}) },
    })
  const summary = () =>
    visitor('GET /v1/businesses/{businessId}/reactions/summary', {
      path,
      query: { targetType: target.type, targetId: target.id },
    })
  const rated = async () => {
    const { stars, own } = await summary()
    return `average ${stars.average?.toFixed(2) ?? 'none'} of ${stars.count} ratings, own: ${own.map(({ kind }) => kind).join(', ')}`
  }

  const before = (await summary()).counts.love ?? 0
  const [first, again] = [await react('love'), await react('love')]
  const { counts } = await summary()
  say(
    'An anonymous visitor loves the pomade, twice: it counts once',
    `one record: ${first.id === again.id}; counted ${(counts.love ?? 0) - before} time`,
  )
  await react('star_3')
  say('The visitor rates it', await rated())
  await react('star_5')
  say('The visitor changes their mind: the new star replaces the old one', await rated())

  const text = `I use it each day, as at https://barber.example/${crypto.randomUUID().slice(0, 8)}`
  const comment = await react('comment', text)
  const shown = async () => {
    const anyone = client({ base: api, publishableKey })
    const page = await anyone('GET /v1/businesses/{businessId}/reactions', {
      path,
      query: { targetType: target.type, targetId: target.id, contentOnly: true },
    })
    return page.items.some(({ id }) => id === comment.id)
  }
  say('A comment with a link waits for its moderator', `${comment.status}; seen by others: ${await shown()}`)
  const { status } = await operator('POST /v1/businesses/{businessId}/reactions/{id}/moderate', {
    path: { ...path, id: comment.id },
    body: { status: 'published' },
  })
  say('The operator publishes it', `${status}; seen by others: ${await shown()}`)

  const email = `vera-${crypto.randomUUID().slice(0, 8)}@tillwright.test`
  await signIn(visitor, mail, email)
  const { own } = await summary()
  say('The visitor signs in, and finds their reactions', own.map(({ kind, status }) => `${kind} ${status}`).join(', '))
}
