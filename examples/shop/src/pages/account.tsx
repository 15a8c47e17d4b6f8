// The visitor's account: signing in by a code, and their orders, bookings and memberships.
import { useState } from 'react'
import { each, type StorefrontOrder } from 'tillwright-client'
import { call } from '../api.ts'
import { Email, Field, Form, Loaded, Title, textIn, useLoad } from '../kit.tsx'
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
        We sent a code to {sent.email}.{' '}
        <button type="button" onClick={() => setSent(null)}>
          Use another address
        </button>
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

/** The newest orders, with one more if there are others. */
async function newestOrders(count: number): Promise<StorefrontOrder[]> {
  const orders: StorefrontOrder[] = []
  for await (const order of each(call, 'GET /v1/storefront/orders')) if (orders.push(order) > count) break
  return orders
}

const step = 20
function Own() {
  const { timezone } = useShop().store
  const [count, setCount] = useState(step)
  const found = useLoad(async () => {
    const [newest, { items: members }] = await Promise.all([
      newestOrders(count),
      call('GET /v1/storefront/audiences/members', { query: { limit: 100 } }),
    ])
    const orders = newest.slice(0, count)
    const bookings = await Promise.all(
      orders.map(({ id }) => call('GET /v1/storefront/orders/{orderId}/bookings', { path: { orderId: id } })),
    )
    return { orders, members, bookings: bookings.flat(), hasMore: newest.length > count }
  }, String(count))
  return (
    <Loaded from={found}>
      {({ orders, members, bookings, hasMore }) => (
        <>
          <List
            title="Orders"
            rows={orders.map((order) => ({
              ...{ id: order.id, name: `Order ${order.number}`, href: `/orders/${order.id}` },
              about: `${dateOf(order.created_at)}, ${stateOf(order)}`,
              end: moneyOf(order.money.total, order.money.currency),
            }))}
          />
          {hasMore && (
            <button type="button" onClick={() => setCount(count + step)}>
              Show more orders
            </button>
          )}
          <List
            title="Bookings"
            rows={bookings.map(({ id, order_id, service_key, slots, status }) => ({
              ...{ id, name: words(service_key), href: `/orders/${order_id}` },
              about: [...slots.map((slot) => whenOf(slot, timezone)), words(status).toLowerCase()].join(', '),
            }))}
          />
          <List
            title="Memberships"
            rows={members.map(({ id, audience, status, access_until, manage_url }) => ({
              ...{ id, name: audience.name, href: manage_url },
              about: `${access_until ? `until ${dateOf(access_until)}, ` : ''}${words(status).toLowerCase()}`,
            }))}
          />
        </>
      )}
    </Loaded>
  )
}
