// Stars and reviews of a product, with the store's answers, and a form for one's own.
import { useState } from 'react'
import type { PublicProduct, Reaction } from 'tillwright-client'
import { call, isProblem } from '../api.ts'
import { Choice, Field, Form, Loaded, Stars, Text, textIn, useLoad } from '../kit.tsx'
import { dateOf, textOf } from '../records.ts'

/** What was said of the product, or below an opinion. */
const Opinions = ({ all, below }: { all: Reaction[]; below: string | null }) => (
  <ul className="opinions">
    {all
      .filter(({ parent_id }) => parent_id === below)
      .map(({ id, stars, official, verified_purchase, created_at, status, blocks }) => (
        <li key={id}>
          <p>
            {stars !== null && <Stars of={{ average: stars }} />}{' '}
            <b>{official ? 'The shop' : verified_purchase ? 'Verified buyer' : 'Customer'}</b>{' '}
            <small>{dateOf(created_at)}</small>
            {status === 'pending' && <b className="tag">Waits for approval</b>}
          </p>
          <Text>{textOf({ blocks }, 'text')}</Text>
          <Opinions all={all} below={id} />
        </li>
      ))}
  </ul>
)

export function Reviews({ product, reviewed }: { product: PublicProduct; reviewed(): void }) {
  const target = { type: 'product' as const, id: product.id }
  const [thanks, setThanks] = useState('')
  const query = { target_type: target.type, target_id: target.id, content_only: true, limit: 100 }
  const found = useLoad(() => call('GET /v1/storefront/reactions', { query }), product.id)
  async function send(form: FormData): Promise<void> {
    await call('POST /v1/storefront/reactions', { body: { target, kind: `star_${form.get('stars')}` } })
    const text = textIn(form, 'text')
    const blocks = [{ key: 'text', type: 'text', value: text }]
    if (text)
      await call('POST /v1/storefront/reactions', { body: { target, kind: 'review', blocks } }).catch(async (error) => {
        // Sent again after a lost answer: the same words are there.
        const { items } = await call('GET /v1/storefront/reactions', { query })
        if (!isProblem(error, 'already_reviewed') || !items.some((one) => textOf(one, 'text') === text)) throw error
      })
    setThanks('Thank you for your opinion.')
    found.again()
    reviewed()
  }
  return (
    <section className="split" aria-labelledby="reviews">
      <div>
        <h2 id="reviews">What customers say</h2>
        <Loaded from={found}>
          {({ items }) => (items.length > 0 ? <Opinions all={items} below={null} /> : <p>There are no reviews yet.</p>)}
        </Loaded>
      </div>
      <Form label="Send" submit={send} className="panel">
        <h2>Your opinion</h2>
        <Choice label="Stars" name="stars" options={['1', '2', '3', '4', '5'].map((n) => [n, n])} value="5" />
        <Field label="Review" name="text" area />
        <p role="status">{thanks}</p>
      </Form>
    </section>
  )
}
