// A database from before some sends is restored: those effects become unknown and are not sent again.
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { script } from '../../dev/parts.ts'
import type { Received } from '../../dev/receiver.ts'
import { newId } from '../../entities/kit/ids.ts'
import { workflow } from '../kit/automation/automations.ts'
import { made } from '../kit/content/content.ts'
import { cash, type LedgerEntry, order, paidOrder, sim, until } from '../kit/orders/buying.ts'
import { unique } from '../kit/shop.ts'
import type { Violation } from './history.ts'
import { judgeRestored } from './judges/judges.ts'
import type { Store } from './people/acts.ts'
import { settled } from './settling.ts'
import { openStore } from './store.ts'
import type { World } from './world.ts'

const run = promisify(execFile)

const workers = ['worker-1', 'worker-2'] as const
const rest = ({ kept }: World) => Promise.all(workers.map((name) => kept[name].rest()))
const wake = ({ kept }: World) => Promise.all(workers.map((name) => kept[name].wake()))

/** A campaign that sends slowly. `again` resumes it after the restore. */
type Slow = { arrived(): Promise<string[]>; again(): Promise<unknown> }

async function sending({ sink, links }: World, { shop, post_office }: Store): Promise<Slow> {
  const domain = `slow.${post_office.domain}`
  const smtp = { host: '127.0.0.1', port: links.sink.port, security: 'none' }
  const mailbox = { key: unique(), email: `slow@${domain}`, smtp, limits: { connections: 4, per_second: 20 } }
  const mailbox_ids = [(await made(shop.asOperator('POST', '/mailboxes', mailbox))).id]
  const steps = [{ template_id: post_office.template_ids[0] }]
  const { id } = await made(shop.asOperator('POST', '/campaigns', { name: 'Slow news', mailbox_ids, steps }))
  await made(
    shop.asOperator('POST', `/campaigns/${id}/enrollments/import`, {
      emails: Array.from({ length: 300 }, (_, n) => `reader${n}@d${n % 5}.${domain}`),
    }),
  )
  await until(async () => (await shop.asOperator('POST', `/campaigns/${id}/launch`)).status === 200)
  const arrived = async () =>
    (await sink.ledger()).filter(({ to }) => to.endsWith(domain)).map(({ to }) => `campaign message to ${to}`)
  await until(async () => (await arrived()).length >= 40, 30_000)
  return { arrived, again: () => shop.asOperator('POST', `/campaigns/${id}/resume`) }
}

type Item = { product_id: string; variant_id: string; quantity: number }
const item = ({ id, variant_id }: Store['plenty']): Item => ({ product_id: id, variant_id, quantity: 1 })

/** Requested while no worker runs: written, and not sent. */
async function requested(world: World, { shop }: Store, orderIds: readonly string[]): Promise<void> {
  const asked = orderIds.map((id) =>
    shop.asOperator('POST', `/orders/${id}/refunds`, { refund_id: newId(), amount: 100 }).catch(() => {}),
  )
  await until(async () => {
    const { rows } = await world.db.query(`select 1 from refunds where tenant_id = $1 and status = 'requested'`, [
      shop.store_id,
    ])
    return rows.length === asked.length
  })
}

async function openRows(world: World, { shop }: Store): Promise<{ name: string; sql: string }[]> {
  const { rows } = await world.db.query<{ table: string; id: string }>(
    `select 'refunds' as table, id from refunds where tenant_id = $1 and status in ('requested', 'processing')
     union all select 'node_runs', id from node_runs where tenant_id = $1 and status in ('requested', 'processing')`,
    [shop.store_id],
  )
  return rows.map(({ table, id }) => ({
    name: `${table} ${id}`,
    sql: `select '${table} ${id}' as name, status from ${table} where id = '${id}'`,
  }))
}

