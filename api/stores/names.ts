// The display name of a store: the name in its settings, or its key.
import type { Tenant } from '../../entities/stores/tenant.ts'

export const nameOf = ({ key, settings }: Pick<Tenant, 'key' | 'settings'>): string =>
  typeof settings.name === 'string' && settings.name.trim() !== '' ? settings.name : key
