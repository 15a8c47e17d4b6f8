// The frame of summaries and details of workflows in Temporal's UI: what a workflow is about, and which call resolves
// it. No secrets and no personal data.
// Those of each kind are in rules/<domain>/descriptions.ts.
import { camel } from './spelling.ts'
import type { TenantKind } from './stores/tenant-kinds.ts'

export type Description = { summary: string; details: string }

/** `store`: key of the store or business; null if it was deleted, as `tenant_kind` is. */
export type DescribedRow = { id: string; tenant_id: string; store: string | null; tenant_kind: TenantKind | null }

export const kindOf = ({ tenant_kind }: Pick<DescribedRow, 'tenant_kind'>) => tenant_kind ?? 'store'

export const storeOf = (base: DescribedRow) => `${kindOf(base)} ${base.store?.slice(0, 80) ?? base.tenant_id}`

export const root = (base: Pick<DescribedRow, 'tenant_id' | 'tenant_kind'>) =>
  `/v1/${kindOf(base) === 'store' ? 'stores' : 'businesses'}/${base.tenant_id}`

/** A call as a Markdown code block: method, path and optional body. */
export const call = (line: string, body?: Record<string, unknown>) =>
  ['```', line, ...(body ? [JSON.stringify(body)] : []), '```'].join('\n')

/** The same with the names of the fields as the API of a store or business spells them. */
export const callOf = (base: DescribedRow, line: string, body: Record<string, unknown>) =>
  call(
    line,
    kindOf(base) === 'store'
      ? body
      : Object.fromEntries(Object.entries(body).map(([name, value]) => [camel(name), value])),
  )
