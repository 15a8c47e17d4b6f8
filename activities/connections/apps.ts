// The installation's own app at a network.
import { config } from '../../config.ts'
import type { NetworkType } from '../../rules/social/networks/network-types.ts'
import type { App } from '../../rules/social/networks/request.ts'
import { NeverSent } from '../kit/once.ts'

/** Throws NeverSent where it was removed from the settings. */
export function appOf(type: NetworkType): App {
  const app = config.social.apps[type]
  if (!app)
    throw new NeverSent({ code: 'network_not_configured', message: 'The settings name no app at this network.' })
  return app
}
