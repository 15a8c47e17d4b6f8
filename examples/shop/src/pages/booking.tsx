// Booked time: the services, and a calendar of the free slots of one of them in the time zone of the store.
import { useState } from 'react'
import type { PublicProvider, PublicService } from 'tillwright-client'
import { call } from '../api.ts'
import { Button, Card, Loaded, Picture, Problems, Text, Title, useAction, useLoad } from '../kit.tsx'
import { go } from '../place.ts'
import { dayOf, nameOf, priceText, textOf, timeOf } from '../records.ts'
import { putBooking, useShop } from '../shop.ts'

export function Services() {
  const { market } = useShop()
  const found = useLoad(() => call('GET /v1/storefront/services', { query: { limit: 100 } }), 'services')
  return (
    <>
      <Title>Book time with us</Title>
      <Loaded from={found}>
        {({ items }) => (
          <ul className="cards">
            {items.map((service) => (
              <Card key={service.id} of={service} at="/book">
                <Text markdown>{textOf(service, 'description')}</Text>
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
  const [path, query] = [{ id: name }, { limit: 100 }]
  const load = () =>
    Promise.all([call('GET /v1/storefront/services/{id}', { path }), call('GET /v1/storefront/providers', { query })])
  const found = useLoad(load, name)
  return <Loaded from={found}>{([service, { items }]) => <Calendar service={service} all={items} />}</Loaded>
}

/** `2026-12` and a number of months → the month so many later. */
function monthAfter(month: string, by: number): string {
  const date = new Date(`${month}-01`)
  date.setUTCMonth(date.getUTCMonth() + by)
  return date.toISOString().slice(0, 7)
}
/** The days of the month, as YYYY-MM-DD. */
function daysOf(month: string): string[] {
  const count = (Date.parse(`${monthAfter(month, 1)}-01`) - Date.parse(`${month}-01`)) / 86_400_000
  return Array.from({ length: count }, (_, n) => `${month}-${String(n + 1).padStart(2, '0')}`)
}
const nameOfDay = (date: string, options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(undefined, { timeZone: 'UTC', ...options }).format(new Date(date))
/** A week that begins on a Monday. */
const aWeek = daysOf('2024-01').slice(0, 7)

function Calendar({ service, all }: { service: PublicService; all: PublicProvider[] }) {
  const { market, store } = useShop()
  const thisMonth = new Intl.DateTimeFormat('en-CA', { timeZone: store.timezone }).format().slice(0, 7)
  const [month, setMonth] = useState(thisMonth)
  const [day, setDay] = useState('')
  const { run, problems } = useAction()
  const query = { service_id: service.id, month, market: market.key }
  const free = useLoad(() => call('GET /v1/storefront/services/availability', { query }), JSON.stringify(query))
  const slots = (free.data?.providers ?? []).flatMap(({ provider_id, days }) =>
    days.flatMap(({ date, slots }) => slots.map((slot) => ({ ...slot, date, provider_id }))),
  )
  const shown = slots.filter(({ date }) => date === day).sort((a, b) => a.from - b.from || a.to - b.to)
  const book = (provider_id: string, from: number, to: number) =>
    run(() => putBooking({ service_id: service.id, provider_id, slots: [{ from, to }] }, true).then(() => go('/cart')))
  const days = daysOf(month)
  const column = aWeek.findIndex((date) => new Date(date).getUTCDay() === new Date(days[0] ?? '').getUTCDay()) + 1
  return (
    <article className="split">
      <div>
        <Title>{nameOf(service)}</Title>
        <p className="price">{priceText(service.providers, market)}</p>
        <Text markdown>{textOf(service, 'description')}</Text>
        <Picture of={service} sizes="(max-width: 800px) 95vw, 520px" eager />
      </div>
      <section className="panel" aria-labelledby="free">
        <h2 id="free">Free times</h2>
        <div className="row">
          <button type="button" disabled={month <= thisMonth} onClick={() => setMonth(monthAfter(month, -1))}>
            Earlier
          </button>
          <b aria-live="polite">{nameOfDay(`${month}-01`, { month: 'long', year: 'numeric' })}</b>
          <Button onClick={() => setMonth(monthAfter(month, 1))}>Later</Button>
        </div>
        <ol className="calendar">
          {aWeek.map((date) => (
            <li key={date} aria-hidden="true">
              {nameOfDay(date, { weekday: 'short' })}
            </li>
          ))}
          {days.map((date, n) => (
            <li key={date} style={n === 0 ? { gridColumnStart: column } : undefined}>
              <Button
                disabled={!slots.some((slot) => slot.date === date)}
                aria-pressed={date === day}
                aria-label={nameOfDay(date, { dateStyle: 'full' })}
                onClick={() => setDay(date)}
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
              <button type="button" onClick={() => void book(provider_id, from, to)}>
                {timeOf({ from, to }, store.timezone)}{' '}
                <small>
                  {all.filter(({ id }) => id === provider_id).map(nameOf)}
                  {spots > 1 && `, ${spots} places`}
                </small>
              </button>
            </li>
          ))}
        </ul>
        <small>Times are those of {store.timezone.split('/').at(-1)?.replaceAll('_', ' ')}.</small>
      </section>
    </article>
  )
}
