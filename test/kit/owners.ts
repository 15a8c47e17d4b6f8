// Whom work is for, in tests of one tenant an account.
import type { Owner } from '../../rules/fair-queue.ts'

export const ownOwner = (tenant: string): Owner => ({ account: tenant, tenant })
