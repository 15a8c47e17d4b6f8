// How an account at the payment provider is reached. The secret key of an integration is read for every call, and is
// frozen nowhere.
import { Integration } from '../../entities/automation/integration.ts'
import { anyTenant, unitOf } from '../../entities/kit/database/orm.ts'
import { integrationIn } from '../../entities/payments/charging-account.ts'
import { database } from '../kit/database.ts'
import { NeverSent } from '../kit/once.ts'
import type { Access } from '../providers/stripe.ts'

/** Throws NeverSent: integration_missing. */
export async function accessTo(account: string | null): Promise<Access> {
  const id = integrationIn(account)
  if (!id) return account
  const integration = await unitOf(await database(), null).findOne(Integration, { id }, anyTenant)
  if (!integration)
    throw new NeverSent({
      code: 'integration_missing',
      message: 'The integration whose account is charged was deleted.',
    })
  return { secret_key: (JSON.parse(integration.credentials as string) as { secret_key: string }).secret_key }
}

/** Adds the secret key to a frozen request (`once.unlock`). */
export const unlocked = async <R extends { account: string | null }>(request: R): Promise<R & { access: Access }> => ({
  ...request,
  access: await accessTo(request.account),
})
