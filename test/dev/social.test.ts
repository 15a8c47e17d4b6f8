// The simulator of the networks: its ledger has every request, also one that a fault struck. The judges of chaos know
// of a fault by it alone.
import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from '@jest/globals'
import { networks } from '../../dev/social/networks/networks.ts'
import { networkLetters } from '../../rules/social/networks/network-types.ts'
import { unique } from '../kit/shop.ts'
import { socialFault, socialLedger } from '../kit/social/social.ts'

const host = 'graph.threads.net'
const faults = ['reset_before_read', 'reset_after_read', 'status', 'answer', 'break_body', 'delay'] as const

test.each(faults)('The ledger of a network names the fault %s with the request that it struck', async (fault) => {
  const path = `/v1.0/${unique()}/threads_publish`
  const body = fault.startsWith('reset_before') ? {} : { body_match: 'creation_id=1' }
  await socialFault({
    fault,
    method: 'POST',
    path: `/${host}${path}`,
    ...body,
    ...(fault === 'delay' ? { delay_ms: 1 } : {}),
  })
  const form = new URLSearchParams({ creation_id: '1' })
  await fetch(`${process.env.TEST_SOCIAL}/${host}${path}`, { method: 'POST', body: form }).then(
    (answer) => answer.text().catch(() => ''),
    () => '',
  )
  const struck = (await socialLedger({ host })).filter((entry) => entry.path === path)
  expect(struck).toEqual([expect.objectContaining({ method: 'POST', fault, effect: false })])
})

test('No file of the simulator outside of networks/ compares a letter or names a host', () => {
  const hosts = networks.flatMap((network) => network.hosts)
  expect(networks.map(({ letter }) => letter.toUpperCase())).toEqual(Object.values(networkLetters))
  expect(new Set(hosts).size).toBe(hosts.length)
  const folder = path.resolve(import.meta.dirname, '../../dev/social')
  const files = fs.readdirSync(folder).filter((name) => name.endsWith('.ts'))
  expect(files.length).toBeGreaterThan(10)
  const letters = new RegExp(`'[${networks.map(({ letter }) => letter).join('')}]'`)
  const knowing = files.filter((name) => {
    const text = fs.readFileSync(path.join(folder, name), 'utf8')
    return letters.test(text) || hosts.some((host) => text.includes(`${host}/`))
  })
  expect(knowing).toEqual([])
})

test('The consent page offers the accounts that consented before, and takes another name', async () => {
  const name = `Shop & <${unique()}>`
  const asked = {
    ...{ client_id: process.env.SOCIAL_E_CLIENT_ID as string, redirect_uri: 'http://localhost/back', state: 's"t' },
    response_type: 'code',
  }
  const page = async (more: object = {}) =>
    fetch(`${process.env.TEST_SOCIAL}/threads.net/oauth/authorize?${new URLSearchParams({ ...asked, ...more })}`, {
      redirect: 'manual',
    })
  const escaped = name.replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;')
  const before = await (await page()).text()
  expect(before).not.toContain(`As ${escaped}`)
  for (const [field, value] of Object.entries({ ...asked, state: 's&quot;t' }))
    expect(before).toContain(`<input type="hidden" name="${field}" value="${value}">`)
  expect((await page({ sim_account: name })).status).toBe(302)
  expect(await (await page()).text()).toContain(`As ${escaped}`)
})
