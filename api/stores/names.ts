// What people call a store: the name in its settings, else its key.
import type { Tenant } from '../../entities/stores/tenant.ts'

export const nameOf = ({ key, settings }: Pick<Tenant, 'key' | 'settings'>): string =>
  typeof settings.name === 'string' && settings.name.trim() !== '' ? settings.name : key
