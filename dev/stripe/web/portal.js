// The customer portal: shows the customer's subscriptions, and saves a card.
import { ask, at, choices, chosen } from './kit.js'

const session = location.hash.slice(1)

async function open() {
  const { email, subscriptions, cards, return_url } = await ask('/_sim/portal/session', { session })
  at('who').textContent = email ?? 'A customer'
  at('subscriptions').append(
    ...subscriptions.map((text) => Object.assign(document.createElement('li'), { textContent: text })),
  )
  choices('cards', cards)
  at('save').hidden = false
  if (return_url) Object.assign(at('back'), { href: return_url, hidden: false })
}

at('save').addEventListener('submit', async (event) => {
  event.preventDefault()
  try {
    const { saved, redirect } = await ask('/_sim/portal/card', { session, card: chosen('cards') })
    at('status').textContent = `Saved: the card that ends in ${saved}.`
    if (redirect) location.assign(redirect)
  } catch ({ message }) {
    at('status').textContent = message
  }
})

open().catch(({ message }) => {
  at('who').textContent = message
})
