// Clubs that are paid for: their tiers, and joining one by card.
import { useState } from 'react'
import type { PaymentAction, PublicAudience } from 'tillwright-client'
import { call } from '../api.ts'
import { CardForm } from '../card.tsx'
import { Choice, Email, Field, Form, Loaded, type Option, Title, textIn, useLoad } from '../kit.tsx'
import { usePlace } from '../place.ts'
import { moneyOf } from '../records.ts'
import { identify } from '../shop.ts'

export function Club() {
  const found = useLoad(() => call('GET /v1/storefront/audiences'), 'audiences')
  const joined = usePlace().searchParams.get('joined')
  return (
    <>
      <Title>Join the club</Title>
      <Loaded from={found}>
        {({ items }) => {
          const clubs = items.filter(({ type }) => type.type === 'paid')
          if (clubs.length === 0) return <p>There is no club to join at the moment.</p>
          return clubs.map((club) => <Join key={club.id} club={club} hasPaid={joined === club.id} />)
        }}
      </Loaded>
    </>
  )
}

function Join({ club, hasPaid }: { club: PublicAudience; hasPaid: boolean }) {
  const [action, setAction] = useState<PaymentAction>({ type: 'none' })
  const [isMember, setMember] = useState(hasPaid)
  const prices = club.tiers.flatMap(({ name, prices }) =>
    prices.map(({ id, amount, currency, interval }): Option => {
      const every = interval ? `every ${interval.count > 1 ? `${interval.count} ` : ''}${interval.period}` : 'once'
      return [id, `${name}: ${moneyOf(amount, currency)} ${every}`]
    }),
  )
  async function join(form: FormData): Promise<void> {
    await identify(textIn(form, 'email'))
    const path = { audienceId: club.id }
    const return_url = `${location.origin}/club?joined=${club.id}`
    const body = { price_id: textIn(form, 'price'), promo_code: textIn(form, 'promo_code') || null, return_url }
    const { payment_action } = await call('POST /v1/storefront/audiences/{audienceId}/subscribe', { path, body })
    setAction(payment_action)
    setMember(payment_action.type === 'none')
  }
  if (isMember) return <Welcome club={club} />
  return (
    <section className="split" aria-labelledby={club.id}>
      <div>
        <h2 id={club.id}>{club.name}</h2>
        {club.tiers.map(({ id, name, description, benefits }) => (
          <div key={id}>
            <h3>{name}</h3>
            <p>{description}</p>
            <ul>
              {benefits.map((benefit) => (
                <li key={benefit}>{benefit}</li>
              ))}
            </ul>
          </div>
        ))}
      </div>
      {action.type !== 'none' ? (
        <CardForm action={action} />
      ) : (
        <Form label="Join by card" className="panel" submit={join}>
          <Choice label="Membership" name="price" options={prices} value={prices[0]?.[0] ?? ''} />
          <Email />
          <Field label="Promo code" name="promo_code" />
        </Form>
      )}
    </section>
  )
}

/** The card form returned: the provider's event makes the member a moment later. */
function Welcome({ club }: { club: PublicAudience }) {
  const path = { audienceId: club.id }
  const load = () => call('GET /v1/storefront/audiences/{audienceId}/access', { path })
  const { has_access, member } = useLoad(load, club.id, (access) => access.has_access).data ?? {}
  return (
    <section className="panel" aria-label={club.name}>
      <p role="status">{has_access ? `Welcome to ${club.name}. You are a member.` : 'It begins in a moment …'}</p>
      {member?.manage_url && <a href={member.manage_url}>Manage the membership</a>}
    </section>
  )
}
