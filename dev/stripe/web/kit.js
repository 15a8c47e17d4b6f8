// What the simulator's pages share: elements, a choice of cards, and requests to the simulator.
export const at = (id) => document.getElementById(id)

/** Radio buttons in the element `id`; the first one is chosen. */
export function choices(id, options) {
  at(id).append(
    ...options.map(({ value, label, detail }, n) => {
      const row = document.createElement('label')
      const input = Object.assign(document.createElement('input'), { type: 'radio', name: id, value, checked: n === 0 })
      const text = Object.assign(document.createElement('span'), { textContent: label })
      row.append(input, text, Object.assign(document.createElement('small'), { textContent: detail }))
      return row
    }),
  )
}

export const chosen = (id) => at(id).querySelector('input:checked').value

/** Throws the message of a refusal. */
export async function ask(path, body) {
  const answer = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const json = await answer.json()
  if (!answer.ok) throw new Error(json.error.message)
  return json
}
