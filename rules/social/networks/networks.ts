// The table of the networks. Other files read it where networks differ, and never compare a type.
import type { Network } from './network.ts'
import { networkA } from './network-a.ts'
import { networkB } from './network-b.ts'
import { networkC } from './network-c.ts'
import { networkD } from './network-d.ts'
import { networkE } from './network-e.ts'
import { type NetworkType, networkTypes } from './network-types.ts'

export const networks: Readonly<Record<NetworkType, Network>> = {
  network_a_page: networkA,
  network_b_business: networkB,
  network_c_channel: networkC,
  network_d_account: networkD,
  network_e_account: networkE,
}

/** What a field with the type of an account says. */
export const networkTypeText = `Network and kind of account: ${networkTypes.map((type) => `\`${type}\` of ${networks[type].name}`).join(', ')}.`

/** The types whose network has a property, for conditions of statements. */
export const typesWith = (has: (network: Network) => boolean): NetworkType[] =>
  networkTypes.filter((type) => has(networks[type]))