/** Under names that a restore does not change: a refund's row, and the event that a post carries. */
async function arrived({ stack }: World, store: Store, paths: readonly string[], slow: Slow): Promise<string[]> {
  const entries = (await sim('GET', `/ledger?account=${store.account}&path=/v1/refunds`)) as LedgerEntry[]
  const received = await (await fetch(`${stack.urls.receiver_control}/ledger`)).json()
  return [
    ...entries.map(({ key }) => `refund ${key}`),
    ...(received as Received[])
      .filter((one) => paths.includes(one.path))
      .map((one) => `${one.path} ${JSON.parse(one.body).event}`),
    ...(await slow.arrived()),
  ]
}

export async function quarantine(world: World, say: (line: string) => void): Promise<Violation[]> {
  const { stack, db, kept } = world
  const store = await openStore(world)
  const { shop } = store
  const path2 = `${store.post.path}-later`
  const tell = {
    type: 'http',
    method: 'post',
    url: `http://127.0.0.1:${world.links.receiver.port}${path2}`,
    body: { event: '{{nodes.start.output.id}}' },
    delay_ms: 5_000,
  }
  const edges = [{ source: 'start', target: 'tell', output: 'default' }]
  await workflow(shop, { nodes: { start: { type: 'trigger', events: ['order.updated'] }, tell }, edges })
  const paid: string[] = []
  for (let n = 0; n < 3; n++) paid.push((await paidOrder(shop, [item(store.plenty)])).order_id)
  const [one, other] = [await order(shop, [item(store.plenty)], cash), await order(shop, [item(store.plenty)], cash)]
  const { left } = await settled(db, store, 60_000)
  if (left.length > 0) throw new Error(`not settled although no fault was armed: ${left.join('; ')}`)

  // A post that waits for its time, one whose execution has not begun, and refunds that no worker has claimed.
  await shop.asOperator('POST', `/orders/${one.order_id}/payment/mark-paid`, {})
  await until(
    async () =>
      (
        await db.query(`select 1 from node_runs where tenant_id = $1 and status = 'requested' and due_at is not null`, [
          shop.store_id,
        ])
      ).rowCount,
  )
  const slow = await sending(world, store)
  await rest(world)
  await shop.asOperator('POST', `/orders/${other.order_id}/payment/mark-paid`, {})
  await requested(world, store, paid)
  const open = await openRows(world, store)
  const data = String((await db.query('show data_directory')).rows[0]?.data_directory)
  const copy = path.join(path.dirname(data), `${path.basename(data)}-copy`)
  const since = new Date().toISOString()
  const mailed = (await slow.arrived()).length
  await stack.postgres.stop()
  await run('cp', ['-a', data, copy])
  await stack.postgres.start()
  await wake(world)
  const { left: sent } = await settled(db, store, 60_000)
  if (sent.length > 0) throw new Error(`violations before the restore: ${sent.join('; ')}`)
  const before = await arrived(world, store, [store.post.path, path2], slow)
  if ((await slow.arrived()).length === mailed) throw new Error('no message of the campaign was sent after the backup')
  say(
    `quarantine: ${open.length} effects were open, ${before.length} sends in all, the newest of them after the backup`,
  )

  await rest(world)
  await stack.postgres.stop()
  fs.rmSync(data, { recursive: true, force: true })
  fs.renameSync(copy, data)
  await stack.postgres.start()
  const child = script('workers/quarantine.ts', ['--since', since], {
    name: 'quarantine',
    env: { ...process.env, ...stack.env },
  })
  if ((await child.ended) !== 0) throw new Error(`quarantine failed:\n${child.tail()}`)
  await wake(world)
  // An operator lets the campaign go on.
  await slow.again()
  const { left: unfinished } = await settled(db, store, 120_000)
  const { rows } = await db.query<{ name: string; status: string }>(open.map(({ sql }) => sql).join(' union all '))
  await Promise.all(Object.values(kept).map((process) => process.back()))
  return [
    ...judgeRestored({ rows, arrived: await arrived(world, store, [store.post.path, path2], slow) }),
    ...unfinished.map(
      (what): Violation => ({
        invariant: 'Not settled 120 s after healing and the last call',
        what: `after a restore: ${what}`,
      }),
    ),
  ]
}
