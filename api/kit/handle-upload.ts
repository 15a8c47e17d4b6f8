// One request with files, from its bytes to its answer: who calls is known before a byte is read, and no connection is held while bytes come or go.

import type { EntityManager } from '@mikro-orm/postgresql'
import { log } from '../../adapters/log.ts'
import type { Orm } from '../../entities/kit/orm.ts'
import { serialize } from '../../rules/serialize.ts'
import { settled } from './answer.ts'
import { type Incoming, identify, type Outgoing } from './handle.ts'
import { pathOf } from './input.ts'
import { withFiles } from './multipart.ts'
import { queryOf } from './query.ts'
import type { Route, Steps } from './route.ts'
import { look, unit } from './unit.ts'

const seconds = () => Math.floor(Date.now() / 1000)

export async function handleUpload(orm: Orm, of: Route, incoming: Incoming): Promise<Outgoing> {
  const steps = of.upload as Steps
  const { path, malformed } = pathOf(of, incoming.found)
  const { result: who } = await look(orm, (em) => identify(em, of, path, incoming))
  if (malformed) throw malformed
  queryOf(of, incoming.search)
  const { caller, tenant_id } = who
  const { headers, ip } = incoming
  const within = async <T>(work: (call: { em: EntityManager }) => Promise<T>) =>
    unit(orm, (em) => {
      em.setFilterParams('tenant', { tenant: tenant_id as string })
      const call = { em, caller, tenant_id, path, now: seconds(), ip, headers }
      return work(call)
    })

  const { em, result, undo } = await withFiles(incoming.request, steps, async (files) => {
    const checked = await steps.check(files)
    const { result: written } = await within((call) => steps.write({ ...call, files: checked }))
    const undo = () => within((call) => steps.undo({ ...call, written }))
    try {
      await steps.keep(written)
      return { ...(await within(async (call) => of.run({ ...call, written }))), undo }
    } catch (error) {
      // Rows that cannot be reached now are swept later.
      await undo().catch((again: Error) => log.warn({ err: { message: again.message } }, 'an upload is not undone yet'))
      throw error
    }
  })
  const answer = await settled(orm, of, em, path, tenant_id ?? '', result, undo)
  return { status: of.status, headers: who.headers, body: of.out ? serialize(of.out, answer) : answer, tenant_id }
}
