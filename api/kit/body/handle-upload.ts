// Handles one request with files. The caller is identified before the body is read, and no database connection is held while bytes are transferred.
import type { EntityManager } from '@mikro-orm/postgresql'
import { unixNow } from '../../../adapters/clock.ts'
import { log } from '../../../adapters/log.ts'
import type { Orm } from '../../../entities/kit/database/orm.ts'
import { serialize } from '../../../rules/serialize.ts'
import { answerOf } from '../answer/answer.ts'
import { accept, type Incoming, identify, type Outgoing } from '../handle.ts'
import { pathOf } from '../input.ts'
import { queryOf } from '../query.ts'
import type { Route, Steps } from '../route.ts'
import { look, unit } from '../unit.ts'
import { withFiles } from './multipart.ts'

export async function handleUpload(orm: Orm, route: Route, incoming: Incoming): Promise<Outgoing> {
  const steps = route.upload as Steps
  const { path, malformed } = pathOf(route, incoming.found)
  const { result: who } = await look(orm, (em) => identify(em, route, path, incoming))
  if (malformed) throw malformed
  queryOf(route, incoming.search)
  const { caller, tenant_id } = who
  const { headers, ip } = incoming
  const inTransaction = async <T>(work: (call: { em: EntityManager }) => Promise<T>) =>
    unit(orm, (em) => {
      em.setFilterParams('tenant', { tenant: tenant_id as string })
      const call = { em, caller, tenant_id, path, now: unixNow(), ip, headers }
      return work(call)
    })

  const { em, result, undo } = await withFiles(incoming.request, steps, async (files) => {
    const checked = await steps.check(files)
    const { result: written } = await inTransaction((call) => steps.write({ ...call, files: checked }))
    const undo = () => inTransaction((call) => steps.undo({ ...call, written }))
    try {
      await steps.keep(written)
      return { ...(await inTransaction(async (call) => route.run({ ...call, written }))), undo }
    } catch (error) {
      // Rows that this does not delete are deleted later by the retention sweep.
      await undo().catch((again: Error) => log.warn({ err: { message: again.message } }, 'undoing an upload failed'))
      throw error
    }
  })
  await accept(orm, who, incoming.now)
  const { body, status } = await answerOf(orm, route, { em, path, tenant_id: tenant_id ?? '', result, undo })
  return { status, headers: who.headers, body: route.out ? serialize(route.out, body, route.surface) : body, tenant_id }
}
