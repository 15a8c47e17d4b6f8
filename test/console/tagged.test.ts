// What is read again and again is sent once, as long as it is the same.
import { expect, test } from '@jest/globals'
import { tagged } from '../../console/src/kit/tagged.ts'

/** An API whose answer has a tag, with what it sent. */
function api() {
  const state = { body: '{"items":[]}', sent: [] as number[] }
  const read = tagged(async (_, init) => {
    const etag = `W/"${state.body.length}"`
    const isKnown = new Headers(init?.headers).get('if-none-match') === etag
    state.sent.push(isKnown ? 304 : 200)
    return isKnown
      ? new Response(null, { status: 304, headers: { etag } })
      : new Response(state.body, { headers: { etag } })
  })
  return { state, read: async (address: string) => (await read(address, { headers: {} })).text() }
}

test('An answer that is the same is not sent again, and a new one replaces it', async () => {
  const { state, read } = api()
  const texts = [await read('/a'), await read('/a')]
  state.body = '{"items":[1]}'
  texts.push(await read('/a'), await read('/a'))
  expect(texts).toEqual(['{"items":[]}', '{"items":[]}', '{"items":[1]}', '{"items":[1]}'])
  expect(state.sent).toEqual([200, 304, 200, 304])
})

test('The number of answers that are kept is bounded', async () => {
  const { state, read } = api()
  for (let at = 0; at < 30; at++) await read(`/${at}`)
  state.sent = []
  await read('/29')
  await read('/0')
  expect(state.sent).toEqual([304, 200])
})
