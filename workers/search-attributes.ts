// Registers the search attributes by which operators filter in Temporal's UI, before the first workflow sets them.
import type { NativeConnection } from '@temporalio/worker'
import { config } from '../config.ts'

const keyword = 2 // temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD

export async function registerSearchAttributes({ operatorService }: NativeConnection): Promise<void> {
  const { namespace } = config.temporal
  const { customAttributes } = await operatorService.listSearchAttributes({ namespace })
  const missing = ['TenantId', 'Kind', 'EffectStatus'].filter((name) => !(name in (customAttributes ?? {})))
  if (missing.length > 0)
    await operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(missing.map((name) => [name, keyword])),
    })
}
