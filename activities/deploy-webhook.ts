// A build hook is called with what stands in its row when the call is claimed, and never with what a graph says.
import type { EntityManager } from '@mikro-orm/postgresql'
import { BuildHook } from '../entities/automation/build-hook.ts'
import { NeverSent } from './once.ts'
import type { HttpRequest } from './providers/http.ts'

/**
 * For `once.prepare`; holds the secret url and headers. POST without a body, as the hosts' deploy hooks want it: whatever else is to be said is in the
 * hook's url and headers. The address is checked as that of any http node is. Throws NeverSent: build_hook_missing, build_hook_inactive.
 */
export async function prepareDeploy(em: EntityManager, tenantId: string, build_hook_id: string): Promise<HttpRequest> {
  const hook = await em.findOne(BuildHook, { id: build_hook_id, tenant_id: tenantId }, { filters: { tenant: false } })
  if (!hook) throw new NeverSent({ code: 'build_hook_missing', message: 'the store has no such build hook' })
  if (!hook.active) throw new NeverSent({ code: 'build_hook_inactive', message: 'the build hook is switched off' })
  return { url: hook.url as string, method: 'POST', headers: JSON.parse(hook.headers as string) as Record<string, string>, timeout_ms: 30_000 }
}
