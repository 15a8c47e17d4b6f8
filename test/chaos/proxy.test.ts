// A link breaks at its byte, as often as it was armed, and else passes everything unchanged.
import net from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import { type Link, openLink } from './proxy.ts'

let link: Link
let server: net.Server
afterEach(async () => {
  await link.stop()
  server.close()
})

/** A server that records what it receives and answers with it in capitals. */
async function echo(): Promise<string[]> {
  const heard: string[] = []
  server = net.createServer((socket) => {
    const n = heard.push('') - 1
    socket.on('data', (chunk) => {
      heard[n] += String(chunk)
      socket.write(String(chunk).toUpperCase())
    })
    socket.on('error', () => {})
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  link = await openLink((server.address() as net.AddressInfo).port)
  return heard
}

/** What came back until it was closed, and whether it was broken; it is ended once `enough` has arrived. */
function say(text: string, enough: number): Promise<{ answer: string; broken: boolean }> {
  const socket = net.connect(link.port, '127.0.0.1')
  let answer = ''
  let broken = false
  socket.on('data', (chunk) => {
    answer += String(chunk)
    if (answer.length >= enough) socket.end()
  })
  socket.on('error', () => {
    broken = true
  })
  socket.write(text)
  return new Promise((done) => socket.on('close', () => done({ answer, broken })))
}

test('A link passes everything unchanged until a fault is armed', async () => {
  const heard = await echo()
  expect(await say('hello there', 11)).toEqual({ answer: 'HELLO THERE', broken: false })
  expect(heard).toEqual(['hello there'])
})

test('A link breaks a request at the chosen byte as often as it was armed', async () => {
  const heard = await echo()
  let struck = 0
  link.cut({ direction: 'there', after_bytes: 5, times: 2 }, () => struck++)
  for (let n = 0; n < 2; n++) expect((await say('hello there', 11)).answer).not.toBe('HELLO THERE')
  expect((await say('hello there', 11)).answer).toBe('HELLO THERE')
  expect([heard, struck]).toEqual([['hello', 'hello', 'hello there'], 2])
})

test('A link breaks an answer: the request arrived in full, the answer in part', async () => {
  const heard = await echo()
  link.cut({ direction: 'back', after_bytes: 3, times: 1 }, () => {})
  expect(await say('hello there', 11)).toMatchObject({ answer: 'HEL' })
  expect(heard).toEqual(['hello there'])
})

test('A healed link forgets its armed faults', async () => {
  await echo()
  link.cut({ direction: 'there', after_bytes: 1, times: 9 }, () => {})
  link.heal()
  expect((await say('hello', 5)).answer).toBe('HELLO')
})
