// Booked time: the services, and a calendar of the free slots of one of them in the time zone of the store.
import { useState } from 'react'
import type { PublicProvider, PublicService } from 'tillwright-client'
import { call } from '../api.ts'
import { putBooking } from '../cart.ts'
import { Button, Card, Loaded, Picture, Problems, Text, Title, useAction, useLoad } from '../kit.tsx'
import { go } from '../place.ts'
import { dayOf, formatOf, nameOf, priceText, textOf, timeOf } from '../records.ts'
import { useShop } from '../shop.ts'

const query = { limit: 100 }
export function Services() {
  const { market } = useShop()
  return (
    <>
      <Title>Book time with us</Title>
      <Loaded from={useLoad(() => call('GET /v1/storefront/services', { query }), 'services')}>
        {({ items }) => (
          <ul className="cards">
            {items.length === 0 && <li>Nothing can be booked at the moment.</li>}
            {items.map((service) => (
              <Card key={service.id} of={service} at="/book">
                <Text>{textOf(service, 'description')}</Text>
                <p>{priceText(service.providers, market)}</p>
              </Card>
            ))}
          </ul>
        )}
      </Loaded>
    </>
  )
}

export function Book({ name }: { name: string }) {
  const reading = () => call('GET /v1/storefront/services/{id}', { path: { id: name } })
  const found = useLoad(() => Promise.all([reading(), call('GET /v1/storefront/providers', { query })]), name)
  return <Loaded from={found}>{([service, { items }]) => <Calendar service={service} all={items} />}</Loaded>
}

/** Days are their midnights in UTC, in every zone. */
const isoOf = (day: Date) => day.toISOString().slice(0, 10)
const labelOf = (day: Date, options: Intl.DateTimeFormatOptions) =>
  formatOf({ timeZone: 'UTC', ...options }).format(day)
/** From a Monday on. */
const aWeek = [1, 2, 3, 4, 5, 6, 7].map((n) => new Date(Date.UTC(2024, 0, n)))
/** The days of the month that is so many months after this one, where the store is. */
function daysOf(timeZone: string, months: number): Date[] {
  const [year = 0, month = 0] = new Intl.DateTimeFormat('en-CA', { timeZone }).format().split('-').map(Number)
  const length = new Date(Date.UTC(year, month + months, 0)).getUTCDate()
  return Array.from({ length }, (_, n) => new Date(Date.UTC(year, month - 1 + months, n + 1)))
}

function Calendar({ service, all }: { service: PublicService; all: PublicProvider[] }) {
  const { market, store } = useShop()
  const [months, setMonths] = useState(0)
  const [chosen, choose] = useState('')
  const { run, busy, problems } = useAction()
  const days = daysOf(store.timezone, months)
  const [first = new Date()] = days
  const query = { service_id: service.id, month: isoOf(first).slice(0, 7), market: market.key }
  const free = useLoad(() => call('GET /v1/storefront/services/availability', { query }), JSON.stringify(query))
  const slots = (free.data?.providers ?? []).flatMap(({ provider_id, days }) =>
    days.flatMap(({ date, slots }) => slots.map((slot) => ({ ...slot, date, provider_id }))),
  )
  const shown = slots.filter(({ date }) => date === chosen).sort((a, b) => a.from - b.from || a.to - b.to)
  const book = (provider_id: string, from: number, to: number) =>
    run(() => putBooking({ service_id: service.id, provider_id, slots: [{ from, to }] }, true).then(() => go('/cart')))
  return (
    <article className="split">
      <div>
        <Title>{nameOf(service)}</Title>
        <p className="price">{priceText(service.providers, market)}</p>
        <Text>{textOf(service, 'description')}</Text>
        <Picture of={service} sizes="(max-width: 800px) 95vw, 520px" eager />
      </div>
      <section className="panel" aria-labelledby="free">
        <h2 id="free">Free times</h2>
        <div className="row">
          <Button disabled={months === 0} onClick={() => setMonths(months - 1)}>
            Earlier
          </Button>
          <b aria-live="polite">{labelOf(first, { month: 'long', year: 'numeric' })}</b>
          <Button onClick={() => setMonths(months + 1)}>Later</Button>
        </div>
        <ol className="calendar">
          {aWeek.map((day) => (
            <li key={isoOf(day)} aria-hidden="true">
              {labelOf(day, { weekday: 'short' })}
            </li>
          ))}
          {days.map((day, n) => (
            <li key={isoOf(day)} style={{ gridColumnStart: n === 0 ? day.getUTCDay() || 7 : undefined }}>
              <Button
                disabled={!slots.some(({ date }) => date === isoOf(day))}
                aria-pressed={isoOf(day) === chosen}
                aria-label={labelOf(day, { dateStyle: 'full' })}
                onClick={() => choose(isoOf(day))}
              >
                {n + 1}
              </Button>
            </li>
          ))}
        </ol>
        <Problems of={[...(free.problems ?? []), ...problems]} />
        <div aria-live="polite">
          {free.data && slots.length === 0 && <p>Nothing is free in this month.</p>}
          {shown[0] && <h3>{dayOf(shown[0].from, store.timezone)}</h3>}
        </div>
        <ul className="slots">
          {shown.map(({ provider_id, from, to, spots }) => (
            <li key={`${provider_id} ${from} ${to}`}>
              <Button disabled={busy} onClick={() => void book(provider_id, from, to)}>
                {timeOf({ from, to }, store.timezone)}{' '}
                <small>
                  {all.filter(({ id }) => id === provider_id).map(nameOf)}
                  {spots > 1 && `, ${spots} places`}
                </small>
              </Button>
            </li>
          ))}
        </ul>
        <small>Times are those of {store.timezone.split('/').at(-1)?.replaceAll('_', ' ')}.</small>
      </section>
    </article>
  )
}
