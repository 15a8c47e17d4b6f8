// The visitor's account: signing in by a code, and their orders, bookings and memberships.
import { useState } from 'react'
import { each } from 'tillwright-client'
import { call, firstOf } from '../api.ts'
import { Button, Email, Field, Form, Loaded, Title, textIn, useLoad } from '../kit.tsx'
import { dateOf, moneyOf, stateOf, whenOf, words } from '../records.ts'
import { signIn, signOut, useShop } from '../shop.ts'

function SignIn() {
  const [sent, setSent] = useState<{ challenge_id: string; email: string } | null>(null)
  async function send(form: FormData): Promise<void> {
    const email = textIn(form, 'email')
    setSent({ email, ...(await call('POST /v1/storefront/account/code', { body: { email } })) })
  }
  if (!sent)
    return (
      <Form label="Send me a code" className="panel" submit={send}>
        <p>Sign in to keep your orders, bookings and memberships together.</p>
        <Email />
      </Form>
    )
  return (
    <Form label="Sign in" className="panel" submit={(form) => signIn(sent.challenge_id, textIn(form, 'code'))}>
      <p>
        We sent a code to {sent.email}. <Button onClick={() => setSent(null)}>Use another address</Button>
      </p>
      <Field label="Code" name="code" inputMode="numeric" autoComplete="one-time-code" required key="code" />
    </Form>
  )
}

export function Account() {
  const { me } = useShop()
  return (
    <>
      <Title>{me?.is_verified ? 'Your account' : 'Sign in'}</Title>
      {me?.is_verified ? (
        <Form label="Sign out" submit={signOut}>
          <p>Signed in as {me.contact.email}.</p>
        </Form>
      ) : (
        <SignIn />
      )}
      {me && <Own key={me.contact.id} />}
    </>
  )
}

type Row = { id: string; name: string; href?: string | null; about: string; end?: string }
const List = ({ title, rows }: { title: string; rows: Row[] }) => (
  <section aria-label={title}>
    <h2>{title}</h2>
    {rows.length === 0 && <p>None yet.</p>}
    <ul className="lines">
      {rows.map(({ id, name, href, about, end }) => (
        <li key={id}>
          <div>
            {href ? <a href={href}>{name}</a> : <b>{name}</b>}
            <small>{about}</small>
          </div>
          <span className="end">{end}</span>
        </li>
      ))}
    </ul>
  </section>
)

async function readOwn(count: number, timezone: string) {
  const query = { limit: 100 }
  const [{ items: ordered, hasMore }, { items: joined }] = await Promise.all([
    firstOf(each(call, 'GET /v1/storefront/orders', { query }), count),
    call('GET /v1/storefront/audiences/members', { query }),
  ])
  const paths = ordered.map(({ id }) => ({ path: { orderId: id } }))
  const booked = await Promise.all(paths.map((of) => call('GET /v1/storefront/orders/{orderId}/bookings', of)))
  const orders = ordered.map(({ id, number, money, created_at, ...state }): Row => {
    const about = `${dateOf(created_at)}, ${stateOf(state)}`
    return { id, name: `Order ${number}`, href: `/orders/${id}`, about, end: moneyOf(money.total, money.currency) }
  })
  const bookings = booked.flat().map(({ id, order_id, service_key, slots, status }): Row => {
    const about = [...slots.map((slot) => whenOf(slot, timezone)), words(status).toLowerCase()].join(', ')
    return { id, name: words(service_key), href: `/orders/${order_id}`, about }
  })
  const members = joined.map(({ id, audience, status, access_until, manage_url }): Row => {
    const about = `${access_until ? `until ${dateOf(access_until)}, ` : ''}${words(status).toLowerCase()}`
    return { id, name: audience.name, href: manage_url, about }
  })
  return { orders, hasMore, bookings, members }
}

function Own() {
  const { timezone } = useShop().store
  const [count, setCount] = useState(20)
  return (
    <Loaded from={useLoad(() => readOwn(count, timezone), String(count))}>
      {({ orders, members, bookings, hasMore }) => (
        <>
          <List title="Orders" rows={orders} />
          {hasMore && <Button onClick={() => setCount(count + 20)}>Show more orders</Button>}
          <List title="Bookings" rows={bookings} />
          <List title="Memberships" rows={members} />
        </>
      )}
    </Loaded>
  )
}
