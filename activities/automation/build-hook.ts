// The request of a deploy_webhook node: made of the build hook's row at its first prepare, and of nothing in the graph.
import type { EntityManager } from '@mikro-orm/postgresql'
import { BuildHook } from '../../entities/automation/build-hook.ts'
import { NeverSent } from '../kit/once.ts'
import type { HttpRequest } from '../providers/http.ts'

/**
 * Prepares the request (`once.prepare`); it holds the secret url and headers. A POST without a body, as the hosts'
 * deploy hooks expect it. The address is checked as that of every http node. Throws NeverSent: build_hook_missing,
 * build_hook_inactive.
 */
export async function prepareBuildHook(
  em: EntityManager,
  tenantId: string,
  build_hook_id: string,
): Promise<HttpRequest> {
  const hook = await em.findOne(BuildHook, { id: build_hook_id, tenant_id: tenantId }, { filters: { tenant: false } })
  if (!hook) throw new NeverSent({ code: 'build_hook_missing', message: 'there is no such build hook' })
  if (!hook.active) throw new NeverSent({ code: 'build_hook_inactive', message: 'the build hook is switched off' })
  return {
    url: hook.url as string,
    method: 'POST',
    headers: JSON.parse(hook.headers as string) as Record<string, string>,
    timeout_ms: 30_000,
  }
}
