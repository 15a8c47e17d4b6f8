// In an execution, an upload and a deployment happen once, with the connection and the build hook as stored at that
// time.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '../../entities/kit/ids.ts'
import { type Drives, startDrives } from '../kit/automation/drives.ts'
import { edge, execute } from '../kit/automation/graphs.ts'
import { database, newShop, type Shop, unique } from '../kit/shop.ts'
import { type Receiver, startReceiver } from '../kit/webhooks/receiver.ts'

const dir = fs.mkdtempSync(path.join(os.tmpdir(), `tillwright-test-${process.pid}-drive-nodes-`))
let shop: Shop
let drives: Drives
let receiver: Receiver
beforeAll(async () => {
  for (const name of ['drives', 'receiver']) fs.mkdirSync(path.join(dir, name))
  ;[shop, drives, receiver] = await Promise.all([
    newShop(),
    startDrives(path.join(dir, 'drives')),
    startReceiver(path.join(dir, 'receiver')),
  ])
})
afterAll(async () => {
  await Promise.all([drives.stop(), receiver.stop(), database().end()])
  fs.rmSync(dir, { recursive: true })
})

const added = async (at: string, body: Record<string, unknown>) =>
  (await shop.asOperator('POST', at, { key: unique(), ...body })).body.id as string
const graph = (connection_id: string, build_hook_id: string) => ({
  nodes: {
    start: { type: 'trigger', delay_ms: 0, events: [] },
    keep: {
      type: 'drive_upload',
      connection_id,
      folder: 'orders/{{input.trigger.day}}',
      file_name: '{{input.trigger.number}}.json',
      content: '{{input.trigger.order}}',
    },
    publish: { type: 'deploy_webhook', build_hook_id, delay_ms: 0 },
  },
  edges: [edge('start', 'keep', 'default'), edge('keep', 'publish')],
})

test('A graph uploads an order to both kinds of drives and then calls the build hook', async () => {
  const hook = await added('/build-hooks', {
    type: 'custom',
    url: `${receiver.url}/build?token=t0k`,
    headers: { 'X-Key': 'k3y' },
  })
  const order = { total: 1200, note: 'grüße' }
  for (const [drive, kept] of [
    [drives.s3, () => drives.object('orders/2030-01-31/7.json')?.bytes],
    [drives.webdav, () => drives.file('orders/2030-01-31/7.json')],
  ] as const) {
    const from = await receiver.count('/build')
    const { status, runs } = await execute(shop.store_id, graph(await added('/workflow-connections', drive), hook), {
      day: '2030-01-31',
      number: 7,
      order,
    })
    expect([status, runs.keep?.error, runs.publish?.error]).toEqual(['completed', null, null])
    expect(JSON.parse(String(kept()))).toEqual(order)
    expect(runs.keep).toMatchObject({
      status: 'succeeded',
      attempt: 1,
      output: { path: 'orders/2030-01-31/7.json', bytes: kept()?.length },
    })
    expect((await receiver.arrivals('/build')).slice(from)).toMatchObject([
      { method: 'POST', path: '/build?token=t0k', body: '', headers: { 'x-key': 'k3y', 'content-length': '0' } },
    ])
  }
  expect(drives.ledger().filter(({ method }) => method === 'PUT')).toHaveLength(2)
})

test('A node whose drive or build hook is deleted fails by name and sends nothing', async () => {
  const connection = await added('/workflow-connections', drives.s3)
  const hook = await added('/build-hooks', { type: 'custom', url: `${receiver.url}/gone` })
  await shop.asOperator('DELETE', `/build-hooks/${hook}`)
  const input = { day: 'x', number: 1, order: {} }
  const late = await execute(shop.store_id, graph(connection, hook), input)
  expect([late.status, late.runs.keep?.status, late.runs.publish?.status, late.runs.publish?.error?.code]).toEqual([
    'failed',
    'succeeded',
    'failed',
    'build_hook_missing',
  ])
  const nowhere = await execute(shop.store_id, graph(newId(), hook), input)
  expect([nowhere.status, nowhere.runs.keep?.status, nowhere.runs.keep?.error?.code]).toEqual([
    'failed',
    'failed',
    'connection_missing',
  ])
  expect([nowhere.runs.keep?.sent_at, await receiver.count('/gone')]).toEqual([null, 0])
})

test('An upload node is rejected when refused, and unknown and not resent when unanswered', async () => {
  const hook = await added('/build-hooks', { type: 'custom', url: `${receiver.url}/never` })
  for (const [way, status] of [
    [{ status: 403 }, 'rejected'],
    [{ do: 'reset_after_read' }, 'unknown'],
  ] as const) {
    const at = unique()
    const drive = {
      type: 'webdav',
      settings: { url: `${receiver.url}/${at}` },
      credentials: { username: 'u', password: 'p' },
    }
    await receiver.rule(`/${at}/orders/x/1.json`, way)
    const run = await execute(shop.store_id, graph(await added('/workflow-connections', drive), hook), {
      day: 'x',
      number: 1,
      order: {},
    })
    expect([run.status, run.runs.keep?.status]).toEqual(['failed', status])
    expect(await receiver.count(`/${at}/orders/x/1.json`)).toBe(1)
  }
  expect(await receiver.count('/never')).toBe(0)
})
