// Stars and reviews of a product, with the store's answers, and a form for one's own.
import { useState } from 'react'
import type { PublicProduct, Reaction } from 'tillwright-client'
import { call, isProblem } from '../api.ts'
import { Choice, Field, Form, Loaded, Stars, Text, useLoad } from '../kit.tsx'
import { dateOf, textOf } from '../records.ts'

function Opinion({ of, all }: { of: Reaction; all: Reaction[] }) {
  const answers = all.filter(({ parent_id }) => parent_id === of.id)
  return (
    <li>
      <p>
        {of.stars !== null && <Stars of={{ average: of.stars }} />}{' '}
        <b>{of.official ? 'The shop' : of.verified_purchase ? 'Verified buyer' : 'Customer'}</b>{' '}
        <small>{dateOf(of.created_at)}</small>
        {of.status === 'pending' && <b className="tag">Waits for approval</b>}
      </p>
      <Text>{textOf(of, 'text')}</Text>
      {answers.length > 0 && (
        <ul>
          {answers.map((answer) => (
            <Opinion key={answer.id} of={answer} all={all} />
          ))}
        </ul>
      )}
    </li>
  )
}

export function Reviews({ product, reviewed }: { product: PublicProduct; reviewed(): void }) {
  const target = { type: 'product' as const, id: product.id }
  const [thanks, setThanks] = useState('')
  const query = { target_type: target.type, target_id: target.id, content_only: true, limit: 100 }
  const found = useLoad(() => call('GET /v1/storefront/reactions', { query }), product.id)
  async function send(form: FormData): Promise<void> {
    await call('POST /v1/storefront/reactions', { body: { target, kind: `star_${form.get('stars')}` } })
    const text = String(form.get('text')).trim()
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
          {({ items }) => (
            <ul className="opinions">
              {items.length === 0 && <li>Nobody has written about it yet.</li>}
              {items
                .filter(({ parent_id }) => parent_id === null)
                .map((one) => (
                  <Opinion key={one.id} of={one} all={items} />
                ))}
            </ul>
          )}
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
