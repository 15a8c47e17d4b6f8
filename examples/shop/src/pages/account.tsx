// The visitor's account: signing in by a code, and their orders, bookings and memberships.
import { useState } from 'react'
import { call } from '../api.ts'
import { Email, Field, Form, Loaded, textIn, useLoad } from '../kit.tsx'
import { dateOf, moneyOf, whenOf, words } from '../records.ts'
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
      <p>We sent a code to {sent.email}.</p>
      <Field label="Code" name="code" inputMode="numeric" autoComplete="one-time-code" required key="code" />
    </Form>
  )
}

export function Account() {
  const { me } = useShop()
  return (
    <>
      <h1>{me?.is_verified ? 'Your account' : 'Sign in'}</h1>
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

type Row = { id: string; name: string; href?: string | null; about: string; status: string; end?: string }
const List = ({ title, rows }: { title: string; rows: Row[] }) => (
  <section aria-label={title}>
    <h2>{title}</h2>
    {rows.length === 0 && <p>None yet.</p>}
    <ul className="lines">
      {rows.map(({ id, name, href, about, status, end }) => (
        <li key={id}>
          <div>
            {href ? <a href={href}>{name}</a> : <b>{name}</b>}
            <small>{`${about}${words(status).toLowerCase()}`}</small>
          </div>
          <span className="end">{end}</span>
        </li>
      ))}
    </ul>
  </section>
)

function Own() {
  const { timezone } = useShop().store
  const found = useLoad(async () => {
    const [{ items: orders }, { items: members }] = await Promise.all([
      call('GET /v1/storefront/orders'),
      call('GET /v1/storefront/audiences/members'),
    ])
    const newest = orders.slice(0, 10).map(({ id: orderId }) => ({ path: { orderId } }))
    const bookings = await Promise.all(newest.map((of) => call('GET /v1/storefront/orders/{orderId}/bookings', of)))
    return { orders, members, bookings: bookings.flat() }
  }, 'own')
  return (
    <Loaded from={found}>
      {({ orders, members, bookings }) => (
        <>
          <List
            title="Orders"
            rows={orders.map(({ id, number, money, created_at, status, paid_at }) => ({
              ...{ id, name: `Order ${number}`, href: `/orders/${id}`, status },
              ...{ about: `${dateOf(created_at)}, ${paid_at ? 'paid' : 'not paid'}, ` },
              end: moneyOf(money.total, money.currency),
            }))}
          />
          <List
            title="Bookings"
            rows={bookings.map(({ id, order_id, service_key, starts_at, status }) => ({
              ...{ id, name: words(service_key), href: `/orders/${order_id}`, status },
              about: `${whenOf(starts_at, timezone)}, `,
            }))}
          />
          <List
            title="Memberships"
            rows={members.map(({ id, audience, status, access_until, manage_url }) => ({
              ...{ id, name: audience.name, href: manage_url, status },
              about: access_until ? `until ${dateOf(access_until)}, ` : '',
            }))}
          />
        </>
      )}
    </Loaded>
  )
}
