// The payment form: shows what is paid, and pays with the test card that was chosen.
import { ask, at, choices, chosen } from './kit.js'

const session = Object.fromEntries(new URLSearchParams(location.hash.slice(1)))
const isFramed = parent !== window
const tell = (message) => isFramed && parent.postMessage(message, '*')
new ResizeObserver(() => tell({ type: 'height', height: document.documentElement.offsetHeight })).observe(document.body)

const form = at('pay')
const [button, error] = [form.querySelector('button'), at('error')]
const show = (part) => {
  for (const id of ['pay', 'confirm', 'done']) at(id).hidden = id !== part
}

async function pay(more) {
  const label = button.textContent
  Object.assign(button, { disabled: true, textContent: 'Processing …' })
  show('pay')
  error.textContent = ''
  try {
    const answer = await ask('/_sim/card/pay', { ...session, card: chosen('cards'), ...more })
    if (answer.requires_confirmation) {
      show('confirm')
      at('yes').focus()
    } else if (answer.declined) error.textContent = answer.declined
    else complete(answer)
  } catch ({ message }) {
    error.textContent = message
  }
  Object.assign(button, { disabled: false, textContent: label })
}

function complete({ return_url }) {
  show('done')
  if (isFramed) tell({ type: 'complete', return_url })
  else location.assign(return_url)
}

form.addEventListener('submit', (event) => {
  event.preventDefault()
  void pay({})
})
at('yes').addEventListener('click', () => pay({ confirmed: true }))
at('no').addEventListener('click', () => pay({ confirmed: false }))

try {
  const { total, lines, cards, cancel_url, complete: isComplete } = await ask('/_sim/card/session', session)
  at('total').textContent = total
  at('lines').append(
    ...lines.map(({ name, amount }) =>
      Object.assign(document.createElement('li'), { textContent: `${name}: ${amount}` }),
    ),
  )
  choices('cards', cards)
  button.textContent = `Pay ${total}`
  if (cancel_url && !isFramed) Object.assign(at('back'), { href: cancel_url, hidden: false })
  show(isComplete ? 'done' : 'pay')
} catch ({ message }) {
  at('total').textContent = message
}
